"""Reads what is not already known, and remembers the versions of the keys that were read."""

from __future__ import annotations

import enum
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final, Generic

from .errors import Result, parse_body, require_success
from .limit import Limit
from .results import Key
from .transport import Request, Response, Send

_MAXIMUM_BODIES = 100
_MAXIMUM_BYTES = 16 * 1024**2


@dataclass(frozen=True)
class Remembered:
    etag: str
    link: str | None
    """The ``Link`` header."""
    response: Response


class Memory:
    """Remembers reads by their URL. When it is full, it forgets those that were not used for longest."""

    def __init__(self) -> None:
        self._size = 0
        self._reads: OrderedDict[str, Remembered] = OrderedDict()
        # The threads of a program may share a client.
        self._lock = Lock()

    def recall(self, url: str) -> Remembered | None:
        with self._lock:
            if url in self._reads:
                self._reads.move_to_end(url)
            return self._reads.get(url)

    def remember(self, url: str, read: Remembered) -> None:
        with self._lock:
            self._forget(url)
            if len(read.response.body) > _MAXIMUM_BYTES:
                return
            self._reads[url] = read
            self._size += len(read.response.body)
            while len(self._reads) > _MAXIMUM_BODIES or self._size > _MAXIMUM_BYTES:
                self._forget(next(iter(self._reads)))

    def forget(self, url: str) -> None:
        with self._lock:
            self._forget(url)

    def _forget(self, url: str) -> None:
        forgotten = self._reads.pop(url, None)
        if forgotten is not None:
            self._size -= len(forgotten.response.body)


@dataclass(frozen=True)
class Read(Generic[Result]):
    result: Result
    etag: str | None
    link: str | None
    """The ``Link`` header."""


class Reads:
    """Makes ``GET`` calls. What has not changed since it was last read does not cross the network again."""

    def __init__(self, send: Send, timeout: float) -> None:
        self._send = send
        self._timeout = timeout
        self._memory = Memory()

    def read(self, request: Request, result_from: Callable[[object], Result]) -> Read[Result]:
        remembered = self._memory.recall(request.url)
        if remembered is not None:
            request = replace(request, headers={**request.headers, "If-None-Match": remembered.etag})
        response = self._send(request, Limit(self._timeout))
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


class Unconditional(enum.Enum):
    UNCONDITIONAL = enum.auto()


UNCONDITIONAL: Final = Unconditional.UNCONDITIONAL
"""A change that does not depend on what the key is now.

The default is not None, so that a key that a program failed to find does not turn a conditional change into an
unconditional one.
"""


class Versions:
    """Remembers the ETag of a key for as long as the program keeps the key.

    It goes by identity, because keys that are equal can have been read at different times.
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
        """Raises ValueError if the key has no ETag, or is another one than the call is about."""
        reference, etag = self._etags.get(id(key), (None, ""))
        if not isinstance(key, Key) or reference is None or reference() is not key:
            raise ValueError(
                "if_unchanged must be a key that get_key, create_key or replace_key of this client returned: "
                "not a copy, and not one of a list."
            )
        if key.key_id != key_id:
            raise ValueError(f"if_unchanged is the key {key.key_id!r}, but the call is about {key_id!r}.")
        return etag
