from __future__ import annotations

import gzip
import os
import unittest
from contextlib import AbstractContextManager
from unittest.mock import patch

from integration_api_client import ApiFailure, IntegrationClient, RetryOptions
from scripted_service import Answer, json_answer, scripted_service

TOKEN = {
    "token_id": "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    "ip": "127.0.0.1",
    "seen_ip": "127.0.0.1",
    "issued_at": "2026-11-21T10:15:30.123Z",
    "expires_at": None,
}

ONCE = RetryOptions(attempts=1)


def environment(**variables: str) -> AbstractContextManager[object]:
    return patch.dict(os.environ, variables, clear=True)


class ThroughAProxyOfTheEnvironment(unittest.TestCase):
    def test_a_plain_call_is_sent_to_the_proxy(self) -> None:
        with scripted_service(json_answer(TOKEN)) as proxy, environment(http_proxy=proxy.base_url):
            IntegrationClient("http://integration.example.com", "itk_1", retry=ONCE).get_token()
            self.assertEqual(proxy.received[0].target, "http://integration.example.com/api/v1/token")

    def test_an_encrypted_call_shows_the_proxy_no_token(self) -> None:
        with scripted_service(Answer(403)) as proxy, environment(https_proxy=proxy.base_url):
            with self.assertRaises(OSError):
                IntegrationClient("https://integration.example.com", "itk_1", retry=ONCE).get_token()
            [received] = proxy.received
            self.assertEqual((received.method, received.target), ("CONNECT", "integration.example.com:443"))
            self.assertNotIn("itk_1", received.headers.as_string())
            self.assertNotIn("X-Token", received.headers)

    def test_a_redirect_by_the_proxy_is_not_followed(self) -> None:
        with scripted_service() as elsewhere:
            redirect = Answer(302, headers={"Location": elsewhere.base_url})
            with scripted_service(redirect) as proxy, environment(https_proxy=proxy.base_url):
                with self.assertRaises(OSError):
                    IntegrationClient("https://integration.example.com", "itk_1", retry=ONCE).get_token()
            with scripted_service(redirect) as proxy, environment(http_proxy=proxy.base_url):
                with self.assertRaisesRegex(ApiFailure, "redirected"):
                    IntegrationClient("http://integration.example.com", "itk_1", retry=ONCE).get_token()
            self.assertEqual(elsewhere.received, [])

    def test_hosts_in_no_proxy_are_called_directly(self) -> None:
        with scripted_service() as proxy, scripted_service(json_answer(TOKEN)) as service:
            with environment(http_proxy=proxy.base_url, no_proxy="127.0.0.1"):
                IntegrationClient(service.base_url, "itk_1", retry=ONCE).get_token()
            self.assertEqual(len(service.received), 1)
            self.assertEqual(proxy.received, [])


class ACompressedResponse(unittest.TestCase):
    def test_is_rejected_if_it_is_truncated_or_damaged(self) -> None:
        body = json_answer(TOKEN).body
        compressed = gzip.compress(body)
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        damaged = (compressed[:-8] + bytes(8), compressed[:10] + b"\x07" + compressed[11:])
        for response in (compressed[:-1], compressed[:-8], compressed[:20], body, *damaged):
            with self.subTest(response), scripted_service(Answer(200, response, headers)) as service, environment():
                with self.assertRaises(OSError):
                    IntegrationClient(service.base_url, "itk_1", retry=ONCE).get_token()


