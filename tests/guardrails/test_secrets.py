"""Credentials in what is published are refused and never repeated."""

from __future__ import annotations

import pytest

from hive.contracts.guardrail import CUT_OFF
from hive.facts.autonomy import Action
from tests.guardrails.proposals import comment, installed, log, push, said

# Put together here, so that this file holds none.
SECRETS = {
    "a GitHub token": "ghp_" + "a1B2" * 9,
    "a token of hive's": "hive_" + "x" * 43,
    "a GitLab token": "glpat-" + "x" * 20,
    "an AWS key id": "AKIA" + "ABCDEFGHIJKLMNOP",
    "an AWS secret key": "aws_secret_access_key = " + "a/+9" * 10,
    "an Anthropic key": "sk-ant-api03-" + "x" * 93,
    "an OpenAI key": "sk-proj-" + "x" * 40 + "T3Blbk" + "FJ" + "x" * 40,
    "a Google API key": "AIza" + "x" * 35,
    "a Google client secret": "GOCSPX-" + "x" * 28,
    "a Slack token": "xoxb-" + "123456789012-" * 2 + "x" * 24,
    "a Slack webhook": "hooks.slack.com/services/T" + "A" * 8 + "/B" + "A" * 8 + "/" + "x" * 24,
    "a Stripe live key": "sk_live_" + "x" * 24,
    "a SendGrid key": "SG." + "x" * 22 + "." + "x" * 43,
    "an npm token": "npm_" + "x" * 36,
    "a PyPI token": "pypi-AgE" + "x" * 60,
    "a Hugging Face token": "hf_" + "x" * 34,
    "a DigitalOcean token": "dop_v1_" + "a" * 64,
    "a Docker token": "dckr_pat_" + "x" * 27,
    "an Azure storage key": "AccountKey=" + "x" * 86 + "==",
    "an age key": "AGE-SECRET-KEY-1" + "Q" * 58,
    "a private key": "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjE" * 3,
}
PUSHED = "take it out of every commit (amend or rebase), and tell a person if it is a real one"
WRITTEN = "say where it is, not what it is, and tell a person if it is a real one"


@pytest.mark.parametrize("what", SECRETS)
def test_a_credential_is_refused_wherever_it_stands_and_not_repeated(what: str) -> None:
    rule, secret = installed("secrets"), SECRETS[what]
    pushed = ("deny", f"it holds what looks like {what}; {PUSHED}")
    assert said(rule(push(log(added=f'key = "{secret}"'.replace("\n", "\n+"))))) == pushed
    assert said(rule(push(log(message=secret.replace("\n", "\n    "))))) == pushed
    written = ("deny", f"it holds what looks like {what}; {WRITTEN}")
    assert said(rule(comment(text=f"I found {secret}"))) == written
    assert said(rule(comment(text=secret, action=Action.RECORD_FINDING))) == written


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 10,
        "AKIAIOSFODNN7" + "EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "begin with -----BEGIN " + "PRIVATE KEY----- and end the line",
        "task-ant-api03-nothing",
        "sk-learn and mask-rcnn",
        "commit 1f7a7a472abf3dd9643fd615f6da379c4acb3e3a",
        "MSG.aaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ],
)
def test_what_only_resembles_one_is_let_through(text: str) -> None:
    assert installed("secrets")(comment(text=text)) is None


def test_taking_a_credential_out_is_let_through() -> None:
    secret = SECRETS["a GitHub token"]
    assert installed("secrets")(push(log(removed=secret, context=secret))) is None


def test_no_text_of_an_agents_own_passes_for_a_log_in_which_only_added_lines_count() -> None:
    secret = SECRETS["a GitHub token"]
    for proposal in (comment(text=log(removed=secret)), push("\n" + log(removed=secret))):
        assert installed("secrets")(proposal) is not None


def test_no_line_of_a_file_passes_for_a_header() -> None:
    secret = SECRETS["a GitHub token"]
    for before in ("diff --git a/x b/x", "commit " + "a" * 40, "@@ -1,1 +1,1 @@", "++ b/x"):
        assert installed("secrets")(push(log(added=f"{before}\n+{secret}"))) is not None


def test_a_merges_own_lines_count_whichever_parents_lack_them() -> None:
    secret = SECRETS["a GitHub token"]
    merge = log().replace("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "@@@ -1,1 -1,1 +1,2 @@@\n  a\n{}\n")
    for line, is_found in ((f"++{secret}", True), (f" +{secret}", True), (f"--{secret}", False)):
        found = installed("secrets")(push(merge.replace("{}", line)))
        assert (found is not None) is is_found, line


def test_an_allowed_example_and_reads_are_let_through_and_the_ruling_can_be_milder() -> None:
    secret = SECRETS["a GitHub token"]
    assert installed("secrets", allow=[secret])(comment(text=secret)) is None
    assert installed("secrets", allow=[secret])(comment(text=f"{secret} {secret[:-1]}b")) is not None
    assert installed("secrets")(comment(text=secret, action=Action.READ)) is None
    held = installed("secrets", ruling="hold")(comment(text=secret))
    assert held is not None
    assert held.ruling == "hold"


def test_what_is_too_long_to_look_at_is_for_a_person() -> None:
    assert said(installed("secrets")(push(log() + CUT_OFF))) == (
        "hold",
        "it is longer than hive looks for secrets in; split it, and leave large files out",
    )
