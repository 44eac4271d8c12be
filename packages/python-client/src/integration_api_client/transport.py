"""Sends a request and receives the whole response, whatever its status."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import TypeAlias
from urllib.error import URLError
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, UnknownHandler
from urllib.request import Request as UrllibRequest


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Response:
    status: int
    headers: Message
    body: bytes

    def header(self, name: str) -> str | None:
        """The values of a header, joined by commas if there are several."""
        values = self.headers.get_all(name)
        return None if values is None else ", ".join(values)


Send: TypeAlias = Callable[[Request], Response]


def create_transport(timeout: float) -> Send:
    """Sends directly or through the proxies of the environment, as urllib does.

    Raises OSError if there is no complete response: TimeoutError after so many seconds of silence, ConnectionError if
    the connection is broken, or what the operating system reports.
    """
    opener = OpenerDirector()
    # The default opener would also follow redirects, with the token, and open files.
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), UnknownHandler()):
        opener.add_handler(handler)

    def send(request: Request) -> Response:
        prepared = UrllibRequest(request.url, request.body, dict(request.headers), method=request.method)
        try:
            with opener.open(prepared, timeout=timeout) as response:
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


def _decompress(body: bytes, headers: Message) -> bytes:
    return gzip.decompress(body) if headers.get("Content-Encoding", "").strip().lower() == "gzip" else body
