"""Keeps a token in a file and replaces it in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Lock
from typing import TypeAlias

from .errors import ApiFailure, refusal_in
from .expiry import Announcer, announced_end
from .limit import CONFIRMATION_SECONDS, Limit, held
from .requests import with_token
from .results import IssuedToken
from .retry import service_time
from .token_calls import OnConfirmation, OwnToken, TokenCalls
from .token_file import FixedEndToken, TokenFile, TokenFileError
from .transport import Request, Response, Send

Ask: TypeAlias = Callable[[str, Limit], IssuedToken]

_FIRST_PAUSE_SECONDS = 60.0
_LONGEST_PAUSE_SECONDS = 60.0 * 60
_DAY_SECONDS = 24 * 60 * 60


def replace_token(
    file: TokenFile, known: IssuedToken | None, ask: Callable[[], IssuedToken], revoke: Callable[[str], None]
) -> IssuedToken:
    """Stores the token that ``ask`` returns in place of the known token, if any.

    Wait for this to return before you use the result: until the new token's first use, the service returns the same
    token to a repeated call, whether after a crash or from another process. If another process has replaced the known
    token, that process's token is the result.

    A process never overwrites a newer token, even if it is paused between two steps. It makes a reservation before it
    checks that the file still has the known token. A newer token is stored only after the successor was in the file,
    and the process that stores it first cancels all earlier reservations.
    """

    def is_known(stored: IssuedToken | None) -> bool:
        return (stored and stored.token) == (known and known.token)

    def by_another() -> IssuedToken | None:
        stored = file.read()
        if stored is None and known is not None:
            raise TokenFileError(f"{file.path} has been deleted, so a new token cannot be stored.")
        return None if is_known(stored) else stored

    issued: IssuedToken | None = None
    try:
        while True:
            replaced = by_another()
            if replaced is not None:
                return replaced
            with file.reserve() as place:
                issued = ask()
                if known is not None and not _ends_later(issued, known.expires_at):
                    issued = FixedEndToken(**vars(issued))
                place.fill(issued)
                meanwhile = by_another()
                if meanwhile is not None:
                    return meanwhile
                if place.replace():
                    return issued
    except Exception as error:
        stored = file.read()
        if stored is not None and not is_known(stored):
            return stored
        # The old token has been revoked, so its successor must not keep working.
        is_revoked = stored is None or (isinstance(error, ApiFailure) and error.code == "token_revoked")
        if known is not None and issued is not None and is_revoked:
            revoke(issued.token)
        raise


@dataclass(eq=False, repr=False)
class KeptToken(OwnToken):
    """A token in a file. Threads and processes may share it."""

    current: IssuedToken
    file: TokenFile
    send_retrying: Send
    calls: TokenCalls
    timeout: float
    may_move: bool
    grace_seconds: int
    maximum_age_days: float
    on_confirmation: OnConfirmation
    announcer: Announcer
    on_replaced: Callable[[IssuedToken], object]
    on_problem: Callable[[Exception], object]
    _lock: Lock = field(default_factory=Lock)
    _pause_seconds: float = _FIRST_PAUSE_SECONDS
    _paused_until: float = 0.0

    def value(self) -> str:
        return self.current.token

    def send(self, request: Request, limit: Limit) -> Response:
        """Sends a request. If its token is rejected and can be replaced, sends the request again."""
        used = self.current
        response = self.send_retrying(with_token(request, used), limit)
        refusal = refusal_in(response)
        if refusal is not None:
            if not self._renew(used, self._remedy_for(refusal), limit):
                return response
            return self.send_retrying(with_token(request, self.current), limit)
        # The service is busy or failing. Rotations can wait until it has recovered.
        if response.status == 429 or response.status >= 500:
            return response
        end = _end_of(used, response)
        is_offered = response.header("X-Token-Rotation") is not None
        counted = None if isinstance(used, FixedEndToken) and not is_offered else end
        is_due = self._is_due(used.issued_at, counted, service_time(response))
        # No offer: the token has a successor, maybe in the file, or an expiry date that only an admin can change.
        if not is_due and (is_offered or announced_end(response) is None):
            return response
        # The call has succeeded, so a slow rotation must not make it fail.
        try:
            is_replaced = self._renew(used, self._rotate if is_due else None, limit.half())
        except TimeoutError:
            is_replaced = False
        if not is_replaced or not _ends_later(self.current, end):
            self.announcer.announce(response, self.current.token)
        return response

    def rotate(self, grace_seconds: int) -> IssuedToken:
        limit = Limit(self.timeout)
        return self._replace(lambda token: self.calls.rotate(token, grace_seconds, limit), limit)

    def move(self, on_confirmation: OnConfirmation) -> IssuedToken:
        limit = Limit(self.timeout + CONFIRMATION_SECONDS)
        return self._replace(lambda token: self.calls.move(token, on_confirmation, limit), limit)

    def revoke(self) -> None:
        limit = Limit(self.timeout)
        with held(self._lock, limit):
            while True:
                self._use(self.file.read() or self.current)
                self.calls.revoke(self.current.token, limit)
                self.file.withdraw()
                # From now on nobody can store a successor, but one may have been stored before the token was revoked.
                stored = self.file.read()
                if stored is None or stored.token == self.current.token:
                    return self.file.remove()

    def _replace(self, ask: Callable[[str], IssuedToken], limit: Limit) -> IssuedToken:
        """Replaces the token currently in the file."""
        with held(self._lock, limit):
            self._use(self.file.read() or self.current)
            self._use(replace_token(self.file, self.current, lambda: ask(self.current.token), self.calls.revoke))
            return self.current

    def _renew(self, used: IssuedToken, ask: Ask | None, limit: Limit) -> bool:
        """Adopts another process's token or asks for a new one, less often after failures.

        Returns whether it obtained a token.
        """
        with held(self._lock, limit):
            try:
                if self.current.token == used.token:
                    self._use(self.file.read() or used)
                if self.current.token != used.token:
                    return True
                if ask is None or time.monotonic() < self._paused_until:
                    return False
                self._use(replace_token(self.file, used, partial(ask, used.token, limit), self.calls.revoke))
                self._pause_seconds = _FIRST_PAUSE_SECONDS
                return True
            except Exception as error:
                self._paused_until = time.monotonic() + self._pause_seconds
                self._pause_seconds = min(self._pause_seconds * 2, _LONGEST_PAUSE_SECONDS)
                problem = error
        # Other calls don't wait for the callback.
        self.on_problem(problem)
        return False

    def _use(self, token: IssuedToken) -> None:
        if token.token != self.current.token:
            self.current = token
            self.on_replaced(token)

    def _is_due(self, issued_at: datetime, expires_at: datetime | None, now: float) -> bool:
        """Whether a token should be rotated at a time on the service's clock."""
        issued = issued_at.timestamp()
        if expires_at is None:
            return now >= issued + self.maximum_age_days * _DAY_SECONDS
        return now >= issued + (expires_at.timestamp() - issued) * 2 / 3

    def _rotate(self, token: str, limit: Limit) -> IssuedToken:
        return self.calls.rotate(token, self.grace_seconds, limit)

    def _move(self, token: str, limit: Limit) -> IssuedToken:
        return self.calls.move(token, self.on_confirmation, limit)

    def _remedy_for(self, refusal: str) -> Ask | None:
        return {"token_expired": self._repeat_lost, "ip_not_allowed": self._move if self.may_move else None}.get(refusal)

    def _repeat_lost(self, token: str, limit: Limit) -> IssuedToken:
        """Handles a lost response to a rotation or move: repeating the call returns the same successor."""
        try:
            return self._rotate(token, limit)
        except ApiFailure:
            if not self.may_move:
                raise
        return self._move(token, limit)


def _end_of(token: IssuedToken, response: Response) -> datetime | None:
    """Returns the end of a token. An admin may have brought it forward since the token was stored."""
    ends = [end for end in (token.expires_at, announced_end(response)) if end is not None]
    return min(ends, default=None)


def _ends_later(token: IssuedToken, end: datetime | None) -> bool:
    """Whether a successor expires later. It doesn't if an admin has brought the old token's expiry forward."""
    return token.expires_at is None or (end is not None and token.expires_at > end)
