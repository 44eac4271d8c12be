"""Builds requests and rejects values that they can't carry."""

from __future__ import annotations

import json as json_format
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import urlencode, urlsplit

from .errors import ValidationFailed
from .results import IssuedToken
from .transport import Request

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
NO_FIELDS: Mapping[str, object] = MappingProxyType({})


class Requests:
    """Creates requests to a service, with the client's current token."""

    def __init__(self, base_url: str, token: Callable[[], str]) -> None:
        self._base_url = _checked_base_url(base_url)
        self._token = token

    def create(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        form: Mapping[str, object] | None = None,
        json: Mapping[str, object] | None = None,
        repeatable: bool = False,
        condition: Mapping[str, str] = NO_HEADERS,
    ) -> Request:
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "integration-api-client (Python)",
            "X-Token": self._token(),
            # The service notices if something in between has changed the path.
            "X-Sent-Path": path,
            **condition,
        }
        url = self._base_url + path + query
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            return Request(method, url, headers, urlencode(as_texts(form)).encode("ascii"), repeatable)
        if json is not None:
            headers["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
            return Request(method, url, headers, json_format.dumps(json).encode("ascii"), repeatable)
        return Request(method, url, headers, None, repeatable)


def as_texts(fields: Mapping[str, object]) -> dict[str, str]:
    """Returns the fields of a form or a query as text, without those that are None."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in fields.items()
        if value is not None
    }


def with_token(request: Request, token: IssuedToken) -> Request:
    return replace(request, headers={**request.headers, "X-Token": token.token})


def _checked_base_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("The base URL must be an address like https://integration.example.com.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("The base URL must not contain a login, a query or a fragment.")
    return base_url.rstrip("/")


def checked_token(token: str) -> str:
    """Returns the trimmed token. Raises ValueError if it can't be sent."""
    # Tokens are often read from files that end with a line feed.
    trimmed = token.strip(" \t\r\n")
    if not re.fullmatch(r"[\x20-\x7e]+", trimmed):
        # The message doesn't quote the token, so that no secret ends up in a log.
        raise ValueError("The token is empty, or has characters other than printable ASCII.")
    return trimmed


def _is_malformed(text: str) -> bool:
    """Whether the text contains half of a surrogate pair, which UTF-8 can't encode."""
    return re.search("[\ud800-\udfff]", text) is not None


_MALFORMED = (_is_malformed, "must be well-formed Unicode.")

_PATH_RULES: list[tuple[Callable[[str], bool], str]] = [
    (lambda text: text == "", "must be 1 to 255 characters."),
    _MALFORMED,
    (lambda text: re.search("[\x00-\x1f\x7f-\x9f]", text) is not None, "must not contain control characters."),
    (lambda text: "?" in text, "must not contain a question mark."),
    (lambda text: "%" in text, "must not contain a percent sign."),
    (lambda text: text in (".", ".."), "must not be one or two dots."),
]


def check_texts(parameters: Mapping[str, object], form: Mapping[str, object] = NO_FIELDS) -> None:
    """Raises ValidationFailed, with the service's messages, if the service wouldn't receive the values unchanged.

    A call for the key ``a?b`` would reach the key ``a``, because the service's gateway truncates paths.
    """
    is_malformed, malformed = _MALFORMED
    problems = {name: [malformed] if is_malformed(text) else [] for name, text in as_texts(form).items()}
    # A created key will be in a path later.
    created = {name: value for name, value in form.items() if name == "key_id"}
    for name, value in {**created, **parameters}.items():
        problems[name] = [problem for is_broken, problem in _PATH_RULES if is_broken(str(value))]
    fields = {name: [f"The {name} {problem}" for problem in found] for name, found in problems.items() if found}
    if fields:
        raise ValidationFailed(fields)
