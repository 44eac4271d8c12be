"""Reads what is not already known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

from .errors import Result, parse_body, require_success
from .memory import Memory, Remembered
from .transport import Request, Send


@dataclass(frozen=True)
class Read(Generic[Result]):
    result: Result
    etag: str | None
    link: str | None
    """The ``Link`` header."""


class Reads:
    """Makes ``GET`` calls. What has not changed since it was last read does not cross the network again."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._memory = Memory()

    def read(self, request: Request, result_from: Callable[[object], Result]) -> Read[Result]:
        remembered = self._memory.recall(request.url)
        if remembered is not None:
            request = replace(request, headers={**request.headers, "If-None-Match": remembered.etag})
        response = self._send(request)
        link = response.header("Link")
        if response.status == 304 and remembered is not None:
            # Parsed again for each caller, so that nobody can change what is remembered.
            return Read(parse_body(remembered.response, result_from), remembered.etag, link or remembered.link)
        require_success(response)
        result = parse_body(response, result_from)
        etag = response.header("ETag")
        if etag is None:
            self._memory.forget(request.url)
        else:
            self._memory.remember(request.url, Remembered(etag, link, response))
        return Read(result, etag, link)
