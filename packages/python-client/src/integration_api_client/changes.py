"""What has changed since a cursor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .keys import Key, key_from
from .results import Fields


@dataclass(frozen=True)
class DeletedKey:
    """A key that was deleted."""

    key_id: str
    deleted_at: datetime


@dataclass(frozen=True)
class KeyChanges:
    """A page of what has changed since a cursor, each key's last change once."""

    changed: list[Key]
    """The keys that were created or replaced, as they are now."""
    deleted: list[DeletedKey]
    cursor: str
    """Where the next page begins. Store it once you have applied this page."""
    more: bool
    """Whether there may be more changes already."""


def changes_from(body: object) -> KeyChanges:
    """Reads a page of changes. Raises ValueError if the body is not one."""
    fields = Fields(body, "it is not a page of changes")
    deleted = [Fields(item, "it is not a deleted key") for item in fields.value("deleted", list)]
    return KeyChanges(
        changed=[key_from(item) for item in fields.value("changed", list)],
        deleted=[DeletedKey(one.value("key_id", str), one.time("deleted_at")) for one in deleted],
        cursor=fields.value("cursor", str),
        more=fields.value("more", bool),
    )
