from __future__ import annotations

import inspect
import os
import socket
import tempfile
import unittest
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch

import integration_api_client
from integration_api_client import (
    Confirmation,
    IntegrationClient,
    RetryOptions,
    enrol,
    open_kept_client,
    open_workload_client,
)
from integration_api_client.limit import Limit
from integration_api_client.token_calls import confirmed
from integration_api_client.transport import Request, Response, create_transport
from scripted_service import json_answer, scripted_service

CALLS: dict[str, Callable[[IntegrationClient], object]] = {
    "create_key": lambda client: client.create_key("1", "v"),
    "get_key": lambda client: client.get_key("1"),
    "replace_key": lambda client: client.replace_key("1", "v"),
    "delete_key": lambda client: client.delete_key("1"),
    "keys": lambda client: list(client.keys()),
    "pages": lambda client: list(client.pages()),
    "get_token": lambda client: client.get_token(),
    "rotate": lambda client: client.rotate(grace_seconds=0),
    "move": lambda client: client.move(on_confirmation=print),
    "revoke": lambda client: client.revoke(),
}
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "enrol": lambda url: enrol(url, "iti_1", on_confirmation=print, timeout=0.3),
    "open_kept_client": lambda url: _open_kept(url),
    "open_workload_client": lambda url: open_workload_client(url, lambda _: "eyJ1", timeout=0.3).get_token(),
}


def _open_kept(url: str) -> object:
    with tempfile.TemporaryDirectory() as folder:
        return open_kept_client(url, Path(folder) / "token.json", invitation="iti_1", timeout=0.3)


@contextmanager
def stalling_service(first: bytes, dripping: bytes) -> Iterator[tuple[str, list[Event]]]:
    """Accepts connections, and sends the first bytes and then the others again and again; notes when each is closed."""
    closed: list[Event] = []

    def stall(connection: socket.socket, gone: Event) -> None:
        with connection:
            connection.recv(65536)
            connection.sendall(first)
            connection.settimeout(0.02)
            while True:
                try:
                    if dripping:
                        connection.sendall(dripping)
                    if connection.recv(65536) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
        gone.set()

    def accept(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            closed.append(Event())
            Thread(target=stall, args=(connection, closed[-1]), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=accept, args=(listener,), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", closed


HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
STALLS = {
    "no response": (b"", b""),
    "headers that stall": (HEADERS, b""),
    "headers that drip": (HEADERS + b"X-A: ", b"a"),
    "a body that stalls": (HEADERS + b"\r\n[", b""),
    "a body that drips": (HEADERS + b"\r\n[", b" "),
}


@patch.dict(os.environ, clear=True)
class EveryOperation(unittest.TestCase):
    def test_is_tried_here(self) -> None:
        self.assertEqual(set(CALLS), {name for name in vars(IntegrationClient) if not name.startswith("_")})
        functions = {
            name for name in integration_api_client.__all__ if inspect.isfunction(getattr(integration_api_client, name))
        }
        self.assertEqual(set(FUNCTIONS), {name for name in functions if "jwt" not in name})

    def test_ends_after_its_limit_and_closes_its_connection(self) -> None:
        for stall, (first, dripping) in STALLS.items():
            with stalling_service(first, dripping) as (url, closed):
                with ThreadPoolExecutor(len(CALLS) + len(FUNCTIONS)) as threads:
                    futures = {
                        name: threads.submit(call, IntegrationClient(url, "itk_1", timeout=0.3))
                        for name, call in CALLS.items()
                    }
                    futures |= {name: threads.submit(function, url) for name, function in FUNCTIONS.items()}
                for name, future in futures.items():
                    with self.subTest(name, stall=stall):
                        self.assertIsInstance(future.exception(), TimeoutError)
                for gone in closed:
                    self.assertTrue(gone.wait(20), "a connection was still open after 20 seconds")

    def test_gives_its_last_attempt_only_the_time_that_is_left(self) -> None:
        with stalling_service(b"", b"") as (url, _), self.assertRaisesRegex(TimeoutError, "within 0.2 seconds"):
            create_transport(5.0)(Request("GET", url, {}), Limit(0.2))

    def test_has_a_limit_of_two_minutes_by_default(self) -> None:
        asked: list[float] = []

        def send(limit: Limit) -> None:
            asked.append(limit.remaining())
            raise ConnectionRefusedError

        with patch("integration_api_client.transport.run_within", lambda limit, _: send(limit)):
            for name, call in CALLS.items():
                with self.subTest(name), self.assertRaises(ConnectionRefusedError):
                    call(IntegrationClient("http://127.0.0.1:1", "itk_1", retry=RetryOptions(attempts=1)))
        self.assertEqual([round(seconds, -1) for seconds in asked], [120] * len(CALLS))


@patch.dict(os.environ, clear=True)
class TheEndOfAProgram(unittest.TestCase):
    def test_allows_calls_although_python_starts_no_more_threads(self) -> None:
        refusal = RuntimeError("can't create new thread at interpreter shutdown")
        with scripted_service(json_answer([])) as service, patch("integration_api_client.limit.Thread") as thread:
            thread.return_value.start.side_effect = refusal
            self.assertEqual(list(IntegrationClient(service.base_url, "itk_1").keys()), [])


class ACallbackThatNeverReturns(unittest.TestCase):
    def test_does_not_keep_its_call_from_ending(self) -> None:
        body = {"ip": "127.0.0.1", "code": "K7P-4XQ", "expires_at": "2099-01-01T00:00:00Z"}
        answer = json_answer(body)

        def send(_: Request, __: Limit) -> Response:
            headers = Message()
            headers["Content-Type"] = "application/json"
            return Response(202, headers, answer.body)

        def stuck(_: Confirmation) -> None:
            Event().wait()

        with self.assertRaises(TimeoutError):
            confirmed(send, Request("POST", "http://127.0.0.1:1", {}), Limit(0.2), stuck, 5.0, lambda _: None)
