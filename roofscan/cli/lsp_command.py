"""``roofscan lsp``: the editor server."""

from __future__ import annotations

import argparse

from roofscan.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    try:
        from roofscan.lsp.features import serve
    except ModuleNotFoundError as error:
        raise UsageError(f"lsp needs {error.name}: pip install 'roofscan[lsp]'") from None
    serve()
    return 0
