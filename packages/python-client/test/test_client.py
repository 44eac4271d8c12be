from __future__ import annotations

import os
import pickle
import unittest
import warnings
from dataclasses import FrozenInstanceError
from unittest.mock import patch

from integration_api_client import (
    ApiFailure,
    IntegrationClient,
    PreconditionFailed,
    TokenExpiringWarning,
    ValidationFailed,
)
from scripted_service import json_answer, key_named, scripted_service


@patch.dict(os.environ, clear=True)
class TheClient(unittest.TestCase):
    def test_requests_a_page_when_the_iteration_reaches_its_first_key(self) -> None:
        first = json_answer([key_named("1"), key_named("2")], Link='<?cursor=2>; rel="next"')
        with scripted_service(first, json_answer([key_named("3")])) as service:
            keys = IntegrationClient(service.base_url, "itk_1").keys()
            requests = [len(service.received)]
            for key_id in ("1", "2", "3"):
                self.assertEqual(next(keys).key_id, key_id)
                requests.append(len(service.received))
            self.assertEqual(requests, [0, 1, 1, 2])
            with self.assertRaises(StopIteration):
                next(keys)

    def test_completes_calls_even_if_warnings_are_errors(self) -> None:
        page = json_answer([], **{"X-Token-Expires-At": "2026-12-03T10:15:30.123Z"})
        with scripted_service(page) as service, warnings.catch_warnings():
            warnings.simplefilter("error", TokenExpiringWarning)
            with self.assertLogs("integration_api_client") as logged:
                self.assertEqual(list(IntegrationClient(service.base_url, "itk_1_secret").keys()), [])
        [line] = logged.output
        self.assertIn("TokenExpiringWarning: The access token", line)
        self.assertNotIn("secret", line)

    def test_rejects_a_base_url_that_is_invalid_or_could_leak_the_token(self) -> None:
        elsewhere = ("http://user:password@a", "http://a?b=c", "http://a#b")
        for base_url in ("", "integration.example.com", "http://", "ftp://a", "file:///etc/passwd", *elsewhere):
            with self.subTest(base_url), self.assertRaises(ValueError):
                IntegrationClient(base_url, "itk_1")



@patch.dict(os.environ, clear=True)
class AResult(unittest.TestCase):
    def test_does_not_show_its_v_code_and_cannot_be_changed(self) -> None:
        with scripted_service(json_answer(key_named("1"))) as service:
            key = IntegrationClient(service.base_url, "itk_1").get_key("1")
        self.assertNotIn("vvv", repr(key))
        self.assertIn("1", repr(key))
        with self.assertRaises(FrozenInstanceError):
            key.key_id = "2"  # type: ignore[misc]

    def test_is_rejected_if_fields_are_missing_or_have_another_type(self) -> None:
        complete: dict[str, object] = {**key_named("1")}
        incomplete: list[object] = [
            {name: value for name, value in complete.items() if name != missing} for missing in complete
        ]
        times = ("soon", "2026-11-21T10:15:30.123")
        malformed: list[object] = [[], None, complete | {"v_code": 1}]
        malformed += [complete | {"created_at": time} for time in times]
        for body in [*incomplete, *malformed]:
            with self.subTest(body), scripted_service(json_answer(body)) as service:
                with self.assertRaisesRegex(ApiFailure, "^200 unknown: The response is not from this API") as raised:
                    IntegrationClient(service.base_url, "itk_1").get_key("1")
                self.assertNotIn("vvv", str(raised.exception))



class AFailure(unittest.TestCase):
    def test_can_be_pickled(self) -> None:
        for failure in (
            ApiFailure(404, "key_not_found", "There is none.", "Kf3"),
            PreconditionFailed(412, "precondition_failed", "It has changed."),
            ValidationFailed({"key_id": ["The key_id field is required."]}, "Kf3"),
        ):
            copied = pickle.loads(pickle.dumps(failure))
            self.assertIs(type(copied), type(failure))
            self.assertEqual((str(copied), vars(copied)), (str(failure), vars(failure)))
