"""The file that keeps a token."""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .results import IssuedToken, issued_token_from


class TokenFileError(Exception):
    """A problem with the file that keeps a token. The message says what to do and never contains the token."""


_RESERVED_BYTES = 4096


@dataclass(frozen=True)
class FixedEndToken(IssuedToken):
    """A token that doesn't expire later than its predecessor, so that another rotation wouldn't help either."""


class TokenFile:
    """A file that only its owner can read, with the service's JSON.

    It always contains a complete token: the old token stays until the new one is on disk.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(path))
        self._prefix = f".{self.path.name}."

    def read(self) -> IssuedToken | None:
        """Returns the token in the file, or None if there is no file."""
        _check_folder(self.path.parent)
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise TokenFileError(f"{self.path} is not a regular file.")
        if found.st_uid != os.getuid():
            raise TokenFileError(f"{self.path} belongs to another user.")
        if found.st_mode & 0o077:
            raise TokenFileError(f"Others can read {self.path}. Run: chmod 600 {self.path}")
        token = _token_in(self.path.read_bytes())
        if token is None:
            raise TokenFileError(f"{self.path} is damaged: it does not contain a token.")
        return token

    @contextmanager
    def reserve(self) -> Iterator[Reserved]:
        """Reserves disk space before a new token is created, because a token that can't be stored is lost."""
        _check_folder(self.path.parent)
        place = self.path.parent / f"{self._prefix}{secrets.token_hex(16)}.new"
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.pwrite(handle, b" " * _RESERVED_BYTES, 0)
            os.fsync(handle)
            yield Reserved(self, handle, place)
        finally:
            os.close(handle)
            place.unlink(missing_ok=True)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        _sync_folder(self.path.parent)

    def withdraw(self, kept: Path | None = None) -> None:
        """Deletes the places that all processes have reserved so far, so that none of these can replace the file."""
        for other in self.path.parent.iterdir():
            if other.name.startswith(self._prefix) and other.name.endswith(".new") and other != kept:
                other.unlink(missing_ok=True)


@dataclass(frozen=True)
class Reserved:
    """Reserved disk space for a token."""

    file: TokenFile
    handle: int
    place: Path

    def fill(self, token: IssuedToken) -> None:
        """Writes the token to disk, but not yet to the file."""
        text = _json_of(token)
        os.pwrite(self.handle, text, 0)
        os.ftruncate(self.handle, len(text))
        os.fsync(self.handle)

    def replace(self) -> bool:
        """Withdraws all other places and replaces the file. Returns False if this place has been withdrawn."""
        self.file.withdraw(self.place)
        try:
            os.replace(self.place, self.file.path)
        except FileNotFoundError:
            return False
        _sync_folder(self.file.path.parent)
        return True


def _check_folder(folder: Path) -> None:
    """Checks that nobody else can replace the folder's files. A sticky folder, such as ``/tmp``, prevents that."""
    found = folder.stat()
    if found.st_uid not in (0, os.getuid()):
        raise TokenFileError(f"{folder} belongs to another user.")
    if found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX:
        raise TokenFileError(f"Others can write to {folder}. Run: chmod go-w {folder}")


def _sync_folder(folder: Path) -> None:
    """Syncs the folder. A rename is on disk only after that."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _token_in(text: bytes) -> IssuedToken | None:
    try:
        fields = json.loads(text)
        token = issued_token_from(fields)
        return FixedEndToken(**vars(token)) if fields.get("end_is_fixed") is True else token
    except ValueError:
        # The parser's error contains the text, so it must not become the context of another error.
        return None


def _json_of(token: IssuedToken) -> bytes:
    fields: dict[str, object] = {
        "token_id": token.token_id,
        "ip": token.ip,
        "issued_at": _text_of(token.issued_at),
        "expires_at": None if token.expires_at is None else _text_of(token.expires_at),
        **({"end_is_fixed": True} if isinstance(token, FixedEndToken) else {}),
        "token": token.token,
    }
    return f"{json.dumps(fields)}\n".encode()


def _text_of(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
