"""Reads only what has changed, and remembers the versions of keys."""

from __future__ import annotations

import enum
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final, Generic

from .errors import Result
from .limit import Limit
from .transport import Request, Response, Send

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
    response: Response


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

    def read(self, request: Request, result_of: Callable[[Response], Result]) -> Read[Result]:
        remembered = self._reads.get(request.url)
        if remembered is not None:
            request = replace(request, headers={**request.headers, "If-None-Match": remembered.etag})
        response = self._send(request, Limit(self._timeout))
        link = response.header("Link")
        if response.status == 304 and remembered is not None:
            self._remember(request.url, remembered)
            # Parsed anew for each caller, so that no caller can change the cached response.
            return Read(result_of(remembered.response), remembered.etag, link or remembered.link, response)
        result = result_of(response)
        etag = response.header("ETag")
        self._remember(request.url, None if etag is None else _Remembered(etag, link, response))
        return Read(result, etag, link, response)

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

The default isn't None, because a program that failed to find an object might pass None. The change would then lose its
condition.
"""


@dataclass(frozen=True)
class _Version:
    reference: weakref.ref[object]
    etag: str
    original: Mapping[str, object]
    """The fields as they were read. The program may have modified its copy."""


class Versions:
    """Stores an object's ETag for as long as the program keeps the object.

    Objects are compared by identity, because equal objects can have been read at different times.
    """

    def __init__(self) -> None:
        self._versions: dict[int, _Version] = {}

    def __len__(self) -> int:
        return len(self._versions)

    def note(self, result: object, etag: str | None) -> None:
        if etag is None or etag.startswith("W/") or isinstance(result, (list, str, bytes)) or result is None:
            return
        identity = id(result)
        reference = weakref.ref(result, lambda _: self._versions.pop(identity, None))
        original = dict(result) if isinstance(result, dict) else dict(vars(result))
        self._versions[identity] = _Version(reference, etag, original)

    def etag_of(self, result: object, parameters: Mapping[str, object]) -> str:
        """Raises ValueError if the object has no ETag, or isn't the one that the call is about."""
        version = self._versions.get(id(result))
        if version is None or version.reference() is not result:
            raise ValueError(
                "if_unchanged must be an object that a call of this client returned: "
                "not a copy, and not an item of a list."
            )
        for name, value in parameters.items():
            known = version.original.get(name, value)
            if known != value:
                raise ValueError(f"if_unchanged is {name} {known!r}, but the call is about {name} {value!r}.")
        return version.etag
