from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from hive.facts.autonomy import Action
from hive.settings.check import check_document, exit_code
from hive.settings.check_text import render
from tests.settings.conftest import ENVIRON, GOOD, Loads

FLEET = """\
level: 5
github: {token: "${GITHUB_TOKEN}"}
repositories: [o/r, {name: o/low, level: 3}]
agents:
  - {name: q, role: quality, backend: claude, model: big, lanes: [bug]}
  - {name: sec, role: sec-check, backend: claude, repos: [o/low]}
  - {name: out, role: outreach, backend: claude}
  - {name: bad, role: qualty, backend: claude}
merge: {required: [build], approvals: 1, method: rebase}
raise: {architect: {3: {mode: advisory, why: reads only}}}
triage: {lanes: {bug: {labels: [bug]}}}
gateway: {port: 8080}
"""


def test_a_check_says_what_each_agent_may_do_where(loads: Loads, tmp_path: Path) -> None:
    settings = loads(FLEET)
    document = check_document(settings)
    file = f"{tmp_path}/hive.yaml"
    assert document == {
        "source": file,
        "digest": settings.digest,
        "state": f"{tmp_path}/.hive",
        "level": 5,
        "level_name": "Semi-automated",
        "strict": False,
        "tick": "5s",
        "poll": "1m",
        "github": {
            "api_url": "https://api.github.com",
            "graphql_url": "https://api.github.com/graphql",
            "git_url": "https://github.com",
            "credential": "token",
        },
        "gateway": {
            "host": "127.0.0.1",
            "port": 8080,
            "hold_label": "hold",
            "keep_draft": False,
            "approval_label": None,
            "repeat_window": "10m",
            "body_size": 8,
            "connections": 1024,
            "model_requests_each": 32,
            "pods": None,
        },
        "incidents": {"shared_account": False},
        "isolation": {
            "mode": "auto",
            "taken": None,
            "because": "",
            "remedy": "",
            "network": "gateway",
            "allow": [],
            "readable": [],
            "memory": None,
            "cpus": None,
            "processes": 2000,
            "uids": [60000, 64999],
            "degrade": False,
        },
        "fleet": None,
        "repositories": [
            {"name": "o/r", "level": 5, "merge_method": "rebase", "required": ["build"], "approvals": 1},
            {"name": "o/low", "level": 3, "merge_method": "rebase", "required": ["build"], "approvals": 1},
        ],
        "modes": {
            "holdgated": {
                "allow": [
                    "read",
                    "record-finding",
                    "file-issue",
                    "comment",
                    "label-own",
                    "close-own",
                    "push-own-branch",
                    "review-comment",
                    "request-changes",
                ],
                "hold": ["open-pr", "update-own-pr"],
            }
        },
        "models": [],
        "agents": [
            {
                "name": "q",
                "role": "quality",
                "backend": "claude",
                "model": "big",
                "provider": None,
                "login": False,
                "fallback": [],
                "lanes": ["bug"],
                "level": None,
                "started": True,
                "because": None,
                "repositories": [
                    {"name": "o/r", "level": 5, "mode": "holdgated"},
                    {"name": "o/low", "level": 3, "mode": "holdgated"},
                ],
            },
            {
                "name": "sec",
                "role": "sec-check",
                "backend": "claude",
                "model": None,
                "provider": None,
                "login": False,
                "fallback": [],
                "lanes": [],
                "level": None,
                "started": False,
                "because": "role sec-check is not started at L3 (Measured)",
                "repositories": [{"name": "o/low", "level": 3, "mode": None}],
            },
            {
                "name": "out",
                "role": "outreach",
                "backend": "claude",
                "model": None,
                "provider": None,
                "login": False,
                "fallback": [],
                "lanes": [],
                "level": None,
                "started": False,
                "because": "role outreach is not started at L3 (Measured) or L5 (Semi-automated)",
                "repositories": [
                    {"name": "o/r", "level": 5, "mode": None},
                    {"name": "o/low", "level": 3, "mode": None},
                ],
            },
        ],
        "rejected": [
            {
                "names": ["bad"],
                "line": 8,
                "message": f"{file}:8: agents[3].role: unknown role 'qualty'; did you mean 'quality'?",
            }
        ],
        "guardrails": ["blast-radius", "duplicate-work", "protected-paths", "secrets", "untrusted-authors"],
        "raised": [{"role": "architect", "level": 3, "mode": "advisory", "why": "reads only"}],
    }
    assert exit_code(document) == 1
    assert json.loads(json.dumps(document)) == document


def test_a_person_reads_the_same_facts(loads: Loads, tmp_path: Path) -> None:
    assert (
        render(check_document(loads(FLEET)))
        == f"""\
{tmp_path}/hive.yaml: L5 (Semi-automated)
  forge    https://api.github.com, credential from token
  gateway  127.0.0.1, port 8080; holds with the label 'hold'
  guards   blast-radius, duplicate-work, protected-paths, secrets, untrusted-authors
  state    {tmp_path}/.hive
  looks    every 5s, asks the forge every 1m

repository  level  merged by  required checks  approvals
o/r         L5     rebase     build            1
o/low       L3     rebase     build            1

agent  role     backend  repository  level  mode       lanes
q      quality  claude   o/r         L5     holdgated  bug
q      quality  claude   o/low       L3     holdgated  bug

holdgated: read, record-finding, file-issue, comment, label-own, close-own, push-own-branch, \
review-comment, request-changes
  with hive's hold: open-pr, update-own-pr

Not started:
  sec: role sec-check is not started at L3 (Measured)
  out: role outreach is not started at L3 (Measured) or L5 (Semi-automated)

Raised above the table:
  architect at L3 to advisory: reads only

Rejected:
  {tmp_path}/hive.yaml:8: agents[3].role: unknown role 'qualty'; did you mean 'quality'?

agents: 1 started, 2 not started, 1 rejected"""
    )


def test_a_door_for_pods_is_shown_as_it_listens_and_as_pods_see_it(loads: Loads) -> None:
    pods = "{listen: '[fd00::1]:8443', address: 'hive.example:443'}"
    document = check_document(loads(f"{GOOD}gateway: {{pods: {pods}}}\n"))
    assert document["gateway"]["pods"] == {"listen": "[fd00::1]:8443", "address": "hive.example:443"}
    assert "  pods     reach it at hive.example:443; it listens on [fd00::1]:8443\n" in render(document)


def test_a_good_configuration_is_a_yes_and_shows_no_secret(loads: Loads) -> None:
    document = check_document(loads(GOOD.replace("claude}", "claude, environment: {KEY: sesame-open}}")))
    assert exit_code(document) == 0
    for text in (json.dumps(document), render(document)):
        assert "ghp_" not in text
        assert "sesame" not in text


def test_what_is_never_allowed_is_never_listed(loads: Loads) -> None:
    document = check_document(loads(GOOD.replace("level: 4", "level: 6")))
    listed = {action for grants in document["modes"].values() for one in grants.values() for action in one}
    assert Action.REQUEST_MERGE in listed
    assert not listed & {Action.ADMIN_MERGE, Action.PUSH_TAG, Action.UNKNOWN}


def test_a_large_fleet_is_checked_at_once(loads: Loads) -> None:
    repositories = "".join(f"  - o/r{n}\n" for n in range(50))
    agents = "".join(f"  - {{name: a{n}, role: helper-{n % 7}, backend: goose}}\n" for n in range(300))
    text = f"github: {{token: '${{GITHUB_TOKEN}}'}}\nrepositories:\n{repositories}agents:\n{agents}level: 4\n"
    begun = time.monotonic()
    document = check_document(loads(text))
    assert len(document["agents"]) == 300
    assert time.monotonic() - begun < 3  # measured 0.3 s; role by role and repository by repository it is 20


HEAVY = (
    "github",
    "textual",
    "kubernetes",
    "libtmux",
    "asyncio",
    "rich",
    "sqlite3",
    "hive.shells",
    "pathspec",
)


def test_reading_a_configuration_loads_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "hive.yaml"
    path.write_text(GOOD)
    program = f"""
import sys
from pathlib import Path
from types import SimpleNamespace
from hive.settings import check, check_text, loading
claude = SimpleNamespace(name="claude", traits=SimpleNamespace(programs=("claude",)))
settings = loading.load(Path({str(path)!r}), environ={ENVIRON!r}, backends={{"claude": claude}})
check_text.render(check.check_document(settings))
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "[]\n"
