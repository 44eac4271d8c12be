"""Makes the calls of a client: fills in requests, and reads responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode, urljoin

from .errors import parse_body, require_success
from .limit import Limit
from .reads import UNCONDITIONAL, Read, Reads, Unconditional, Versions
from .requests import NO_FIELDS, NO_HEADERS, Requests, as_texts, check_texts
from .token_calls import OwnToken
from .transport import Request, Response


class Record(dict[str, Any]):
    """An object that a call returned. Its version is the condition of a later change, so a copy is not the same."""


@dataclass(frozen=True)
class ResponseHead:
    """What the service sent besides the body."""

    status: int
    headers: Message


OnResponse: TypeAlias = Callable[[ResponseHead], object]


def ignore(_: ResponseHead) -> None:
    """Does nothing, because the program doesn't want to know."""


def records_in(body: object) -> object:
    """Returns JSON whose objects at the top can be the condition of a change."""
    if isinstance(body, list):
        return [Record(item) if isinstance(item, dict) else item for item in body]
    return Record(body) if isinstance(body, dict) else body


class Calls:
    """The calls that every client makes, regardless of where its token comes from."""

    def _set_up(self, base_url: str, token: OwnToken, timeout: float) -> None:
        self._requests = Requests(base_url, token.value)
        self._send = token.send
        self._timeout = timeout
        self._reads = Reads(token.send, timeout)
        self._versions = Versions()
        self._token = token

    def _call(
        self,
        method: str,
        path: str,
        result_from: Callable[[object], object] = records_in,
        *,
        parameters: Mapping[str, object] = NO_FIELDS,
        query: Mapping[str, object] = NO_FIELDS,
        form: Mapping[str, object] | None = None,
        json: Mapping[str, object] | None = None,
        if_unchanged: object = UNCONDITIONAL,
        repeatable: bool = False,
        media: str | None = None,
        redirects: bool = False,
        empty: tuple[int, ...] = (),
        on_response: OnResponse = ignore,
    ) -> object:
        """Makes a call. Returns JSON, a string, bytes, the address of a redirect, or None.

        :param path: as in the API documentation, such as ``/api/v1/key/{key_id}``
        :param repeatable: whether a repeated POST has the same effect as one
        :param media: the type of a body that is not JSON
        :param redirects: whether a ``303`` is a success
        :param empty: the statuses of responses that may have no body
        """
        request = self._request(
            method, path, parameters, query, form=form, json=json, repeatable=repeatable, if_unchanged=if_unchanged
        )

        def result_of(response: Response) -> object:
            location = response.header("Location")
            if redirects and response.status == 303 and location is not None:
                return urljoin(request.url, location)
            require_success(response)
            if response.status in (204, 205) or (response.status in empty and not response.body):
                return None
            media_type = (response.header("Content-Type") or "").split(";")[0].strip().lower()
            if media is None or media_type != media:
                return parse_body(response, result_from)
            return response.body.decode("utf-8") if media.startswith("text/") else response.body

        if method == "GET":
            read = self._reads.read(request, result_of)
        else:
            response = self._send(request, Limit(self._timeout))
            read = Read(result_of(response), response.header("ETag"), None, response)
        self._versions.note(read.result, read.etag)
        on_response(ResponseHead(read.response.status, read.response.headers))
        return read.result

    def _pages(
        self,
        path: str,
        result_from: Callable[[object], object] = records_in,
        *,
        parameters: Mapping[str, object] = NO_FIELDS,
        query: Mapping[str, object] = NO_FIELDS,
        on_response: OnResponse = ignore,
    ) -> Iterator[Any]:
        """Iterates over the pages of a list from first to last, with one call per page."""

        def result_of(response: Response) -> object:
            require_success(response)
            return parse_body(response, result_from)

        request: Request | None = self._request("GET", path, parameters, query)
        while request is not None:
            read = self._reads.read(request, result_of)
            on_response(ResponseHead(read.response.status, read.response.headers))
            yield read.result
            next_query = _next_query(read.link)
            request = None if next_query is None else self._request("GET", path, parameters, next_query)

    def _request(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, object],
        query: Mapping[str, object] | str,
        *,
        form: Mapping[str, object] | None = None,
        json: Mapping[str, object] | None = None,
        repeatable: bool = False,
        if_unchanged: object = UNCONDITIONAL,
    ) -> Request:
        check_texts(parameters, form or {})
        filled = re.sub(r"\{(\w+)\}", lambda match: quote(str(parameters[match[1]]), safe=""), path)
        text = query if isinstance(query, str) else urlencode(as_texts(query))
        return self._requests.create(
            method,
            filled,
            query=f"?{text}" if text and not text.startswith("?") else text,
            form=form,
            json=json,
            repeatable=repeatable,
            condition=self._condition(if_unchanged, parameters),
        )

    def _condition(self, if_unchanged: object, parameters: Mapping[str, object]) -> Mapping[str, str]:
        if isinstance(if_unchanged, Unconditional):
            return NO_HEADERS
        return {"If-Match": self._versions.etag_of(if_unchanged, parameters)}


def _next_query(link: str | None) -> str | None:
    """Returns the query of the next page in a Link header. Ignores the rest, so a link can't lead to another host."""
    found = re.search(r'<[^>?]*(\?[!-=?-~]*)>[^<]*?;\s*rel="?next"?\s*(?:[;,]|$)', link or "")
    return None if found is None else found[1]
