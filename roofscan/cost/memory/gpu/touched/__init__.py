"""What the threads of blocks touch: of a box of blocks, of one block at a time, and of a whole launch."""
