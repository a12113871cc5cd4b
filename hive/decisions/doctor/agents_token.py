"""A token of the forge in an agent's own hands: if it reached a repository, it led around the gateway."""

from __future__ import annotations

from hive.decisions.doctor.finding import Finding, ok, problem, skipped
from hive.decisions.doctor.forge import Reply

COPILOT_TOKEN = "COPILOT_GITHUB_TOKEN"  # noqa: S105 - the name of a variable
_REACHING = frozenset({"repo", "public_repo", "workflow", "delete_repo", "admin:org", "repo_deployment"})
"""Scopes of classic tokens that let their holder write to repositories (GitHub, "Scopes for OAuth apps")."""


def agents_token_finding(agent: str, user: Reply, private: Reply) -> Finding:
    """`user` is what ``GET /user`` said to that token, `private` its list of private repositories."""
    name = f"agent {agent}: forge token"
    remedy = f"give {COPILOT_TOKEN} a fine-grained token with Copilot Requests alone, and no repository"
    if user.status == 401:
        return problem(name, "the forge does not accept it", remedy)
    scopes = user.headers.get("x-oauth-scopes", "").replace(",", " ").split()
    reaching = sorted(_REACHING.intersection(scopes))
    if reaching:
        return problem(name, f"its scopes lead around the gateway: {', '.join(reaching)}", remedy)
    if private.status == 200 and private.data:
        return problem(name, "it reaches private repositories, around the gateway", remedy)
    if user.status != 200 and private.status != 200:
        return skipped(name, f"the forge does not tell what it reaches ({user.status})", remedy)
    return ok(name, "it reaches no private repository and has no scope to write to one")
