from __future__ import annotations

import json
import os
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from email.message import Message
from pathlib import Path
from unittest.mock import Mock, patch

from integration_api_client import ApiFailure, IssuedToken, RetryOptions, enrol, open_kept_client
from integration_api_client.expiry import Announcer
from integration_api_client.kept_token import KeptToken, Renewal, replace_token
from integration_api_client.limit import Limit
from integration_api_client.results import issued_token_from
from integration_api_client.token_file import TokenFile
from integration_api_client.transport import Request, Response
from integration_api_client.workload import _WorkloadToken
from scripted_service import Answer, json_answer, key_named, scripted_service

ISSUED = {
    "token_id": "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    "ip": "127.0.0.1",
    "issued_at": "2026-11-21T10:15:30.123Z",
    "expires_at": None,
    "token": "itk_secret",
}
OLD = {**ISSUED, "issued_at": "2020-01-01T00:00:00.000Z", "expires_at": "2027-12-31T00:00:00.000Z", "token": "itk_old"}
JSON = {"Content-Type": "application/json"}


@contextmanager
def token_file(token: object) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "token.json"
        path.write_text(json.dumps(token))
        path.chmod(0o600)
        yield path


@patch.dict(os.environ, clear=True)
class ANewToken(unittest.TestCase):
    def test_is_not_got_if_the_callback_cannot_tell_the_code(self) -> None:
        body = {"ip": "127.0.0.1", "code": "K7P-4XQ", "expires_at": "2099-01-01T00:00:00Z"}

        def failing(confirmation: object) -> None:
            raise RuntimeError("The message was not sent.")

        with scripted_service(Answer(202, json.dumps(body).encode(), JSON)) as service:
            with self.assertRaisesRegex(RuntimeError, "not sent"):
                enrol(service.base_url, "iti_1", on_confirmation=failing)

    def test_is_refused_without_a_cause_that_contains_it(self) -> None:
        with scripted_service(json_answer({**ISSUED, "issued_at": "itk_secret"})) as service:
            with self.assertRaises(ApiFailure) as raised:
                enrol(service.base_url, "iti_1", on_confirmation=print)
        self.assertIsNone(raised.exception.__context__)


@patch.dict(os.environ, clear=True)
class ATokenInAFile(unittest.TestCase):
    def test_is_used_if_another_process_has_stored_it_and_no_other_one_is_asked_for(self) -> None:
        with token_file(ISSUED) as path:
            file, ask = TokenFile(path), Mock()
            stored = file.read()
            for known in (replace(stored, token="itk_old") if stored else None, None):
                self.assertEqual(replace_token(file, known, ask, ask), stored)
            ask.assert_not_called()

    def test_reports_to_the_log_if_it_is_not_replaced(self) -> None:
        with token_file(OLD) as path:
            refusal = Answer(409, b'{"code":"token_already_rotated","message":"It has a successor."}', JSON)
            with scripted_service(json_answer(key_named("1")), refusal) as service:
                with self.assertLogs("integration_api_client") as logged:
                    open_kept_client(service.base_url, path).get_key("1")
        [line] = logged.output
        self.assertIn("The token was not replaced: 409 token_already_rotated", line)
        self.assertNotIn("itk_old", line)

    def test_is_rotated_after_a_call_within_half_of_the_time_that_the_call_has_left(self) -> None:
        limits: list[Limit] = []

        def rotate(_: str, limit: Limit) -> IssuedToken:
            limits.append(limit)
            raise TimeoutError

        renewal = Renewal(lambda *_: True, rotate, None, Announcer(print), Mock(), Mock())
        call = Limit(60.0)
        with token_file(OLD) as path:
            token = KeptToken(
                issued_token_from(OLD), TokenFile(path), lambda *_: Response(200, Message(), b""), Mock(), renewal, 600.0
            )
            token.send(Request("GET", "http://127.0.0.1:1", {}), call)
        [limit] = limits
        self.assertLess(limit.ends_at, call.ends_at - 20)


class TheTokenOfAWorkload(unittest.TestCase):
    def test_is_not_replaced_by_an_exchange_that_was_given_up(self) -> None:
        lifetime = {"issued_at": "2026-11-21T10:15:30.123Z", "expires_at": "2026-11-22T10:15:30.123Z"}
        late, newer = (issued_token_from({**ISSUED, **lifetime, "token": f"itk_{name}"}) for name in ("late", "newer"))
        token, calls = _WorkloadToken("http://127.0.0.1:1", lambda _: "eyJ1", RetryOptions(), 60.0), Mock()
        for issued, limit in ((newer, Limit(60.0)), (late, Limit(0.0))):
            calls.exchange.return_value = (issued, issued.issued_at.timestamp())
            with suppress(TimeoutError):
                token._exchange(calls, limit)

        self.assertIs(token._current(Limit(60.0)).token, newer)
