"""pygls' side of a session, without what it would keep for ever."""

from __future__ import annotations

from typing import Any

from pygls.protocol import LanguageServerProtocol


class FrugalProtocol(LanguageServerProtocol):
    """pygls holds the future of a handler by the id of its message until the response is sent. A notification has no
    response, and a handler that ``textDocument/didChange`` calls in its turn has none of its own: each edit would leave
    two futures behind."""

    def _execute_handler(self, msg_id: Any, *args: Any, **kwargs: Any) -> None:
        super()._execute_handler(msg_id, *args, **kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))
