"""The calls of this service, apart from those for tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from .changes import KeyChanges, changes_from
from .keys import KEY_PATH, KEYS_PATH, Key, KeyCalls, key_from, keys_from
from .reads import UNCONDITIONAL, Unconditional

_CHANGES_PATH = "/api/v1/key/changes"


class Operations(KeyCalls):
    """The calls for keys."""

    def get_key(self, key_id: str) -> Key:
        """Returns a key. Raises ApiFailure with the code ``key_not_found`` if it doesn't exist."""
        return cast(Key, self._call("GET", KEY_PATH, key_from, parameters={"key_id": key_id}))

    def delete_key(self, key_id: str, *, if_unchanged: Key | Unconditional = UNCONDITIONAL) -> None:
        """Deletes a key. With ``if_unchanged``, only if it hasn't changed since."""
        self._call("DELETE", KEY_PATH, parameters={"key_id": key_id}, if_unchanged=if_unchanged)

    def keys(self, *, limit: int | None = None) -> Iterator[Key]:
        """Iterates over all keys, in no particular order. Each page is requested when the iteration reaches it."""
        for page in self.pages(limit=limit):
            yield from page

    def pages(self, *, limit: int | None = None) -> Iterator[list[Key]]:
        """Iterates over the pages of the list of keys from first to last, with one call per page.

        ``limit`` is the maximum number of keys per page. Without it, a page has as many keys as fit in a response.
        """
        return self._pages(KEYS_PATH, keys_from, query={"limit": limit})

    def changes(self, *, cursor: str | None = None, limit: int | None = None) -> Iterator[KeyChanges]:
        """Iterates over the pages of what has changed since a cursor, until there is no more.

        Without ``cursor``, the pages begin with a copy of all keys. Store the ``cursor`` of each page once you have applied
        the page, and continue from it later. Raises CursorExpired if that is no longer possible.
        """
        while True:
            query = {"cursor": cursor, "limit": limit}
            page = cast(KeyChanges, self._call("GET", _CHANGES_PATH, changes_from, query=query))
            yield page
            if not page.more:
                return
            cursor = page.cursor
