"""Reads only what has changed, and remembers the versions of keys."""

from __future__ import annotations

import enum
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic

from .errors import Result, parse_body, require_success
from .limit import Limit
from .transport import Request, Response, Send

if TYPE_CHECKING:
    from .keys import Key

_MAXIMUM_BODIES = 100
_MAXIMUM_BYTES = 16 * 1024**2


@dataclass(frozen=True)
class _Remembered:
    etag: str
    link: str | None
    """The ``Link`` header."""
    response: Response


@dataclass(frozen=True)
class Read(Generic[Result]):
    result: Result
    etag: str | None
    link: str | None
    """The ``Link`` header."""


class Reads:
    """Makes ``GET`` calls. The service sends a body again only if it has changed since the last read.

    Caches responses by URL. A full cache drops the least recently used responses.
    """

    def __init__(self, send: Send, timeout: float) -> None:
        self._send = send
        self._timeout = timeout
        self._size = 0
        self._reads: OrderedDict[str, _Remembered] = OrderedDict()
        # Several threads may share a client.
        self._lock = Lock()

    def read(self, request: Request, result_from: Callable[[object], Result]) -> Read[Result]:
        remembered = self._reads.get(request.url)
        if remembered is not None:
            request = replace(request, headers={**request.headers, "If-None-Match": remembered.etag})
        response = self._send(request, Limit(self._timeout))
        link = response.header("Link")
        if response.status == 304 and remembered is not None:
            self._remember(request.url, remembered)
            # Parsed anew for each caller, so that no caller can change the cached response.
            return Read(parse_body(remembered.response, result_from), remembered.etag, link or remembered.link)
        require_success(response)
        result = parse_body(response, result_from)
        etag = response.header("ETag")
        self._remember(request.url, None if etag is None else _Remembered(etag, link, response))
        return Read(result, etag, link)

    def _remember(self, url: str, read: _Remembered | None) -> None:
        with self._lock:
            self._forget(url)
            if read is None or len(read.response.body) > _MAXIMUM_BYTES:
                return
            self._reads[url] = read
            self._size += len(read.response.body)
            while len(self._reads) > _MAXIMUM_BODIES or self._size > _MAXIMUM_BYTES:
                self._forget(next(iter(self._reads)))

    def _forget(self, url: str) -> None:
        forgotten = self._reads.pop(url, None)
        if forgotten is not None:
            self._size -= len(forgotten.response.body)


class Unconditional(enum.Enum):
    UNCONDITIONAL = enum.auto()


UNCONDITIONAL: Final = Unconditional.UNCONDITIONAL
"""Makes a change unconditional.

The default isn't None, because a program that failed to find a key might pass None. The change would then lose its
condition.
"""


class Versions:
    """Stores a key's ETag for as long as the program keeps the key.

    Keys are compared by identity, because equal keys can have been read at different times.
    """

    def __init__(self) -> None:
        self._etags: dict[int, tuple[weakref.ref[Key], str]] = {}

    def __len__(self) -> int:
        return len(self._etags)

    def note(self, key: Key, etag: str | None) -> None:
        if etag is None or etag.startswith("W/"):
            return
        identity = id(key)
        self._etags[identity] = (weakref.ref(key, lambda _: self._etags.pop(identity, None)), etag)

    def etag_of(self, key: object, key_id: str) -> str:
        """Raises ValueError if the key has no ETag, or isn't the key that the call is about."""
        reference, etag = self._etags.get(id(key), (None, ""))
        known = None if reference is None else reference()
        if known is None or known is not key:
            raise ValueError(
                "if_unchanged must be a key that get_key, create_key or replace_key of this client returned: "
                "not a copy, and not one of a list."
            )
        if known.key_id != key_id:
            raise ValueError(f"if_unchanged is the key {known.key_id!r}, but the call is about {key_id!r}.")
        return etag
