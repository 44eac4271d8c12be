"""What all requests have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlencode, urlsplit

from .transport import Request

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Requests:
    """Makes requests to one service, with the token that the client has at the time."""

    def __init__(self, base_url: str, token: Callable[[], str]) -> None:
        self._base_url = _checked_base_url(base_url)
        self._token = token

    def url_of(self, path: str) -> str:
        return self._base_url + path

    def get(self, path: str, url: str | None = None) -> Request:
        """Reads a path, or the page of its list that is at a URL."""
        return self._request("GET", path, NO_HEADERS, url=url)

    def write(
        self, method: str, path: str, form: Mapping[str, str] | None = None, condition: Mapping[str, str] = NO_HEADERS
    ) -> Request:
        if form is None:
            return self._request(method, path, condition)
        headers = {"Content-Type": "application/x-www-form-urlencoded", **condition}
        return self._request(method, path, headers, body=urlencode(form).encode("ascii"))

    def _request(
        self, method: str, path: str, headers: Mapping[str, str], *, url: str | None = None, body: bytes | None = None
    ) -> Request:
        common = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "integration-api-client (Python)",
            "X-Token": self._token(),
            # The service notices if something on the way has changed the path.
            "X-Sent-Path": path,
        }
        return Request(method, url or self.url_of(path), {**common, **headers}, body)


def _checked_base_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("The base URL must be an address like https://integration.example.com.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("The base URL must not contain a login, a query or a fragment.")
    return base_url.rstrip("/")


def checked_token(token: str) -> str:
    """Raises ValueError if the text is not one that can be sent."""
    # Tokens are often read from files, whose last line ends with a line feed.
    trimmed = token.strip(" \t\r\n")
    if not re.fullmatch(r"[\x20-\x7e]+", trimmed):
        # Without the text, so that a secret does not get into a log.
        raise ValueError("The token must consist of printable ASCII characters.")
    return trimmed
