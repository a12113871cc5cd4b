"""Pull requests in outline: what a list tells of one, in REST and in GraphQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hive.facts.actors import Actor
from hive.facts.forge import Label, PullRequest
from hive.shells.github import nouns


def outline(repo: str, item: Mapping[str, Any]) -> PullRequest:
    """Of REST's."""
    head = item["head"]
    return _outline(
        repo,
        number=int(item["number"]),
        draft=item.get("draft"),
        author=nouns.actor(item.get("user"), item.get("author_association")),
        base=str(item["base"]["ref"]),
        head=str(head["sha"]),
        labels=nouns.labels(item),
        title=item.get("title") or "",
        body=item.get("body") or "",
        url=item.get("html_url") or "",
        state=nouns.pull_state(item),
        head_ref=str(head["ref"]),
        head_repo=(head.get("repo") or {}).get("full_name"),
        merge_commit=str(item.get("merge_commit_sha") or "") if item.get("merged_at") else "",
    )


def outline_of_node(repo: str, node: Mapping[str, Any], labels: tuple[Label, ...] | None) -> PullRequest:
    """Of GraphQL's. Raises `KeyError` where a part was not told."""
    state = str(node["state"]).lower()
    return _outline(
        repo,
        number=int(node["number"]),
        draft=node["isDraft"],
        author=nouns.actor_of_node(node["author"], node["authorAssociation"]),
        base=str(node["baseRefName"]),
        head=str(node["headRefOid"]),
        labels=labels,
        title=node["title"] or "",
        body=node["body"] or "",
        url=node["url"] or "",
        state=state,
        head_ref=str(node["headRefName"]),
        head_repo=(node["headRepository"] or {}).get("nameWithOwner"),
        merge_commit=str((node["mergeCommit"] or {}).get("oid") or "") if state == "merged" else "",
    )


def _outline(
    repo: str,
    *,
    number: int,
    draft: bool | None,
    author: Actor | None,
    base: str,
    head: str,
    labels: tuple[Label, ...] | None,
    title: str,
    body: str,
    url: str,
    state: str,
    head_ref: str,
    head_repo: str | None,
    merge_commit: str,
) -> PullRequest:
    return PullRequest(
        number=number,
        draft=draft,
        author=author,
        pushers=(author.login,) if author else (),
        base=base,
        head=head,
        mergeable=None,
        pushed_at=None,
        labels=labels,
        checks=None,
        reviews=None,
        unresolved_threads=None,
        linked_issues=None,
        files=None,
        repo=repo,
        title=title,
        body=body,
        url=url,
        state=state,
        head_ref=head_ref,
        head_repo=head_repo,
        merge_commit=merge_commit,
    )
