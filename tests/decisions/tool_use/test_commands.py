"""What hive objects to before a tool is used: commands as agents write them, however they are wrapped."""

from __future__ import annotations

import pytest

from hive.decisions import autonomy
from hive.decisions.requests import Caller
from hive.decisions.tool_use import Objection, ToolUse, objection
from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.verdicts import Verdict
from tests.decisions.worlds import TABLE

HOME = "/srv/hive/a"
CALLER = Caller(agent="a", repos=("o/r",), default_branches={"o/r": "trunk/stable"})


def ask(use: ToolUse, level: int = 5) -> Objection | None:
    def rule(action: Action, target: str, text: str) -> Verdict:
        return autonomy.rule(TABLE, AcmmLevel(level), "quality", action).verdict

    return objection(use, CALLER, rule)


def of(command: str, level: int = 5) -> str:
    """The rule that the command meets; empty where it may run."""
    found = ask(ToolUse("Bash", {"command": command}, folder=f"{HOME}/work", home=HOME), level)
    return found.verdict.rule if found is not None else ""


MERGES = "acmm.holdgated.request-merge"


@pytest.mark.parametrize(
    "command",
    [
        "gh pr merge 1 --squash",
        "cd . && gh pr merge 1",
        "true || gh pr merge 1",
        "echo a; gh pr merge 1",
        "sleep 1 & gh pr merge 1",
        "cat x | gh pr merge 1",
        "(cd /tmp; gh pr merge 1)",
        "{ gh pr merge 1; }",
        "if true; then gh pr merge 1; fi",
        "for n in 1 2; do gh pr merge $n; done",
        "while gh pr merge 1; do :; done",
        "! gh pr merge 1",
        "bash -c 'gh pr merge 1'",
        "bash -lc 'gh pr merge 1'",
        "sh -c \"bash -c 'gh pr merge 1'\"",
        "env X=1 gh pr merge 1",
        "X=1 gh pr merge 1",
        "/abs/path/gh pr merge 1",
        "g=gh; $g pr merge 1",
        "c='gh pr merge'; $c 1",
        "export G=gh\n${G} pr merge 1",
        "timeout 5 gh pr merge 1",
        "sudo -u x nice -n 5 gh pr merge 1",
        "echo 1 | xargs gh pr merge",
        "nohup gh pr merge 1 > out 2>&1 &",
        "gh -R o/r pr merge 1",
        "gh pr merge 1 --repo=o/r",
        "g'h' pr m\"erg\"e 1",
        "g\\h pr merge 1",
        "gh \\\n  pr merge 1",
        "echo $(gh pr merge 1)",
        'echo "it is `gh pr merge 1`"',
        "cat <(gh pr merge 1)",
        "eval 'gh pr merge 1'",
        "bash <<EOF\ngh pr merge 1\nEOF",
        "bash <<< 'gh pr merge 1'",
        "echo 'gh pr merge 1' | sh",
        "cat <<EOF\n$(gh pr merge 1)\nEOF",
        "command gh pr merge 1",
        "script -c 'gh pr merge 1' /dev/null",
        "find . -name x -exec gh pr merge 1 ;",
        "gh api -X PUT repos/o/r/pulls/1/merge",
        "gh api --method=PUT /repos/{owner}/{repo}/pulls/1/merge -f merge_method=squash",
        "gh api -XPUT repos/o/r/pulls/1/merge",
    ],
)
def test_a_merge_is_refused_however_it_is_written(command: str) -> None:
    assert of(command) == MERGES


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("gh pr merge 1 --admin", Action.ADMIN_MERGE),
        ("gh pr merge --auto 1", Action.ENABLE_AUTO_MERGE),
        ("git push origin main", Action.PUSH_DEFAULT_BRANCH),
        ("git push origin trunk/stable", Action.PUSH_DEFAULT_BRANCH),
        ("git -C . push origin HEAD:main", Action.PUSH_DEFAULT_BRANCH),
        ("git -c user.name=x push origin HEAD:refs/heads/main", Action.PUSH_DEFAULT_BRANCH),
        ("git push --force origin main", Action.FORCE_PUSH_DEFAULT),
        ("git push -uf origin main", Action.FORCE_PUSH_DEFAULT),
        ("git push origin +main", Action.FORCE_PUSH_DEFAULT),
        ("git push origin feature", Action.PUSH_OTHER_BRANCH),
        ("git push origin hive/b/1-x", Action.PUSH_OTHER_BRANCH),
        ("git push --mirror", Action.PUSH_OTHER_BRANCH),
        ("git push origin :old", Action.DELETE_BRANCH),
        ("git push -d origin old", Action.DELETE_BRANCH),
        ("git push --tags", Action.PUSH_TAG),
        ("git push origin refs/tags/v1", Action.PUSH_TAG),
        ("gh release create v1", Action.RELEASE),
        ("gh secret set X -b y", Action.CHANGE_SECRETS),
        ("gh repo edit --visibility public", Action.CHANGE_SETTINGS),
        ("gh workflow run ci.yml", Action.DISPATCH_WORKFLOW),
        ("gh pr review 1 --approve", Action.APPROVE),
        ("gh pr edit 1 --remove-label hold", Action.REMOVE_HOLD),
        ("gh pr comment 1 --body '@dependabot merge'", Action.COMMAND_BOT),
        ("gh issue comment 1 -b '/lgtm'", Action.COMMAND_BOT),
        ("gh api -X PUT repos/o/r/branches/main/protection", Action.CHANGE_PROTECTION),
    ],
)
def test_a_command_is_the_action_that_the_table_rules_on(command: str, action: Action) -> None:
    found = ask(ToolUse("Bash", {"command": command}, folder=f"{HOME}/work", home=HOME))
    assert found is not None
    assert found.action is action
    assert found.target.startswith("o/r")


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("gh auth token", "tool.credentials"),
        ("gh auth login --with-token < x", "tool.credentials"),
        ("gh config set http_unix_socket ''", "tool.client-settings"),
        ("gh alias set m 'pr merge'", "tool.client-settings"),
        ("unset HTTPS_PROXY && curl https://api.github.com", "tool.another-way"),
        ("HTTPS_PROXY=http://other:1 git fetch", "tool.another-way"),
        ("export https_proxy=http://other:1", "tool.another-way"),
        ("env -u HTTPS_PROXY gh pr list", "tool.another-way"),
        ("GH_TOKEN=x gh pr list", "tool.another-way"),
        ("GIT_CONFIG_GLOBAL=/dev/null git fetch", "tool.another-way"),
        ("git -c http.proxy= fetch", "tool.another-way"),
        ("git config --global --unset http.https://github.com/.proxy", "tool.another-way"),
        ("git config url.ssh://git@github.com/.insteadOf https://github.com/", "tool.another-way"),
        ("tmux kill-server", "tool.terminal"),
        ("tmux send-keys -t hive-b 'x' Enter", "tool.terminal"),
        ("pkill -f 'hive run'", "tool.terminal"),
        ("killall tmux", "tool.terminal"),
        ("echo '{}' > ~/.claude/hive.json", "tool.own-files"),
        ("rm -rf $HOME/.hive", "tool.own-files"),
        ("sed -i s/hook// ../.hive/hook.py", "tool.own-files"),
        ("cd .. && tee /srv/hive/a/.config/hive/gitconfig", "tool.own-files"),
        ("cp x ~/.config/gh/hosts.yml", "tool.own-files"),
        ("echo '{\"disableAllHooks\": true}' > .claude/settings.json", "tool.hooks"),
        ('cat > .gemini/settings.json <<X\n{"hooksConfig": {}}\nX', "tool.hooks"),
        ("gh pr merge 'no end", "tool.not-understood"),
    ],
)
def test_what_is_hives_own_is_refused_at_every_level(command: str, rule: str) -> None:
    assert [of(command, level) for level in (2, 6)] == [rule, rule]


@pytest.mark.parametrize(
    "command",
    [
        "git push -u origin hive/a/12-fix",
        "git push origin HEAD",
        "git push",
        "git push ../backup main",
        "git push --force-with-lease origin HEAD:hive/a/12-fix",
        "gh pr create --title 'Stop gh pr merge 1' --body 'do not git push origin main'",
        "gh pr view 1 --json title",
        "gh auth status",
        "gh api repos/o/r/pulls/1",
        "gh api graphql -f query='query { viewer { login } }'",
        "echo 'gh pr merge 1'",
        "grep -r 'gh pr merge' .",
        "cat > notes.md <<'EOF'\ngh pr merge 1\n$(gh pr merge 1)\nEOF",
        "git commit -m 'gh pr merge 1; git push origin main'",
        "# gh pr merge 1\nls",
        'cat "$HIVE_TOKEN_FILE" ~/.config/hive/token',
        "tmux -L mine kill-server",
        "rm -rf build .claude",
        "echo '{}' > .claude/settings.json",
        "python -c 'print(1)' 2>&1 | tee out.log",
        'echo "an unclosed quote',
        "X=1 make test",
        "a=$((1 + 2)); echo ${a:-3} $'x\\n'",
        "",
    ],
)
def test_what_agents_do_all_day_goes_on(command: str) -> None:
    assert of(command) == ""


def test_the_level_decides_as_it_does_at_the_gateway() -> None:
    opens = "gh pr create -t x -b y"
    assert [of(opens, level) for level in (2, 5)] == ["acmm.advisory.open-pr", ""]
    assert [of("gh pr merge 1", level) for level in (5, 6)] == [MERGES, ""]
    assert [of("git push", level) for level in (2, 5)] == ["acmm.advisory.push-own-branch", ""]


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        ("Write", {"file_path": f"{HOME}/.claude/hive.json", "content": "{}"}, "tool.own-files"),
        ("Edit", {"file_path": f"{HOME}/.hive/hook.py", "new_string": ""}, "tool.own-files"),
        ("write_file", {"file_path": "../.gemini/settings.json"}, "tool.own-files"),
        ("create", {"path": f"{HOME}/.copilot/settings.json"}, "tool.own-files"),
        ("Write", {"file_path": ".claude/settings.json", "content": "disableAllHooks"}, "tool.hooks"),
        ("Read", {"file_path": f"{HOME}/.claude/hive.json"}, ""),
        ("Write", {"file_path": f"{HOME}/work/.gemini/settings.json", "content": "{}"}, ""),
        ("Write", {"file_path": "notes.md", "content": "gh pr merge 1"}, ""),
        ("Task", {"prompt": "gh pr merge 1"}, ""),
    ],
)
def test_files_written_without_a_shell_are_looked_at_too(tool: str, given: dict[str, str], rule: str) -> None:
    found = ask(ToolUse(tool, given, folder=f"{HOME}/work", home=HOME))
    assert (found.verdict.rule if found else "") == rule


def test_a_tool_that_cannot_be_read_is_refused() -> None:
    found = ask(ToolUse("", unread=True))
    assert found is not None
    assert found.verdict.rule == "tool.not-understood"


def test_nesting_beyond_what_anybody_writes_is_refused() -> None:
    assert of("$(" * 40 + "gh pr merge 1" + ")" * 40) == "tool.not-understood"
