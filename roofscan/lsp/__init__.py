"""The editor server (``roofscan lsp``): the Language Server Protocol by pygls."""
