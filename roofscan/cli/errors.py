"""What ends the command with exit code 2."""


class UsageError(Exception):
    """The command line asks for something that does not exist. The message names it, and the remedy."""
