"""Secrets leave no trace in a redacted text, and other text stays as it was."""

from __future__ import annotations

import string
import time
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.redaction import MARK, redact

ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "-_"


def text_of(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least)


tokens = st.one_of(
    st.builds("{}_{}".format, st.sampled_from(["ghp", "gho", "ghs", "ghu", "ghr"]), text_of(ALNUM, 36)),
    st.builds("github_pat_{}_{}".format, text_of(ALNUM, 22), text_of(ALNUM, 59)),
    st.builds("hive_{}".format, text_of(URL_SAFE, 32, 64)),
    st.builds("sk-ant-api03-{}".format, text_of(URL_SAFE, 40, 95)),
    st.builds("sk-{}{}".format, st.sampled_from(["", "proj-", "svcacct-"]), text_of(URL_SAFE, 40, 150)),
    st.builds("AIza{}".format, text_of(URL_SAFE, 35)),
    st.builds("AKIA{}".format, text_of(string.ascii_uppercase + string.digits, 16)),
)

surroundings = st.text(st.characters(exclude_categories=["Cs", "L", "N"]), max_size=20)


@given(before=surroundings, token=tokens, after=surroundings)
def test_no_token_survives_whatever_stands_around_it(before: str, token: str, after: str) -> None:
    # Punctuation that may belong to a token can be taken with it; nothing of the token may stay.
    cleaned = redact(f"{before} {token} {after}")
    assert token not in cleaned
    assert token[8:] not in cleaned
    assert MARK in cleaned


@given(before=st.text(max_size=30), secret=st.text(min_size=4, max_size=30), after=st.text(max_size=30))
def test_no_known_secret_survives_plain_or_percent_encoded(before: str, secret: str, after: str) -> None:
    if secret in MARK:
        return
    cleaned = redact(f"{before}{secret}{after} {quote(secret, safe='', errors='replace')}", [secret])
    assert secret not in cleaned.replace(MARK, "\n" if "\n" not in secret else "\t")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="@:=-_.yIKS"), max_size=200))
def test_text_that_cannot_hold_a_secret_stays_as_it_was(text: str) -> None:
    assert redact(text) == text


@given(
    st.lists(st.one_of(st.text(max_size=20), tokens, st.sampled_from(["Authorization: ", "://", "@", "\n"])))
)
def test_redacting_twice_changes_nothing_more(parts: list[str]) -> None:
    once = redact(" ".join(parts))
    assert redact(once) == once


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Authorization: token abc123", f"Authorization: {MARK}"),
        ("authorization: Bearer x.y\r\nHost: h", f"authorization: {MARK}\r\nHost: h"),
        (
            "{'Authorization': 'Basic dTpw', 'Accept': '*/*'}",
            f"{{'Authorization': '{MARK}', 'Accept': '*/*'}}",
        ),
        (r'"{\"Authorization\": \"token t0\", \"a\": 1}"', rf'"{{\"Authorization\": \"{MARK}\", \"a\": 1}}"'),
        ('curl -H "Authorization: token t0" https://h/x', f'curl -H "Authorization: {MARK}" https://h/x'),
        ("('Authorization', 'token t0')", f"('Authorization', '{MARK}')"),
        ('Authorization: Digest username="u", response="r"', f"Authorization: {MARK}"),
        ("Proxy-Authorization: Basic dTpw", f"Proxy-Authorization: {MARK}"),
        ("x-api-key: k", f"x-api-key: {MARK}"),
        ("sent Bearer abcdefghijklmnop0123", f"sent Bearer {MARK}"),
        ("https://user:pa55@host/x?y=a@b", f"https://{MARK}@host/x?y=a@b"),
        ("https://t0ken@host/x", f"https://{MARK}@host/x"),
        ("postgresql://u:p@ss@host/db", f"postgresql://{MARK}@host/db"),
        ("ssh://git@host/o/r.git", "ssh://git@host/o/r.git"),
        ("git@github.com:o/r.git", "git@github.com:o/r.git"),
        ("https://host/search?q=a@b", "https://host/search?q=a@b"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPx", f"aws_secret_access_key = {MARK}"),
        ("key AKIAABCDEFGHIJKLMNOP.", f"key {MARK}."),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b", f"a {MARK} b"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", MARK),
        ("-----BEGIN PUBLIC KEY-----\nMII", "-----BEGIN PUBLIC KEY-----\nMII"),
        ("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl end", f"{MARK} end"),
        ("the risk-assessment-of-a-long-hyphenated-name", "the risk-assessment-of-a-long-hyphenated-name"),
        ("hive_agents and hive_bench", "hive_agents and hive_bench"),
    ],
)
def test_secrets_are_taken_and_their_surroundings_kept(text: str, cleaned: str) -> None:
    assert redact(text) == cleaned


def test_a_known_secret_inside_a_longer_one_takes_nothing_less() -> None:
    assert redact("a-longer-secret, longer", ["longer", "a-longer-secret"]) == f"{MARK}, {MARK}"


def test_a_known_secret_that_overlaps_a_token_leaves_no_piece_of_either() -> None:
    token = "ghp_" + "A" * 36
    assert redact(f"pass word {token} x", [f"word ghp_{'A' * 8}"]) == f"pass {MARK} x"


@pytest.mark.parametrize("secret", ["", "a", "abc"])
def test_known_secrets_too_short_to_be_any_are_left(secret: str) -> None:
    assert redact("abcabc", [secret]) == "abcabc"


@pytest.mark.parametrize(
    "hostile",
    ["://" * 200_000, "a" * 500_000, "-----BEGIN PRIVATE KEY-----" * 20_000, "Authorization" * 40_000,
     "eyJ" * 200_000, "ghp_" * 150_000, "bearer " * 80_000, "eyJaaaaaaaaaaa." * 40_000, "sk-" * 200_000,
     "aws_secret_access_key" + " " * 500_000, b64encode(bytes(400_000)).decode()],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_text_takes_time_in_proportion_to_its_length(hostile: str) -> None:
    start = time.monotonic()
    redact(hostile)
    assert time.monotonic() - start < 5
