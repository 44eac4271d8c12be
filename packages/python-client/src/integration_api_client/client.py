"""The client and its calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from .errors import parse_body, require_success
from .expiry import Announcer, OnTokenExpiring, warn_of_expiry
from .keys import Key, KeyCalls, key_from, keys_from
from .limit import DEFAULT_TIMEOUT_SECONDS, Limit
from .reads import UNCONDITIONAL, Reads, Unconditional, Versions
from .requests import NO_HEADERS, Requests, check_texts, checked_token
from .results import IssuedToken, Token, token_from
from .retry import RetryOptions, retrying
from .token_calls import OnConfirmation, OwnToken, TokenCalls
from .transport import Request, Response, create_transport

_KEYS_PATH = "/api/v1/key"
_TOKEN_PATH = "/api/v1/token"


class IntegrationClient(KeyCalls):
    """A client for the Integration API. Threads may share it.

    Calls raise ValidationFailed for ``422``, PreconditionFailed for ``412`` and ApiFailure for every other unsuccessful
    response. If there is no response, they raise OSError. A ``key_id`` that can't be part of a path also raises
    ValidationFailed, and nothing is sent.

    >>> client = IntegrationClient("https://integration.example.com", token)
    >>> client.create_key("1234567", v_code)
    >>> key = client.get_key("1234567")
    >>> for key in client.keys():
    ...     print(key.key_id)
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        retry: RetryOptions = RetryOptions(),
        on_token_expiring: OnTokenExpiring = warn_of_expiry,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
    ) -> None:
        """
        :param base_url: the service's address, without ``/api``
        :param token: an access token issued for this machine's address
        :param retry: what to do when the service is busy
        :param on_token_expiring: called once for each token and expiry date when the token expires within 30 days; by
            default, issues a TokenExpiringWarning
        :param timeout: the timeout of a call in seconds, including its retries; a call that takes longer raises
            TimeoutError; waiting for an admin's confirmation may take another 15 minutes
        """
        self._set_up(base_url, _TokenInMemory(base_url, token, retry, on_token_expiring, timeout), timeout)

    def _set_up(self, base_url: str, token: OwnToken, timeout: float) -> None:
        self._requests = Requests(base_url, token.value)
        self._send = token.send
        self._timeout = timeout
        self._reads = Reads(token.send, timeout)
        self._versions = Versions()
        self._token = token

    def get_key(self, key_id: str) -> Key:
        """Returns a key. Raises ApiFailure with the code ``key_not_found`` if it doesn't exist."""
        check_texts(key_id)
        read = self._reads.read(self._requests.create("GET", _path_of(key_id)), key_from)
        self._versions.note(read.result, read.etag)
        return read.result

    def delete_key(self, key_id: str, *, if_unchanged: Key | Unconditional = UNCONDITIONAL) -> None:
        """Deletes a key. With ``if_unchanged``, only if it hasn't changed since."""
        check_texts(key_id)
        condition = self._condition(key_id, if_unchanged)
        response = self._write(self._requests.create("DELETE", _path_of(key_id), condition=condition))
        if response.status != 204:
            parse_body(response, lambda body: body)

    def keys(self, *, limit: int | None = None) -> Iterator[Key]:
        """Iterates over all keys, in no particular order. Each page is requested when the iteration reaches it."""
        for page in self.pages(limit=limit):
            yield from page

    def pages(self, *, limit: int | None = None) -> Iterator[list[Key]]:
        """Iterates over the pages of the list of keys from first to last, with one call per page.

        ``limit`` is the maximum number of keys per page. Without it, a page has as many keys as fit in a response.
        """
        query: str | None = "" if limit is None else f"?limit={limit}"
        while query is not None:
            read = self._reads.read(self._requests.create("GET", _KEYS_PATH, query=query), keys_from)
            yield read.result
            query = _next_query(read.link)

    def get_token(self) -> Token:
        """Returns the service's information about this client's token. A good first call."""
        return self._reads.read(self._requests.create("GET", _TOKEN_PATH), token_from).result

    def rotate(self, *, grace_seconds: int) -> IssuedToken:
        """Replaces the token with a successor for the same address.

        The old token keeps working for ``grace_seconds``, from 0 to 604800. This client uses the successor immediately.
        Store the successor's value.
        """
        return self._token.rotate(grace_seconds)

    def move(self, *, on_confirmation: OnConfirmation) -> IssuedToken:
        """Asks an admin to confirm that this client has moved to the address that it calls from, and waits.

        ``on_confirmation`` receives each new code. Then the old token ends and this client uses its successor. Store
        the successor's value. Raises ApiFailure with the code ``not_confirmed`` if the request has expired.
        """
        return self._token.move(on_confirmation)

    def revoke(self) -> None:
        """Revokes the token. This works from any address and can't be undone."""
        self._token.revoke()

    def _create_key(self, key_id: str, form: Mapping[str, object]) -> Key:
        check_texts(key_id, form)
        return self._write_key(self._requests.create("POST", _KEYS_PATH, form={"key_id": key_id, **form}))

    def _replace_key(self, key_id: str, form: Mapping[str, object], if_unchanged: Key | Unconditional) -> Key:
        check_texts(key_id, form)
        condition = self._condition(key_id, if_unchanged)
        return self._write_key(self._requests.create("PUT", _path_of(key_id), form=form, condition=condition))

    def _write_key(self, request: Request) -> Key:
        response = self._write(request)
        key = parse_body(response, key_from)
        self._versions.note(key, response.header("ETag"))
        return key

    def _write(self, request: Request) -> Response:
        response = self._send(request, Limit(self._timeout))
        require_success(response)
        return response

    def _condition(self, key_id: str, if_unchanged: Key | Unconditional) -> Mapping[str, str]:
        if if_unchanged is UNCONDITIONAL:
            return NO_HEADERS
        return {"If-Match": self._versions.etag_of(if_unchanged, key_id)}


class OpenedClient(IntegrationClient):
    """A client that gets new tokens automatically."""

    def __init__(self, base_url: str, token: OwnToken, timeout: float) -> None:
        self._set_up(base_url, token, timeout)


class _TokenInMemory(OwnToken):
    """A client's token, kept only as long as the client exists."""

    def __init__(
        self, base_url: str, token: str, retry: RetryOptions, on_token_expiring: OnTokenExpiring, timeout: float
    ) -> None:
        self._value = checked_token(token)
        self._transport = create_transport(timeout)
        self._send_retrying = retrying(self._send, retry)
        self._calls = TokenCalls(base_url, self._transport, retry, timeout)
        self._announcer = Announcer(on_token_expiring)

    def value(self) -> str:
        return self._value

    def send(self, request: Request, limit: Limit) -> Response:
        return self._send_retrying(request, limit)

    def rotate(self, grace_seconds: int) -> IssuedToken:
        return self._replace_by(self._calls.rotate(self._value, grace_seconds))

    def move(self, on_confirmation: OnConfirmation) -> IssuedToken:
        return self._replace_by(self._calls.move(self._value, on_confirmation))

    def revoke(self) -> None:
        self._calls.revoke(self._value)

    def _send(self, request: Request, limit: Limit) -> Response:
        response = self._transport(request, limit)
        used = request.headers["X-Token"]
        # If the token has been replaced meanwhile, its expiry no longer matters.
        if used == self._value:
            self._announcer.announce(response, used)
        return response

    def _replace_by(self, issued: IssuedToken) -> IssuedToken:
        self._value = issued.token
        return issued


def _path_of(key_id: str) -> str:
    return f"{_KEYS_PATH}/{quote(key_id, safe='')}"


def _next_query(link: str | None) -> str | None:
    """Returns the query of the next page in a Link header. Ignores the rest, so a link can't lead to another host."""
    found = re.search(r'<[^>?]*(\?[!-=?-~]*)>[^<]*?;\s*rel="?next"?\s*(?:[;,]|$)', link or "")
    return None if found is None else found[1]
