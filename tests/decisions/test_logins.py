"""Which of two logins is the newer, and whether both are one account's."""

from __future__ import annotations

import base64
import json

import pytest

from hive.contracts.backend import LoginFile
from hive.decisions.logins import MOST_BYTES, is_newer, read_login
from hive.kernel.plugins import backends


def shape(name: str) -> LoginFile:
    found = backends()[name].traits.login
    assert found is not None
    return found


CLAUDE, CODEX, GEMINI = shape("claude"), shape("codex"), shape("gemini")


def token(subject: str) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"sub": subject}).encode()).decode().rstrip("=")
    return f"e30.{claims}.sig"


def claude(expires: object = 1, organization: str = "o", refresh: str = "r") -> bytes:
    own = {"accessToken": "a", "refreshToken": refresh, "expiresAt": expires, "subscriptionType": "max"}
    return json.dumps({"claudeAiOauth": own, "organizationUuid": organization}).encode()


def codex(refreshed: str, account: str = "acc") -> bytes:
    tokens = {"access_token": "a", "refresh_token": "r", "account_id": account}
    return json.dumps({"tokens": tokens, "last_refresh": refreshed}).encode()


def gemini(expiry: int, subject: str = "7") -> bytes:
    return json.dumps(
        {"access_token": "a", "refresh_token": "r", "id_token": token(subject), "expiry_date": expiry}
    ).encode()


def test_the_later_refreshed_of_the_same_account_is_newer() -> None:
    assert is_newer(claude(2), claude(1), CLAUDE)
    assert is_newer(codex("2026-11-30T12:00:01Z"), codex("2026-11-30T12:00:00.5Z"), CODEX)
    assert is_newer(gemini(2), gemini(1), GEMINI)


def test_the_same_and_an_older_one_are_not() -> None:
    assert not is_newer(claude(1), claude(1), CLAUDE)
    assert not is_newer(claude(1), claude(2), CLAUDE)
    assert not is_newer(claude("soon"), claude(1), CLAUDE)
    assert not is_newer(claude(True), claude(0), CLAUDE)


def test_another_accounts_is_not_however_new() -> None:
    assert not is_newer(claude(2, organization="other"), claude(1), CLAUDE)
    assert not is_newer(claude(2, organization=""), claude(1), CLAUDE)
    assert not is_newer(codex("2027-01-01T00:00:00Z", "other"), codex("2026-01-01T00:00:00Z"), CODEX)
    assert not is_newer(gemini(2, "8"), gemini(1), GEMINI)


def test_a_program_that_begins_to_name_its_account_is_believed() -> None:
    assert is_newer(claude(2, organization="o"), claude(1, organization=""), CLAUDE)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xff",
        b"[" * 50_000,
        b'{"claudeAiOauth": 7}',
        claude(2, refresh=""),
        b"x" * 70_000,
    ],
)
def test_what_is_no_login_is_never_newer_and_is_not_shown(data: bytes) -> None:
    assert not is_newer(data, claude(1), CLAUDE)
    with pytest.raises(ValueError, match=r"^it ") as raised:
        read_login(data, CLAUDE)
    assert len(str(raised.value)) < 90
    assert MOST_BYTES < 70_000


@pytest.mark.parametrize("subject", ["", "e30", "e30.e30", "e30.!!.x", "e30.W10.x", "a.b.c.d"])
def test_a_token_without_claims_names_nobody(subject: str) -> None:
    data = json.dumps({"access_token": "a", "refresh_token": "r", "id_token": subject}).encode()
    assert read_login(data, GEMINI).account == ("",)
