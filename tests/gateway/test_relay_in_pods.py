"""The relay from a pod: by the door with TLS alone, with the pod's own token as the key."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hive.facts.models import Dialect
from hive.gateway.relay.providers import Provider, path_of
from hive.ports.models import ModelCaller
from tests.gateway.place import AGENT, Place
from tests.gateway.pod import POD_TOKEN, Pod, pod_in
from tests.gateway.relay_place import AGENT_KEY, KEY, FakeModelAuthority, RawProvider, document

PYTHON = """
import os, urllib.request
request = urllib.request.Request(
    os.environ["MODEL_URL"] + "/v1/messages", b"{}", {"x-api-key": os.environ["MODEL_KEY"]}
)
print(urllib.request.urlopen(request).read().decode())
"""
NODE = """
const answer = await fetch(process.env.MODEL_URL + "/v1/messages",
  {method: "POST", body: "{}", headers: {"x-api-key": process.env.MODEL_KEY}});
console.log(await answer.text());
"""
ANSWER = {"type": "message", "id": "m1", "model": "x", "usage": {"input_tokens": 3, "output_tokens": 2}}


@pytest.fixture
def provider() -> Iterator[RawProvider]:
    with RawProvider() as raw:
        yield raw


@pytest.fixture
def models() -> FakeModelAuthority:
    in_pod = ModelCaller(AGENT, "anthropic", task="t1", cluster="east")
    return FakeModelAuthority({POD_TOKEN: in_pod, AGENT_KEY: ModelCaller(AGENT, "anthropic")})


@pytest.fixture
def pod(place: Place, provider: RawProvider, models: FakeModelAuthority) -> Pod:
    made = Provider("anthropic", Dialect.ANTHROPIC, provider.url, "anthropic", lambda: KEY)
    place.settings = replace(place.settings, providers=lambda: {"anthropic": made})
    pod = pod_in(place, models=models)
    pod.environment |= {
        "MODEL_URL": f"{pod.gateway.pods_url}{path_of('anthropic', Dialect.ANTHROPIC)}",
        "HIVE_MODEL_KEY_AS": "MODEL_KEY",
    }
    return pod


@pytest.mark.parametrize(
    "program",
    [
        ("/usr/bin/python3", "-c", PYTHON),
        (shutil.which("node") or "node", "--input-type=module", "-e", NODE),
        ("sh", "-c", 'curl -sS -H "x-api-key: $MODEL_KEY" -d "{}" "$MODEL_URL/v1/messages"'),
        ("sh", "-c", 'curl -sS -H "x-api-key: $(cat "$HIVE_TOKEN_FILE")" -d "{}" "$MODEL_URL/v1/messages"'),
    ],
    ids=["python", "node", "curl", "a key helper"],
)
def test_a_program_in_a_pod_asks_its_model_with_the_pods_own_token(
    pod: Pod, provider: RawProvider, models: FakeModelAuthority, program: tuple[str, ...]
) -> None:
    if program[0] == "node":
        pytest.skip("node is not installed")
    provider.answers = [[document(200, ANSWER)]]
    done = pod.run(*program)
    assert (done.returncode, json.loads(done.stdout or "null")) == (0, ANSWER), done.stderr
    [sent] = provider.requests
    assert f"x-api-key: {KEY}\r\n".encode() in sent
    assert POD_TOKEN.encode() not in sent
    relay = pod.gateway._relay
    assert relay is not None
    assert relay._recorder.settle(AGENT, 10)
    assert [(used.agent, used.input, used.output) for used in models.used()] == [(AGENT, 3, 2)]


def test_a_key_of_an_agent_on_hives_machine_is_nobodys_at_the_door_for_pods(
    pod: Pod, provider: RawProvider
) -> None:
    pod.environment["OTHER"] = AGENT_KEY
    done = pod.run("sh", "-c", 'curl -sS -H "x-api-key: $OTHER" -d "{}" "$MODEL_URL/v1/messages"')
    assert json.loads(done.stdout)["error"]["type"] == "authentication_error"
    assert provider.requests == []
