"""The ETags of the keys that a client has returned."""

from __future__ import annotations

import enum
import weakref
from typing import Final

from .results import Key


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
