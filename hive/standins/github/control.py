"""The stand-in's own endpoints under `/_standin`: faults in, the independent witness's account out."""

import hmac
import json
from collections import Counter
from typing import Any

from hive.standins.github import access, labels
from hive.standins.github.clock import seconds
from hive.standins.github.failures import ApiFailure
from hive.standins.github.faults import Faults
from hive.standins.github.forge import Forge
from hive.standins.github.limits import Bursts, Limits
from hive.standins.github.records import Issue, Pull, Repository, Write
from hive.standins.github.wire import Request, Response


class Control:
    """Answers whoever holds the control token."""

    def __init__(
        self, forge: Forge, faults: Faults, limits: Limits, requests: Counter[str], token: str
    ) -> None:
        self._limits = limits
        self._forge = forge
        self._faults = faults
        self._requests = requests
        self._token = token

    def answer(self, request: Request) -> Response:
        """One control request: JSON out."""
        token = access.token_of(request.header("Authorization")) or ""
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return _json(401, {"message": "the control token is needed"})
        try:
            return _json(200, self._route(request))
        except (ApiFailure, ValueError) as failure:
            return _json(422, {"message": str(failure)})

    def _route(self, request: Request) -> Any:
        match request.method, request.path.removeprefix("/_standin"):
            case "GET", "/state":
                return self.state()
            case "GET", "/audit":
                return self.audit()
            case "GET", "/seen":
                return self.seen(int(request.query.get("since", "0")))
            case "POST", "/faults":
                self._faults.add(json.loads(request.body))
                return {"waiting": self._faults.remaining()}
            case "GET", "/faults":
                return {"waiting": self._faults.remaining()}
            case "DELETE", "/faults":
                self._faults.clear()
                return {"waiting": 0}
            case "POST", "/limits":
                return self._set_limits(json.loads(request.body))
            case "GET", "/clock":
                return {"now": self._forge.clock.now()}
            case "POST", "/clock":
                return self._set_clock(json.loads(request.body))
        raise ApiFailure(422, f"no control endpoint {request.method} {request.path}")

    def _set_limits(self, asked: Any) -> Any:
        """`{"per_hour": N, "secondary": true}`: from the next window on."""
        self._limits.per_hour = int(asked.get("per_hour") or self._limits.per_hour)
        if "secondary" in asked:
            self._limits.bursts = Bursts() if asked["secondary"] else None
        return {"per_hour": self._limits.per_hour, "secondary": self._limits.bursts is not None}

    def _set_clock(self, asked: Any) -> Any:
        """`{"set": TIME}` stops it there, `{"advance": SECONDS}` moves it, `{"run": true}` lets it go."""
        clock = self._forge.clock
        try:
            if "set" in asked:
                clock.set(seconds(str(asked["set"])))
            if "advance" in asked:
                clock.advance(float(asked["advance"]))
        except (TypeError, ValueError) as error:
            raise ApiFailure(422, f"not a time: {error}") from error
        if asked.get("run"):
            clock.run()
        return {"now": clock.now()}

    def state(self) -> dict[str, Any]:
        """Every repository's issues and pull requests in the order of their making, and requests by route."""
        with self._forge.lock:
            repositories = {repo.full_name: self._repository(repo) for repo in self._forge.store.repositories}
            return {"repositories": repositories, "requests": dict(sorted(self._requests.items()))}

    def audit(self) -> list[dict[str, str]]:
        """Every write, in order."""
        with self._forge.lock:
            return [_written(row) for row in self._forge.store.writes]

    def seen(self, since: int) -> dict[str, Any]:
        """The writes after the first `since`, how many there are in all, and requests by route: what came
        of one request, without telling all that was before it."""
        with self._forge.lock:
            table = self._forge.store.writes
            total = table.next_id() - 1
            rows = (table.get(number) for number in range(since + 1, total + 1))
            writes = [_written(row) for row in rows if row is not None]
            return {"writes": writes, "total": total, "requests": dict(self._requests)}

    def _repository(self, repo: Repository) -> dict[str, Any]:
        found = self._forge.issues_of(repo)
        pulls = [(issue, self._forge.pull(repo, issue.number)) for issue in found if issue.is_pull]
        return {
            "default_branch": repo.default_branch,
            "heads": repo.heads,
            "issues": [self._issue(issue) for issue in found if not issue.is_pull],
            "pulls": [{**self._issue(issue), **self._pull(repo, pull)} for issue, pull in pulls if pull],
        }

    def _issue(self, issue: Issue) -> dict[str, Any]:
        forge = self._forge
        applied = [
            {"name": label.name, "by": forge.login(entry["by"]), "at": entry["at"]}
            for entry in issue.labels
            if (label := forge.store.labels.get(entry["label"])) is not None
        ]
        return {
            "number": issue.number,
            "title": issue.title,
            "body": issue.body,
            "state": issue.state,
            "author": forge.login(issue.author),
            "labels": [label.name for label in labels.on(forge, issue)],
            "applied": applied,
            "comments": len(forge.store.comments.of(issue.repo, issue.number)),
            "created_at": issue.created_at,
        }

    def _pull(self, repo: Repository, pull: Pull) -> dict[str, Any]:
        forge = self._forge
        runs = forge.store.checks.of(repo.id, pull.head_sha)
        return {
            "head": pull.head,
            "head_sha": pull.head_sha,
            "base": pull.base,
            "draft": pull.draft,
            "merged": pull.merged_at is not None,
            "merged_by": forge.login(pull.merged_by) if pull.merged_by else None,
            "merge_commit": pull.merge_commit,
            "checks": {run.name: run.conclusion or run.status for run in runs},
            "reviews": [
                {"by": forge.login(review.author), "state": review.state, "head": review.commit}
                for review in forge.store.reviews.of(repo.id, pull.number)
            ],
        }


def _written(row: Write) -> dict[str, str]:
    return {
        "at": row.at,
        "actor": row.actor,
        "what": row.what,
        "subject": row.subject,
        "detail": row.detail,
    }


def _json(status: int, body: Any) -> Response:
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(status, data, {"Content-Type": "application/json; charset=utf-8"})
