"""What caches leave to the next level: from working sets to bytes across each interface."""
