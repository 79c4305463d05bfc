"""The command ``roofscan``. Exit codes: 0 done; 1 a file could not be read, or there are findings (``check``); 2 a
usage error; 130 interrupted; 141 the reader of the output went away."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from roofscan.cli.errors import UsageError

INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    from roofscan.cli.parser import parse_arguments  # the plugin needs the errors of this package, not its commands

    try:
        arguments = parse_arguments(sys.argv[1:] if argv is None else argv)
        code: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except UsageError as error:
        _say(f"roofscan: {error}")
        return 2
    except SystemExit as stop:  # argparse's --help and --version
        return stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt:
        _say("roofscan: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return PIPE_CLOSED
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _close_stdout()
        _say("roofscan: no space is left for the report; free some, or write it elsewhere with --output")
        return 1


def entry() -> None:
    sys.exit(main())


def _say(message: str) -> None:
    from roofscan.cli.output import write

    try:
        write(sys.stderr, message + "\n")
    except OSError:  # stderr is closed
        pass


def _close_stdout() -> None:
    """Points stdout at nothing, so that the interpreter's last flush does not fail."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        pass
