"""Results of successful calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar


@dataclass(frozen=True)
class Expiring:
    """The service's warning about a token that expires within 30 days."""

    days: int
    """The number of whole days left."""
    rotation: str | None
    """The call that replaces the token; None if it already has a successor, or if no successor would last longer."""


@dataclass(frozen=True)
class Token:
    """The service's information about the token of a request."""

    token_id: str
    ip: str
    """The address that the token is bound to."""
    seen_ip: str
    """The address that the request came from."""
    issued_at: datetime
    expires_at: datetime | None
    """None if the token doesn't expire."""
    expiring: Expiring | None
    """None if the token doesn't expire within 30 days."""
    client: str | None
    """Whom the token belongs to, as an admin has named it; None if the token has no client."""


@dataclass(frozen=True)
class IssuedToken:
    """A new token."""

    token_id: str
    ip: str
    """The address that the token is bound to."""
    issued_at: datetime
    expires_at: datetime | None
    """None if the token doesn't expire."""
    token: str = field(repr=False)
    """The value to send in ``X-Token``. It is a secret, which the repr doesn't show."""


@dataclass(frozen=True)
class Confirmation:
    """What an admin has to confirm. Show the address and the code to someone who can pass them on to an admin."""

    ip: str
    """The address that the service saw."""
    code: str
    """The code that the admin compares with the one on their screen, such as ``K7P-4XQ``."""
    expires_at: datetime
    """When the request expires if nobody confirms it."""


# Mapping patterns ignore additional items, so fields that the service adds later do no harm.


def token_from(body: object) -> Token:
    """Reads a token's information. Raises ValueError if the body doesn't describe a token."""
    fields = Fields(body, "it does not describe a token")
    return Token(
        token_id=fields.value("token_id", str),
        ip=fields.value("ip", str),
        seen_ip=fields.value("seen_ip", str),
        issued_at=fields.time("issued_at"),
        expires_at=fields.time_or_none("expires_at"),
        expiring=_expiring_in(body),
        client=fields.optional("client", str),
    )


def issued_token_from(body: object) -> IssuedToken:
    """Reads a new token. Raises ValueError, without the secret, if the body is not a new token."""
    fields = Fields(body, "it is not a token")
    token_id, ip, token = (fields.value(name, str) for name in ("token_id", "ip", "token"))
    if not (token_id and ip and token):
        raise ValueError("it is not a token")
    return IssuedToken(token_id, ip, fields.time("issued_at"), fields.time_or_none("expires_at"), token)


def confirmation_from(body: object) -> Confirmation:
    """Reads a confirmation request. Raises ValueError if the body doesn't say what an admin has to confirm."""
    fields = Fields(body, "it does not say what to confirm")
    return Confirmation(fields.value("ip", str), fields.value("code", str), fields.time("expires_at"))


Value = TypeVar("Value", str, int, float, bool, "list[Any]")


class Fields:
    """The fields of a body. Each method raises ValueError with the problem if a field has another type."""

    def __init__(self, body: object, problem: str) -> None:
        if not isinstance(body, dict):
            raise ValueError(problem)
        self._body = body
        self._problem = problem

    def value(self, name: str, kind: type[Value], default: Value | None = None) -> Value:
        value = self._body.get(name, default)
        if type(value) is kind:
            return value
        raise ValueError(self._problem)

    def optional(self, name: str, kind: type[Value]) -> Value | None:
        return None if self._body.get(name) is None else self.value(name, kind)

    def time(self, name: str) -> datetime:
        return time_from(self.value(name, str))

    def optional_time(self, name: str) -> datetime | None:
        return None if self._body.get(name) is None else self.time(name)

    def time_or_none(self, name: str) -> datetime | None:
        """Reads a field that the service always sends, with None instead of a time that does not exist."""
        return None if self._body.get(name, "") is None else self.time(name)


def _expiring_in(body: object) -> Expiring | None:
    match body:
        case {"expiring": {"days": int(days), "rotation": str() | None as rotation}}:
            return Expiring(days, rotation)
    return None


def time_from(text: str) -> datetime:
    """Parses a time. Raises ValueError if the text is not a time with a time zone."""
    # Python 3.10 doesn't accept the letter Z.
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if time.tzinfo is None:
        raise ValueError("a time has no time zone")
    return time
