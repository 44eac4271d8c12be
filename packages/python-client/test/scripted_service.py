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


def json_answer(body: object, **headers: str) -> Answer:
    return Answer(200, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def key_named(key_id: str) -> dict[str, str]:
    time = "2026-11-21T10:15:30.123Z"
    return {"key_id": key_id, "v_code": "v" * 64, "created_at": time, "updated_at": time}


class ScriptedService(ThreadingHTTPServer):
    """Returns its responses in turn, then 500s."""

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.server_address[1]}"
        self.answers = answers
        self.received: list[Received] = []


class Handler(BaseHTTPRequestHandler):
    server: ScriptedService

    def answer(self) -> None:
        self.server.received.append(Received(self.command, self.path, self.headers))
        answer = self.server.answers.pop(0) if self.server.answers else Answer(500)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_PUT = do_DELETE = do_CONNECT = answer

    def log_message(self, format: str, *args: object) -> None:
        """Keeps requests out of the test output."""


@contextmanager
def scripted_service(*answers: Answer) -> Iterator[ScriptedService]:
    with ScriptedService(list(answers)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
