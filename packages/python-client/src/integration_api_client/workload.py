"""A client that exchanges its platform's JWT for tokens."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TypeAlias
from urllib.parse import quote

from .client import IntegrationClient, OpenedClient
from .errors import ApiFailure, refusal_in
from .limit import DEFAULT_TIMEOUT_SECONDS, Limit, result_of, start
from .requests import with_token
from .results import IssuedToken
from .retry import RetryOptions, retrying
from .token_calls import OwnToken, TokenCalls
from .transport import Request, Response, create_transport

# Gets a JWT from the platform for an audience, preferably a new one each time.
GetJwt: TypeAlias = Callable[[str], str]

# The errors that a new token may resolve.
_REMEDIABLE = ("token_expired", "token_revoked", "token_invalid", "ip_not_allowed")


def github_actions_jwt(*, timeout: float = DEFAULT_TIMEOUT_SECONDS) -> GetJwt:
    """Gets the JWT of a GitHub Actions job. Its workflow needs the permission ``id-token: write``."""

    def get(audience: str) -> str:
        advice = "Give the job permission to get JWTs, in its workflow: permissions: id-token: write"
        url = f"{_variable('ACTIONS_ID_TOKEN_REQUEST_URL', advice)}&audience={quote(audience, safe='')}"
        headers = {"Authorization": f"Bearer {_variable('ACTIONS_ID_TOKEN_REQUEST_TOKEN', advice)}"}
        response = create_transport(timeout)(Request("GET", url, headers), Limit(timeout))
        try:
            return str(json.loads(response.body)["value"])
        except (ValueError, LookupError, TypeError):
            problem = f"GitHub responded with {response.status} and without a JWT."
        # Raised outside the handler, because the parser's error contains the whole text.
        raise RuntimeError(problem)

    return get


def jwt_file(path: str | os.PathLike[str]) -> GetJwt:
    """Reads a JWT from a file each time, because the platform replaces it. Example: a projected Kubernetes token."""
    return lambda _: Path(path).read_text("utf-8", "replace")


def jwt_variable(name: str) -> GetJwt:
    """Reads a JWT from an environment variable, such as one of GitLab's ``id_tokens``."""
    return lambda _: _variable(name, "The platform puts the JWT there.")


def _variable(name: str, advice: str) -> str:
    if not (value := os.environ.get(name)):
        raise ValueError(f"The variable {name} is not set. {advice}")
    return value


@dataclass(frozen=True)
class _Held:
    """A token in memory, with its renewal and end times on the clock of time.monotonic()."""

    token: IssuedToken
    renew_at: float
    ends_at: float


@dataclass(frozen=True)
class _Renewal:
    """An exchange in its own thread. All calls that need a token wait for it."""

    result: Future[_Held]
    limit: Limit

    def is_running(self) -> bool:
        return not self.result.done() and time.monotonic() < self.limit.ends_at


class _WorkloadToken(OwnToken):
    """A workload's token. Threads may share it."""

    def __init__(self, base_url: str, jwt: GetJwt, retry: RetryOptions, timeout: float) -> None:
        self._get_jwt: Callable[[], str] = lambda: jwt(base_url.rstrip("/")).strip()
        self._timeout = timeout
        transport = create_transport(timeout)
        self._send = retrying(transport, retry)
        self._calls = TokenCalls(base_url, transport, retry, timeout)
        self._hasty_calls = TokenCalls(base_url, transport, replace(retry, attempts=1), timeout)
        self._held: _Held | None = None
        self._renewal: _Renewal | None = None
        # Never held while the thread waits for anything else.
        self._lock = Lock()

    def value(self) -> str:
        return "-"

    def send(self, request: Request, limit: Limit) -> Response:
        used = self._current(limit)
        response = self._send(with_token(request, used.token), limit)
        if refusal_in(response) not in _REMEDIABLE:
            return response
        return self._send(with_token(request, self._current(limit, refused=used).token), limit)

    def revoke(self) -> None:
        revoked = self._held
        if revoked is not None:
            self._calls.revoke(revoked.token.token)
        with self._lock:
            if self._held is revoked:
                self._held = None

    def _current(self, limit: Limit, refused: _Held | None = None) -> _Held:
        with self._lock:
            now, old = time.monotonic(), self._held
            if old is None or old is refused or now >= old.ends_at:
                (renewal, is_joined), old = self._renew(self._calls), None
            elif now < old.renew_at:
                return old
            else:
                # A failure isn't urgent, because the old token still works. The next attempt is due after half of its
                # remaining time.
                self._held = replace(old, renew_at=(now + old.ends_at) / 2)
                (renewal, is_joined), old = self._renew(self._hasty_calls), self._held
        if old is None:
            try:
                return result_of(renewal.result, min(limit, renewal.limit, key=lambda one: one.ends_at))
            except TimeoutError:
                if not is_joined or time.monotonic() >= limit.ends_at:
                    raise
            # An earlier call started the renewal, which has timed out. This call has more time.
            return self._current(limit, refused)
        try:
            # The renewal also leaves enough time for the call.
            return result_of(renewal.result, Limit(old.ends_at - now, limit).half())
        except Exception:
            return old

    def _renew(self, calls: TokenCalls) -> tuple[_Renewal, bool]:
        """Gets one new token for all calls that need it. Returns whether an earlier call had already started this.

        An exchange that takes too long is abandoned.
        """
        if self._renewal is not None and self._renewal.is_running():
            return self._renewal, True
        limit = Limit(self._timeout)
        self._renewal = _Renewal(start(lambda: self._exchange(calls, limit)), limit)
        return self._renewal, False

    def _exchange(self, calls: TokenCalls, limit: Limit) -> _Held:
        try:
            token, service_time = calls.exchange(self._get_jwt(), limit)
        except ApiFailure as failure:
            if failure.code != "jwt_used":
                raise
            token, service_time = calls.exchange(self._get_jwt(), limit)
        # The service never issues a workload a token that doesn't expire.
        end = (token.expires_at or token.issued_at).timestamp()
        ends_at = time.monotonic() + end - service_time
        new = _Held(token, ends_at - (end - token.issued_at.timestamp()) / 3, ends_at)
        with self._lock:
            # The result of an abandoned exchange must not replace a newer one.
            limit.remaining()
            self._held = new
        return new


def open_workload_client(
    base_url: str, jwt: GetJwt, *, retry: RetryOptions = RetryOptions(), timeout: float = DEFAULT_TIMEOUT_SECONDS
) -> IntegrationClient:
    """Opens a client that exchanges its platform's JWT for a token and keeps the token in memory.

    When a third of the token's lifetime is left, or when the token is rejected, the client gets a new JWT and a new
    token. It repeats a rejected call once. ``revoke`` revokes the current token. ``rotate`` and ``move`` raise
    TypeError.

    :param jwt: ``github_actions_jwt()``, ``jwt_file(path)``, ``jwt_variable(name)``, or your own function
    """
    token = _WorkloadToken(base_url, jwt, retry, timeout)
    return OpenedClient(base_url, token, timeout)
