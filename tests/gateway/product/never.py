"""What no agent does at any level, by each route that can say it, plainly and in disguise."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

from tests.gateway.place import REPO
from tests.gateway.product import calls
from tests.gateway.product.calls import Call
from tests.gateway.product.scene import OTHER_BRANCH, PEER, Scene

Named = tuple[str, Call]
Plain = tuple[str, str, object]
"""Method, path below the repository, and body."""
_SPARE = "refs/heads/hive/{role}/spare"


def by_rest(scene: Scene, role: str) -> Iterator[Named]:
    """Each thing that is forbidden by its usual REST route."""
    groups = (_contents, _refs, _others_texts, _settings, _automation, _words)
    for method, below, value in (call for group in groups for call in group(scene, role)):
        yield f"{method} {below or '/'} {json.dumps(value)}", calls.rest(method, below, value)


def _contents(scene: Scene, role: str) -> list[Plain]:
    """What changes files past a pull request."""
    content = base64.b64encode(b"on: push\n").decode()
    on_main = {"branch": "main", "message": "m", "content": content}
    return [
        ("PUT", "/contents/x.py", on_main),
        ("PUT", "/contents/x.py", {"message": "m", "content": content}),
        ("PUT", "/contents/x.py", {**on_main, "branch": f"hive/{PEER}/pull"}),
        ("DELETE", "/contents/README.md", {"message": "m", "sha": scene.main}),
        ("PUT", "/contents/.github/workflows/ci.yml", {**on_main, "branch": f"hive/{role}/spare"}),
        ("PUT", "/contents/.github%2Fworkflows%2Fci.yml", {**on_main, "branch": f"hive/{role}/spare"}),
    ]


def _refs(scene: Scene, role: str) -> list[Plain]:
    """What moves, makes or removes branches and tags that are not its own."""
    return [
        ("PATCH", "/git/refs/heads/main", {"sha": scene.work}),
        ("PATCH", "/git/refs/heads/main", {"sha": scene.work, "force": True}),
        ("PATCH", f"/git/refs/heads/{OTHER_BRANCH}", {"sha": scene.work}),
        ("DELETE", f"/git/refs/heads/{OTHER_BRANCH}", None),
        ("DELETE", f"/git/refs/heads/hive/{PEER}/pull", None),
        ("DELETE", "/git/refs/heads/main", None),
        ("DELETE", "/git/refs/tags/v1", None),
        ("POST", "/git/refs", {"ref": "refs/tags/v2", "sha": scene.main}),
        ("POST", "/git/refs", {"ref": "refs/heads/feature", "sha": scene.main}),
        ("POST", "/git/tags", {"tag": "v2", "message": "m", "object": scene.main, "type": "commit"}),
        ("POST", "/merges", {"base": "main", "head": f"hive/{role}/spare"}),
        ("POST", "/merge-upstream", {"branch": "main"}),
        ("POST", f"/branches/{quote(OTHER_BRANCH, safe='')}/rename", {"new_name": "x"}),
    ]


def _others_texts(scene: Scene, role: str) -> list[Plain]:
    """What is not the agent's to change on issues and pull requests."""
    peer = scene.peers
    own = scene.own[role]
    return [
        ("DELETE", f"/issues/{peer}/labels/hold", None),
        ("DELETE", f"/issues/{peer}/labels/HOLD", None),
        ("DELETE", f"/issues/{peer}/labels/%68old", None),
        ("DELETE", f"/issues/{peer}/labels", None),
        ("PUT", f"/issues/{peer}/labels", {"labels": ["bug"]}),
        ("PUT", f"/issues/{peer}/labels", []),
        ("PATCH", f"/issues/{peer}", {"labels": []}),
        ("PATCH", "/issues/1", {"title": "mine now"}),
        ("PATCH", "/issues/1", {"state": "closed"}),
        ("PUT", "/issues/1/lock", {}),
        ("PATCH", "/issues/comments/1", {"body": "mine now"}),
        ("DELETE", "/issues/comments/1", None),
        ("PATCH", f"/pulls/{peer}", {"title": "mine now"}),
        ("PATCH", f"/pulls/{own.pull}", {"base": OTHER_BRANCH}),
        ("PUT", f"/pulls/{peer}/reviews/1/dismissals", {"message": "m"}),
    ]


def _settings(scene: Scene, _role: str) -> list[Plain]:
    """What only people and their checks say of a repository."""
    return [
        ("POST", f"/statuses/{scene.work}", {"state": "success", "context": "ci"}),
        ("POST", "/check-runs", {"name": "ci", "head_sha": scene.work, "conclusion": "success"}),
        ("POST", "/deployments", {"ref": "main"}),
        ("POST", "/labels", {"name": "new", "color": "cccccc"}),
        ("PATCH", "/labels/hold", {"new_name": "held"}),
        ("DELETE", "/labels/hold", None),
        ("PATCH", "", {"description": "mine"}),
        ("DELETE", "", None),
        ("PUT", "/topics", {"names": ["mine"]}),
        ("POST", "/transfer", {"new_owner": "mallory"}),
        ("PUT", "/branches/main/protection", {}),
        ("DELETE", "/branches/main/protection", None),
        ("DELETE", "/branches/main/protection/enforce_admins", None),
        ("POST", "/rulesets", {"name": "r"}),
        ("PUT", "/actions/secrets/TOKEN", {"encrypted_value": "x", "key_id": "1"}),
        ("DELETE", "/dependabot/secrets/TOKEN", None),
        ("POST", "/actions/variables", {"name": "X", "value": "1"}),
        ("POST", "/keys", {"key": "ssh-ed25519 AAAA", "read_only": False}),
        ("PUT", "/collaborators/mallory", {"permission": "admin"}),
        ("DELETE", "/collaborators/ada", None),
        ("POST", "/hooks", {"config": {"url": "https://evil.example"}}),
        ("PATCH", "/hooks/1", {"active": False}),
    ]


def _automation(_scene: Scene, _role: str) -> list[Plain]:
    """What starts or stops workflows, and releases."""
    return [
        ("POST", "/actions/workflows/ci.yml/dispatches", {"ref": "main"}),
        ("POST", "/dispatches", {"event_type": "x"}),
        ("PUT", "/actions/workflows/ci.yml/disable", None),
        ("POST", "/actions/runs/1/rerun", None),
        ("POST", "/actions/runs/1/approve", None),
        ("PUT", "/actions/permissions", {"enabled": True}),
        ("POST", "/releases", {"tag_name": "v2"}),
        ("DELETE", "/releases/1", None),
    ]


def _words(scene: Scene, role: str) -> list[Plain]:
    """What speaks to bots, judges its like, or opens in another's name."""
    peer = scene.peers
    own = scene.own[role]
    return [
        ("POST", "/issues/1/comments", {"body": "/approve"}),
        ("POST", "/issues/1/comments", {"body": "fine\r@dependabot merge"}),
        ("POST", "/issues/1/comments", {"body": "fine\u2028bors r+"}),
        ("POST", f"/pulls/{peer}/reviews", {"event": "COMMENT", "body": "\u200b/lgtm"}),
        ("POST", f"/pulls/{peer}/reviews", {"event": "approve", "body": "x"}),
        ("POST", f"/pulls/{own.pull}/reviews", {"event": "APPROVE"}),
        ("POST", "/pulls", {"head": f"hive/{PEER}/pull", "base": "main", "title": "t"}),
        ("POST", "/pulls", {"head": f"mallory:hive/{role}/open", "base": "main", "title": "t"}),
        ("POST", "/pulls", {"issue": 1, "head": f"hive/{role}/open", "base": "main"}),
        ("POST", "/forks", None),
        ("POST", "/generate", {"name": "x"}),
    ]


def by_graphql(scene: Scene, role: str) -> Iterator[Named]:
    """Each thing that is forbidden by its mutation."""
    own, ids = scene.own[role], scene.ids
    contents = base64.b64encode(b"x\n").decode()

    def committed(branch: str, path: str = "x.py") -> dict[str, object]:
        return {
            "branch": {"repositoryNameWithOwner": REPO, "branchName": branch},
            "message": {"headline": "m"},
            "expectedHeadOid": scene.main,
            "fileChanges": {"additions": [{"path": path, "contents": contents}]},
        }

    repo, peer = {"repositoryId": ids["repo"]}, {"pullRequestId": ids["peer"]}
    mine, main = {"pullRequestId": own.pull_id}, {"name": "refs/heads/main", "oid": scene.work}
    plain: list[tuple[str, dict[str, object]]] = [
        ("enablePullRequestAutoMerge", {**mine}),
        ("disablePullRequestAutoMerge", {**peer}),
        ("enqueuePullRequest", {**mine}),
        ("mergeBranch", {**repo, "base": "main", "head": f"hive/{role}/spare"}),
        ("createRef", {**repo, **main, "name": "refs/tags/v2"}),
        ("createRef", {**repo, **main, "name": "refs/heads/feature"}),
        ("updateRefs", {**repo, "refUpdates": [{"name": "refs/heads/main", "afterOid": scene.work}]}),
        ("createCommitOnBranch", committed("main")),
        ("createCommitOnBranch", committed("refs/heads/main")),
        ("createCommitOnBranch", committed(f"hive/{PEER}/pull")),
        ("createCommitOnBranch", committed(f"hive/{role}/spare", ".github/workflows/ci.yml")),
        ("removeLabelsFromLabelable", {"labelableId": ids["peer"], "labelIds": [ids["hold"]]}),
        ("removeLabelsFromLabelable", {"labelableId": own.pull_id, "labelIds": [ids["hold"]]}),
        ("clearLabelsFromLabelable", {"labelableId": ids["peer"]}),
        ("updatePullRequest", {**peer, "labelIds": []}),
        ("updatePullRequest", {**peer, "title": "mine now"}),
        ("updatePullRequest", {**mine, "baseRefName": OTHER_BRANCH}),
        ("updateIssue", {"id": ids["person"], "body": "mine now"}),
        ("closeIssue", {"issueId": ids["person"]}),
        ("deleteIssue", {"issueId": ids["person"]}),
        ("transferIssue", {"issueId": own.issue_id, "repositoryId": ids["repo"]}),
        ("lockLockable", {"lockableId": ids["person"]}),
        ("closePullRequest", {**peer}),
        ("dismissPullRequestReview", {"pullRequestReviewId": "PRR_kw1", "message": "m"}),
        ("createCheckRun", {**repo, "name": "ci", "headSha": scene.work}),
        ("createDeployment", {**repo, "refId": "x"}),
        ("createLabel", {**repo, "name": "new", "color": "cccccc"}),
        ("updateLabel", {"id": ids["hold"], "name": "held"}),
        ("deleteLabel", {"id": ids["hold"]}),
        ("updateRepository", {**repo, "description": "mine"}),
        ("archiveRepository", {**repo}),
        ("createBranchProtectionRule", {**repo, "pattern": "*"}),
        ("deleteBranchProtectionRule", {"branchProtectionRuleId": "x"}),
        ("createRepositoryRuleset", {"sourceId": ids["repo"], "name": "r"}),
        ("addComment", {"subjectId": ids["person"], "body": "ok\n/approve"}),
        ("addComment", {"subjectId": "IC_kw999999", "body": "x"}),
        ("addPullRequestReview", {**mine, "event": "APPROVE"}),
        ("addReaction", {"subjectId": ids["person"], "content": "HEART"}),
        ("addStar", {"starrableId": ids["repo"]}),
        ("createRepository", {"name": "x", "visibility": "PUBLIC"}),
    ]
    for name, given in plain:
        yield f"{name} {json.dumps(given)}", calls.graphql(name, given)
    yield from _disguised(scene, role)


def _disguised(scene: Scene, role: str) -> Iterator[Named]:
    """A merge, a closed issue and a lifted hold behind names, fragments, directives and encodings."""
    own, person = scene.own[role], scene.ids["person"]
    close = f'closeIssue(input: {{issueId: "{person}"}}) {{ clientMutationId }}'
    merge = f'enablePullRequestAutoMerge(input: {{pullRequestId: "{own.pull_id}"}}) {{ clientMutationId }}'
    say = f'addComment(input: {{subjectId: "{person}", body: "x"}}) {{ clientMutationId }}'
    escaped = "".join(f"\\u{ord(c):04x}" for c in person)
    texts = [
        f"mutation IssueCreate {{ {close} }}",
        f"mutation {{ createIssue: {close} }}",
        f"mutation {{ {say} x: {close} }}",
        f"mutation {{ ...F }} fragment F on Mutation {{ {close} }}",
        f"mutation {{ ...F }} fragment F on Mutation {{ ...G }} fragment G on Mutation {{ {merge} }}",
        f"mutation {{ ... on Mutation {{ {close} }} }}",
        f"mutation {{ ... @include(if: true) {{ {close} }} }}",
        f"mutation {{ {close.replace(') {', ') @include(if: true) {')} }}",
        f"mutation($no: Boolean = false) {{ {close.replace(') {', ') @skip(if: $no) {')} }}",
        f"query {{ viewer {{ login }} }} mutation M {{ {close} }}",
        f"mutation M {{ {close} }} query Q {{ viewer {{ login }} }}",
        f"{{ viewer {{ login }} }}\nmutation {{ {close} }}",
        f"# query\nmutation # {{\n{{ {close} }}",
        f"\ufeff,,,mutation,{{,{close},}}",
        f"query Q {{ viewer {{ login }} }}\rmutation M {{ {close} }}",
        f'mutation {{ closeIssue(input: {{issueId: "{escaped}"}}) {{ clientMutationId }} }}',
        f'mutation {{ closeIssue(input: {{issueId: """{person}"""}}) {{ clientMutationId }} }}',
        f'mutation {{ closeIssue(input: {{issueId: "{own.issue_id}", issueId: "{person}"}}) {{ id }} }}',
        f'mutation {{ closeIssue(input: {{issueId: "{own.issue_id}"}}, input: {{issueId: "{person}"}})'
        " { __typename } }",
        f"subscription {{ {close} }}",
        'mutation { closeIssue(input: "x") { __typename } }',
        "mutation { __typename }",
        "mutation { ...F } fragment F on Mutation { ...F }",
    ]
    for text in texts:
        yield text, calls.document(text)
    plain = calls.document(f"mutation M {{ {close} }}")
    harmless = {"query": "{ viewer { login } }"}
    assert isinstance(plain.value, dict)
    whole = json.dumps(plain.value)
    bodies = {
        "a batch": json.dumps([plain.value, harmless]),
        "a key twice": whole[:-1] + ', "query": "{ viewer { login } }"}',
        "the query twice, the other way": '{"query": "{ viewer { login } }", ' + whole[1:],
        "a persisted id": json.dumps({**plain.value, "extensions": {"persistedQuery": {"version": 1}}}),
        "an operation that is not there": json.dumps({**plain.value, "operationName": "Other"}),
        "UTF-16": whole.encode("utf-16").decode("latin-1"),
    }
    for name, body in bodies.items():
        yield name, Call("POST", "/graphql", body.encode("latin-1"))
    yield "in a query string", Call("POST", f"/graphql?query={quote(texts[0])}", b"{}")
    yield "by GET", Call("GET", f"/graphql?query={quote(texts[0])}")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    yield "as a form", Call("POST", "/graphql", f"query={quote(texts[0])}".encode(), form)
    yield "beside /graphql", Call("POST", "/graphql/", plain.body)
    yield "under the enterprise's name", Call("POST", "/api/graphql", plain.body)


def by_odd_paths(scene: Scene, role: str) -> Iterator[Named]:
    """A merge, a closed issue and a lifted hold at addresses that some server might read as usual ones."""
    merge = f"/pulls/{scene.peers}/merge"
    repo = scene.admin("GET", f"/repos/{REPO}")["id"]
    closed = json.dumps({"state": "closed"}).encode()
    odd = [
        f"/repositories/{repo}{merge}",
        f"//repos/{REPO}{merge}",
        f"/repos//{REPO}{merge}",
        f"/repos/{REPO}/issues/..{merge}",
        f"/repos/{REPO}/./{merge[1:]}",
        f"/repos/{REPO}/%2e%2e/widgets{merge}",
        f"/repos/{REPO}/pulls%2F{scene.peers}%2Fmerge",
        f"/repos/{REPO}/pulls/{scene.peers}%2Fmerge",
        f"/repos/{REPO.replace('/', '%2F')}{merge}",
        f"/repos/{REPO}{merge}/",
        f"/repos/{REPO}{merge}%00",
        f"/repos/{REPO}{merge}%20",
        f"/repos/{REPO}{merge}?x=1",
        f"/repos/{REPO}{merge};x",
        f"/repos/{REPO}{merge}#x",
        f"/repos/{REPO}/pulls/0{scene.peers}/merge",
        f"/repos/{REPO}/pulls/+{scene.peers}/merge",
        f"/repos/{REPO}/pulls/{scene.peers}/MERGE",
        f"/REPOS/{REPO}{merge}",
        f"/Repos/{REPO.upper()}{merge}",
        f"/repos/{REPO}.git{merge}",
        f"/api/v3/repos/{REPO}{merge}",
        f"/repos/{REPO}\\pulls\\{scene.peers}\\merge",
        f"/repos/{REPO}/pulls/%EF%BC%97/merge",
        f"/repos/{REPO}/pulls/{scene.peers}/merge%252F",
        f"https://api.github.com.evil.example/repos/{REPO}{merge}",
        f"http://github.com@api.github.com/repos/{REPO}{merge}",
    ]
    for path in odd:
        yield f"PUT {path}", Call("PUT", path, b"{}")
    issue = f"/repos/{REPO}/issues/1"
    for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X_HTTP_Method_Override"):
        yield f"{header} on a read", Call("GET", issue, None, {header: "DELETE"})
        said = f"/repos/{REPO}/issues/1/comments"
        yield f"{header} on a comment", Call("POST", said, b'{"body": "x"}', {header: "DELETE"})
    for query in ("_method=PATCH", "_method=DELETE", "a=1&_method=PATCH", "%5fmethod=PATCH;_method=PATCH"):
        yield f"?{query}", Call("POST", f"{issue}?{query}", closed)
    for method in ("patch", "Patch", "PATCH\t", "PATCHX", "POST", "PURGE", "CONNECT", "TRACE", "OPTIONS"):
        if " " not in method and "\t" not in method:
            yield f"{method} {issue}", Call(method, issue, closed)
    for host in ("api.github.com.", "API.GITHUB.COM", "api.github.com:443"):
        yield f"by the name {host}", Call("PATCH", issue, closed, {"Host": host})
    wrong = ("api.github.com:80", "github.com", "127.0.0.1", "uploads.github.com", "api.github.com, x", "")
    for host in wrong:
        yield f"to the host {host!r}", Call("PATCH", issue, closed, {"Host": host})


def by_git(scene: Scene, role: str) -> Iterator[Named]:
    """Pushes to what is not the agent's, alone and among what is."""
    main, work = scene.main, scene.work
    spare = _SPARE.format(role=role)
    mine = (f"refs/heads/hive/{role}/pushed", "", main)
    updates: dict[str, tuple[tuple[str, str, str], ...]] = {
        "main": (("refs/heads/main", main, work),),
        "another branch": ((f"refs/heads/{OTHER_BRANCH}", main, work),),
        "a new branch": (("refs/heads/feature", "", main),),
        "a peer's branch": ((f"refs/heads/hive/{PEER}/pull", work, main),),
        "a branch called as its folder": ((f"refs/heads/hive/{role}", "", main),),
        "a name that only begins as its own": ((f"refs/heads/hive/{role}x/y", "", main),),
        "its own name in capitals": ((f"refs/heads/HIVE/{role}/y", "", main),),
        "out of its folder by dots": ((f"refs/heads/hive/{role}/../../main", "", main),),
        "the deletion of main": (("refs/heads/main", main, ""),),
        "the deletion of another branch": ((f"refs/heads/{OTHER_BRANCH}", main, ""),),
        "a tag": (("refs/tags/v2", "", main),),
        "a moved tag": (("refs/tags/v1", main, work),),
        "a deleted tag": (("refs/tags/v1", main, ""),),
        "a tag named as its branch": ((f"refs/tags/hive/{role}/y", "", main),),
        "a pull request's ref": (("refs/pull/1/head", "", main),),
        "notes": (("refs/notes/commits", "", main),),
        "a symbolic ref": (("HEAD", main, work),),
        "a ref outside refs": (("main", main, work),),
        "a Gerrit review": (("refs/for/main", "", main),),
        "its own and main": (mine, ("refs/heads/main", main, work)),
        "its own and a tag": (mine, ("refs/tags/v2", "", main)),
        "a mirror, deletions and all": (
            (spare, work, main),
            (f"refs/heads/{OTHER_BRANCH}", main, ""),
            ("refs/tags/v1", main, ""),
        ),
        "one ref twice": (mine, mine),
        "a commit that is nowhere": ((mine[0], "", "1" * 40),),
    }
    for name, each in updates.items():
        yield name, calls.push(*each)
    yield "its own and main, atomic", calls.push(mine, ("refs/heads/main", main, work), options=" atomic")
    lfs = {"Host": "github.com", "Accept": "application/vnd.git-lfs+json"}
    batch = json.dumps({"operation": "upload", "objects": [{"oid": "1" * 64, "size": 1}]}).encode()
    yield "LFS", Call("POST", f"/{REPO}.git/info/lfs/objects/batch", batch, lfs)
    yield "a page of the web", Call("POST", f"/{REPO}/merge", b"x=1", {"Host": "github.com"})
    yield (
        "another repository",
        Call("POST", "/acme/other.git/git-receive-pack", calls.push(mine).body, {"Host": "github.com"}),
    )


ROUTES: dict[str, Callable[[Scene, str], Iterator[Named]]] = {
    "REST": by_rest,
    "GraphQL": by_graphql,
    "odd addresses": by_odd_paths,
    "git": by_git,
}
