"""The subcommands of ``roofscan``, one a file, and what they share."""
