"""A service in this process that returns scripted responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Received:
    method: str
    target: str
    headers: Message


@dataclass(frozen=True)
class ScriptedService:
    address: str
    """The host and the port."""
    received: list[Received]

    @property
    def base_url(self) -> str:
        return f"http://{self.address}"


def json_answer(body: object, **headers: str) -> Answer:
    return Answer(200, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def key_named(key_id: str) -> dict[str, str]:
    time = "2026-11-21T10:15:30.123Z"
    return {"key_id": key_id, "v_code": "v" * 64, "created_at": time, "updated_at": time}


@contextmanager
def scripted_service(*answers: Answer) -> Iterator[ScriptedService]:
    """Returns these responses in turn, then 500s."""
    remaining = list(answers)
    received: list[Received] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            received.append(Received(self.command, self.path, self.headers))
            answer = remaining.pop(0) if remaining else Answer(500)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        do_GET = do_POST = do_PUT = do_DELETE = do_CONNECT = answer

        def log_message(self, format: str, *args: object) -> None:
            """Keeps requests out of the test output."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield ScriptedService(f"127.0.0.1:{server.server_address[1]}", received)
        finally:
            server.shutdown()
            thread.join()
