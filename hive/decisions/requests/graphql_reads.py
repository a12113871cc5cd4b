"""What a GraphQL selection reads: only the agent's repositories, whatever edges it walks along.

Without GitHub's schema the types of a selection are not known, so the rule goes by names: fields that
lead to people give their identity alone, fields that lead to what may be another repository give its
name and settings alone, and fields that list other people's things are refused.
"""

from __future__ import annotations

import re

from graphql import FieldNode

from hive.decisions.requests import address
from hive.decisions.requests.graphql_document import Document
from hive.decisions.requests.model import Caller, Facts, NotUnderstood, Operation, names
from hive.facts.autonomy import Action

_CONNECTION = frozenset({"nodes", "edges", "node"})
_PAGING = frozenset({"pageInfo"})

_PEOPLE = names(
    """actor approvedBy assignableUsers assignedActors assignee assignees author authors byActor
    closedBy collaborators committer creator deletedBy dismissedBy editor enabledBy lockedBy member
    headRepositoryOwner mentionableUsers mergedBy onBehalfOf owner participants pusher requestedReviewer
    requestedReviewers resolvedBy reviewer stargazers submittedBy suggestedActors suggestedReviewers
    unblockedBy uploader user users viewer watchers"""
)
_IDENTITY = names(
    """__typename id databaseId login name email date avatarUrl url resourcePath slug isViewer isBot
    isCommenter isAuthor totalCount cursor type"""
)

_ELSEWHERE = names(
    """parent source templateRepository headRepository baseRepository repository blockedBy blocking
    canonical closer closingIssuesReferences closedByPullRequestsReferences crossReferences
    fork sourceRepository subIssues subject target trackedInIssues trackedIssues willCloseTarget
    transferredTo fromRepository"""
)
_SETTING = re.compile(
    r"__typename|id|databaseId|name|nameWithOwner|login|url|resourcePath|sshUrl|number|title|state|"
    r"stateReason|description|visibility|viewer[A-Z]\w*|is[A-Z]\w*|has[A-Z]\w*|\w+(?:Allowed|Enabled)|"
    r"totalCount|cursor|createdAt|updatedAt|pushedAt|oid|abbreviatedOid"
)
_SETTING_OBJECTS = frozenset(
    {"defaultBranchRef", "owner", "repository", "nodes", "edges", "node", "pageInfo"}
)

_REFUSED = names(
    """commitComments contributionsCollection enterprise forks gist gistComments gists issueComments
    itemShowcase mentions organization organizations packages pinnableItems pinnedItems relay
    repositories repositoriesContributedTo repositoryOwner repositoryDiscussions resource search
    securityAdvisories securityVulnerabilities savedReplies sponsorsListing sponsorshipsAsMaintainer
    sponsorshipsAsSponsor starredRepositories topRepositories vulnerabilityAlerts"""
)
_META = frozenset({"__schema", "__type", "__typename", "rateLimit"})


def classify(document: Document, caller: Caller, facts: Facts) -> tuple[Operation, ...]:
    """A read of each repository that a query looks at. Raises `NotUnderstood` where it walks on elsewhere."""
    found = dict.fromkeys(
        repo for field in document.root_fields() for repo in _root(field, document, caller, facts)
    )
    return tuple(Operation(Action.READ, repo) for repo in found or caller.repos[:1] or ("",))


def _root(field: FieldNode, document: Document, caller: Caller, facts: Facts) -> tuple[str, ...]:
    """The repositories that one field looks at."""
    name = field.name.value
    if name in _META:
        return ()
    if name == "repository":
        owner, called = document.argument(field, "owner"), document.argument(field, "name")
        repo = address.repository(caller, _text(owner), _text(called))
        check_selection(field, document, caller, facts)
        return (repo,)
    if name == "viewer":
        _identity_only(field, document)
        return ()
    if name in ("node", "nodes"):
        return _nodes(field, document, caller, facts)
    raise NotUnderstood(f"reading {name} leads beyond the agent's repositories")


def _nodes(field: FieldNode, document: Document, caller: Caller, facts: Facts) -> tuple[str, ...]:
    given = document.argument(field, "id" if field.name.value == "node" else "ids")
    found: list[str] = []
    people = False
    for key in given if isinstance(given, list) else [given]:
        node = facts.node(_text(key))
        if node is None:
            raise NotUnderstood(f"it is not known what {key} is")
        people = people or node.kind == "user"
        if node.kind != "user":
            repo = caller.repo(node.repo)
            if repo is None:
                raise NotUnderstood(f"{key} is in {node.repo}, not a repository of agent {caller.agent}")
            found.append(repo)
    if people:
        _identity_only(field, document)
    else:
        check_selection(field, document, caller, facts)
    return tuple(found)


def check_selection(field: FieldNode, document: Document, caller: Caller, facts: Facts) -> None:
    """Check all that is selected below `field`. Raises `NotUnderstood`."""
    for child in document.below(field):
        name = child.name.value
        if name in _REFUSED or (name == "repository" and child.arguments):
            raise NotUnderstood(f"reading {name} leads beyond the agent's repositories")
        if child.selection_set is None:
            continue
        if name in _PEOPLE:
            _identity_only(child, document)
        elif name in _ELSEWHERE:
            _settings_only(child, document)
        else:
            check_selection(child, document, caller, facts)


def _identity_only(field: FieldNode, document: Document) -> None:
    for child in document.below(field):
        name = child.name.value
        if child.selection_set is None:
            if name not in _IDENTITY:
                raise NotUnderstood(f"reading {name} of an account is not for agents")
        elif name in _CONNECTION or name in _PEOPLE:
            _identity_only(child, document)
        elif name not in _PAGING and name != "organization":
            raise NotUnderstood(f"reading {name} of an account leads beyond the agent's repositories")
        elif name == "organization":
            _identity_only(child, document)


def _settings_only(field: FieldNode, document: Document) -> None:
    for child in document.below(field):
        name = child.name.value
        if child.selection_set is None:
            if not _SETTING.fullmatch(name):
                raise NotUnderstood(f"reading {name} there leads beyond the agent's repositories")
        elif name in _PEOPLE:
            _identity_only(child, document)
        elif name in _SETTING_OBJECTS:
            _settings_only(child, document)
        else:
            raise NotUnderstood(f"reading {name} there leads beyond the agent's repositories")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise NotUnderstood("it names what it reads by something that is no text")
    return value
