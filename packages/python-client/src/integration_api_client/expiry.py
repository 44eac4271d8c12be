"""Notifies the user that a token expires soon."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import TypeAlias

from .results import time_from
from .transport import Response

_logger = logging.getLogger("integration_api_client")


@dataclass(frozen=True)
class TokenExpiring:
    """The service's warning about a token that expires within 30 days."""

    expires_at: datetime
    rotation: str | None
    """The call that replaces the token; None if it already has a successor, or if no successor would last longer."""


OnTokenExpiring: TypeAlias = Callable[[TokenExpiring], object]


class TokenExpiringWarning(UserWarning):
    """Warns that the token expires within 30 days."""


def warn_of_expiry(expiring: TokenExpiring) -> None:
    """The default notification."""
    if expiring.rotation is None:
        advice = "Switch to its successor before then, or ask an admin for a later end."
    else:
        advice = "Call rotate() before then, and store the new token."
    end = f"{expiring.expires_at:%Y-%m-%d %H:%M} UTC"
    warnings.warn(f"The access token for the Integration API expires at {end}. {advice}", TokenExpiringWarning)


def announced_end(response: Response) -> datetime | None:
    """Returns the expiry date that a response announces; None if the header is missing or unreadable."""
    text = response.header("X-Token-Expires-At") or ""
    if not re.fullmatch(r"[0-9-]{10}T[0-9:]{8}(\.[0-9]+)?Z", text):
        return None
    try:
        return time_from(text)
    except ValueError:
        return None


class Announcer:
    """Notifies the user of the expiry date in responses, once for each token and date."""

    def __init__(self, tell: OnTokenExpiring) -> None:
        self._tell = tell
        self._told: tuple[str, datetime] | None = None
        # Several threads may share a client.
        self._lock = Lock()

    def announce(self, response: Response, token: str) -> None:
        expires_at = announced_end(response)
        if expires_at is None:
            return
        with self._lock:
            if self._told == (token, expires_at):
                return
            self._told = (token, expires_at)
        try:
            self._tell(TokenExpiring(expires_at, response.header("X-Token-Rotation")))
        except Exception:
            # The call has already succeeded, or failed for a different reason.
            _logger.exception("on_token_expiring failed")
