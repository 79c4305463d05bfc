"""What warps ask of the first cache: requests, sectors and wavefronts."""
