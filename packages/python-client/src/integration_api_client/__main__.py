"""Manages a token in a file: gets, checks, replaces, moves or revokes it.

python -m integration_api_client enrol --url https://integration.example.com --file token.json
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import datetime
from functools import partial

from . import ApiFailure, Confirmation, IssuedToken, Token, TokenExpiring, TokenFileError, open_kept_client


def main() -> None:
    arguments = _parser().parse_args()
    try:
        _run(arguments)
    except (ApiFailure, TokenFileError, OSError, ValueError) as error:
        sys.exit(str(error))


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    for name, variable in (("url", "BASE_URL"), ("file", "TOKEN_FILE")):
        default = os.environ.get(variable) or None
        common.add_argument(f"--{name}", default=default, required=default is None, help=f"default: ${variable}")

    parser = argparse.ArgumentParser(
        prog="integration-api-client", description="Gets a token into a file, and checks, replaces, moves or ends it."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    enrol = commands.add_parser("enrol", parents=[common], help="gets a token with an invitation")
    enrol.add_argument("invitation", nargs="?", help="default: read from the standard input")
    commands.add_parser(
        "check", parents=[common], help="says when the token expires; replaces it if two thirds of its lifetime are over"
    )
    rotate = commands.add_parser("rotate", parents=[common], help="replaces the token")
    rotate.add_argument(
        "--grace-seconds", type=int, default=86_400, help="how long the old token keeps working; default: 86400, a day"
    )
    commands.add_parser("move", parents=[common], help="asks an admin to let the token be used from this address")
    commands.add_parser("revoke", parents=[common], help="ends the token and deletes the file")
    return parser


def _run(arguments: argparse.Namespace) -> None:
    url, file = arguments.url, arguments.file
    if arguments.command == "enrol":
        if os.path.lexists(file):
            sys.exit(f"There is a token in {file} already. Revoke it, or choose another file.")
        invitation = (arguments.invitation or sys.stdin.read()).strip()
        if not invitation:
            sys.exit("There is no invitation: write it to the standard input, or put it after enrol.")
        client = open_kept_client(url, file, invitation=invitation, on_confirmation=_tell)
        return _report(file, client.get_token())

    replaced: list[IssuedToken] = []
    client = open_kept_client(url, file, on_token_expiring=partial(_warn, file), on_replaced=replaced.append)
    match arguments.command:
        case "check":
            token = client.get_token()
            _report(file, replaced[-1] if replaced else token)
        case "rotate":
            _report(file, client.rotate(grace_seconds=arguments.grace_seconds))
        case "move":
            _report(file, client.move(on_confirmation=_tell))
        case "revoke":
            client.revoke()
            print(f"The token has ended, and {file} is deleted.")


def _tell(confirmation: Confirmation) -> None:
    print(
        f"Tell an admin: the address is {confirmation.ip}, and the code is {confirmation.code}. "
        "Waiting for the confirmation …",
        file=sys.stderr,
        flush=True,
    )


def _warn(file: str, expiring: TokenExpiring) -> None:
    advice = (
        "cannot be rotated. Put its successor there if it has one, or ask an admin for a later end or an invitation."
        if expiring.rotation is None
        else "could not be given a later end. Try again before then, or ask an admin."
    )
    print(f"The token in {file} expires at {_text_of(expiring.expires_at)} and {advice}", file=sys.stderr, flush=True)


def _text_of(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _report(file: str, token: Token | IssuedToken) -> None:
    end = "does not expire" if token.expires_at is None else f"until {_text_of(token.expires_at)}"
    print(f"{file}: token {token.token_id} for {token.ip}, {end}")


if __name__ == "__main__":
    main()
