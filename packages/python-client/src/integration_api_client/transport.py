"""Sends a request and receives the complete response, whatever its status."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SHUT_RDWR, socket
from typing import Any, TypeAlias
from urllib.error import URLError
from urllib.request import AbstractHTTPHandler, HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, UnknownHandler
from urllib.request import Request as UrllibRequest

from .limit import Limit, run_within


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    repeatable: bool = False
    """Whether a repeated POST has the same effect as one."""


@dataclass(frozen=True)
class Response:
    status: int
    headers: Message
    body: bytes

    def header(self, name: str) -> str | None:
        """Returns the values of a header, joined by commas if there are several."""
        values = self.headers.get_all(name)
        return None if values is None else ", ".join(values)


Send: TypeAlias = Callable[[Request, Limit], Response]


class _Sent(UrllibRequest):
    """A request whose connection another thread can close."""

    socket: socket | None = None

    def close(self) -> None:
        if self.socket is not None:
            try:
                self.socket.shutdown(SHUT_RDWR)
            except OSError:
                """The connection is already closed."""


class _Noting(AbstractHTTPHandler):
    """Records a request's connection as soon as it exists."""

    def do_open(self, http_class: Any, req: UrllibRequest, **options: Any) -> HTTPResponse:
        def create(*words: Any, **more: Any) -> HTTPConnection:
            connection: HTTPConnection = http_class(*words, **more)
            connect = connection.connect

            def connect_and_note() -> None:
                connect()
                if isinstance(req, _Sent):
                    req.socket = connection.sock

            setattr(connection, "connect", connect_and_note)
            return connection

        return super().do_open(create, req, **options)


class _NotingHTTPHandler(_Noting, HTTPHandler):
    """Handles http."""


class _NotingHTTPSHandler(_Noting, HTTPSHandler):
    """Handles https."""


def create_transport(timeout: float) -> Send:
    """Sends directly or through the environment's proxies, like urllib.

    Raises OSError if there is no complete response: TimeoutError after the given seconds or at the call's time limit,
    ConnectionError if the connection breaks, or the operating system's error.
    """
    opener = OpenerDirector()
    # The default opener would also follow redirects with the token, and open files.
    for handler in (ProxyHandler(), _NotingHTTPHandler(), _NotingHTTPSHandler(), UnknownHandler()):
        opener.add_handler(handler)

    def send(request: Request, limit: Limit) -> Response:
        own = Limit(timeout, limit)
        prepared = _Sent(request.url, request.body, dict(request.headers), method=request.method)
        try:
            # A socket timeout would restart with each byte, and doesn't cover the DNS lookup.
            return run_within(own, lambda: receive(prepared, own))
        finally:
            prepared.close()

    def receive(prepared: _Sent, limit: Limit) -> Response:
        try:
            with opener.open(prepared, timeout=min(limit.remaining(), _LONGEST_TIMEOUT_SECONDS)) as response:
                return Response(response.status, response.headers, _decompress(response.read(), response.headers))
        except URLError as error:
            if isinstance(error.reason, OSError):
                raise error.reason from None
            raise
        except OSError:
            raise
        except (HTTPException, EOFError, zlib.error) as error:
            raise ConnectionError("The response is incomplete or damaged.") from error

    return send


_LONGEST_TIMEOUT_SECONDS = 1_000_000.0
"""A cap on timeouts, because sockets reject very long ones, such as those without a limit."""


def _decompress(body: bytes, headers: Message) -> bytes:
    return gzip.decompress(body) if headers.get("Content-Encoding", "").strip().lower() == "gzip" else body
