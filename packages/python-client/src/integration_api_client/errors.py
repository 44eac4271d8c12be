"""Exceptions for unsuccessful responses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Literal, TypeVar, cast

from .error_codes import ErrorCode
from .transport import Response

Result = TypeVar("Result")

_SECRET = re.compile(r"(\bit[ki]_|eyJ)[\w.-]+", re.ASCII)
"""Matches a token, an invitation or a JWT. A proxy's error page may repeat the one from the request."""


class ApiFailure(Exception):
    """An unsuccessful response. The API documentation explains each ``code`` and what to do about it.

    Three codes don't come from the service. ``redirected`` means that the service redirected the client. ``unknown``
    means that the response did not come from this service. ``not_confirmed`` means that no admin confirmed a request in
    time.
    """

    def __init__(self, status: int, code: str, message: str, request_id: str | None = None) -> None:
        super().__init__(status, code, message, request_id)
        self.status = status
        self.code = cast(ErrorCode | Literal["redirected", "unknown", "not_confirmed"], code)
        self.message = message
        self.request_id = request_id
        """Identifies the request in the service's log. Include it when you ask for help."""

    def __str__(self) -> str:
        request = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{self.status} {self.code}: {self.message}{request}"


class ValidationFailed(ApiFailure):
    """A ``422``: the input is invalid. A retry doesn't help; ``fields`` says what to change."""

    def __init__(self, fields: dict[str, list[str]], request_id: str | None = None) -> None:
        message = " ".join(message for messages in fields.values() for message in messages)
        super().__init__(422, "validation_failed", message, request_id)
        # Copying an exception to another process calls its class with these arguments.
        self.args = (fields, request_id)
        self.fields = fields
        """The messages for each invalid field."""


class PreconditionFailed(ApiFailure):
    """A ``412``: the object passed as ``if_unchanged`` has changed since it was read. This call changed nothing."""


class CursorExpired(ApiFailure):
    """The cursor can't be continued. Begin again without one, and remove what you don't get again."""


def require_success(response: Response) -> None:
    """Raises ApiFailure unless the response is successful."""
    status, request_id = response.status, request_id_of(response)
    if 200 <= status < 300:
        return
    if 300 <= status < 400 and status != 304:
        location = response.header("Location") or "another address"
        message = f"The service redirected to {location}. Is the base URL right?"
        raise ApiFailure(status, "redirected", message, request_id)
    body = _json_in(response)
    match body:
        case dict() if status == 422 and all(isinstance(messages, list) for messages in body.values()):
            raise ValidationFailed(body, request_id)
        case {"code": "cursor_expired" as code, "message": str(message)}:
            raise CursorExpired(status, code, message, request_id)
        case {"code": str(code), "message": str(message)}:
            failure = PreconditionFailed if status == 412 else ApiFailure
            raise failure(status, code, message, request_id)
    raise unknown_response(response, _text_of(response))


def refusal_in(response: Response) -> str | None:
    """Returns the error code of a response that rejects the token."""
    if response.status not in (401, 403):
        return None
    try:
        require_success(response)
    except ApiFailure as failure:
        return failure.code
    return None


def parse_body(response: Response, result_from: Callable[[object], Result]) -> Result:
    """Returns the result in a successful response. Raises ApiFailure if it contains none."""
    body = _json_in(response)
    try:
        return result_from(body)
    except ValueError as error:
        problem = str(error)
    raise unknown_response(response, problem)


def unknown_response(response: Response, problem: str) -> ApiFailure:
    shown = _SECRET.sub(r"\1…", problem)[:200]
    message = f"The response is not from this API: {shown or 'it is empty'}. Is the base URL right?"
    return ApiFailure(response.status, "unknown", message, request_id_of(response))


def _json_in(response: Response) -> object:
    if re.match(r"application/json\b", response.header("Content-Type") or "", re.IGNORECASE) is None:
        raise unknown_response(response, _text_of(response))
    try:
        parsed: object = json.loads(response.body.decode("utf-8"))
        return parsed
    except ValueError:
        problem = "its JSON is malformed"
    # Raised outside the handler: the parser's error contains the whole body with its secrets and would become the
    # context.
    raise unknown_response(response, problem)


def _text_of(response: Response) -> str:
    return response.body.decode("utf-8", errors="replace")


def request_id_of(response: Response) -> str | None:
    return response.header("X-Request-Id") or response.header("Apigw-Requestid")
