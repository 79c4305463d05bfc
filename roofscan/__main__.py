"""``python -m roofscan``."""

from roofscan.cli import entry

if __name__ == "__main__":
    entry()
