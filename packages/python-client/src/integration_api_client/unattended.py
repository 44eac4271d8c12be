"""Runs for months without anybody's help: it lists the keys every five minutes and says what has changed.

Start it once with an invitation from an admin, and afterwards without:

    BASE_URL=https://integration.example.com TOKEN_FILE=token.json INVITATION=iti_… \
        python -m integration_api_client.unattended
"""

from __future__ import annotations

import logging
import os
import sys
import time
from datetime import datetime

from integration_api_client import (
    ApiFailure,
    Confirmation,
    IntegrationClient,
    IssuedToken,
    TokenExpiring,
    open_kept_client,
)

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stdout)
log = logging.getLogger("unattended")


def tell(confirmation: Confirmation) -> None:
    log.info("Tell an admin: the address is %s, and the code is %s.", confirmation.ip, confirmation.code)


def note(token: IssuedToken) -> None:
    log.info("The token is now %s, until %s.", token.token_id, token.expires_at or "it is rotated")


def call_for_help(expiring: TokenExpiring) -> None:
    log.warning("Help is needed before %s, when the token expires.", expiring.expires_at)


def synchronise(client: IntegrationClient, known: dict[str, datetime]) -> dict[str, datetime]:
    found = {key.key_id: key.updated_at for key in client.keys()}
    changed = sum(known.get(key_id) != updated_at for key_id, updated_at in found.items())
    log.info("%d keys: %d new or changed, %d gone", len(found), changed, len(known.keys() - found.keys()))
    return found


def main() -> None:
    if not os.environ.get("BASE_URL") or not os.environ.get("TOKEN_FILE"):
        sys.exit("Set BASE_URL and TOKEN_FILE in the environment, and INVITATION for the first start.")
    client = open_kept_client(
        os.environ["BASE_URL"],
        os.environ["TOKEN_FILE"],
        invitation=os.environ.get("INVITATION"),
        # If this machine gets another address, the program waits for an admin instead of failing.
        may_move=True,
        on_confirmation=tell,
        on_token_expiring=call_for_help,
        on_replaced=note,
    )
    known: dict[str, datetime] = {}
    # It may be killed at any moment: the file always has a complete token.
    while True:
        try:
            known = synchronise(client, known)
        except (ApiFailure, OSError) as error:
            # Whatever goes wrong, the next attempt may succeed.
            log.warning("The keys could not be read: %s", error)
        time.sleep(float(os.environ.get("INTERVAL_SECONDS", "300")))


if __name__ == "__main__":
    main()
