"""What merging needs of the configuration in force and of what hive remembers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from hive.app.configuration import LiveConfiguration
from hive.decisions.merging import judge_here
from hive.facts.forge import PullRequest
from hive.kernel.ledger import Ledger


def merge_method(configuration: LiveConfiguration) -> Callable[[str], str]:
    def method(repo: str) -> str:
        return configuration.settings.merge_method(repo)

    return method


def objections_of(
    configuration: LiveConfiguration, ledger: Ledger, now: Callable[[], datetime]
) -> Callable[[PullRequest], tuple[str, ...]]:
    def objections(pull: PullRequest) -> tuple[str, ...]:
        judgement = judge_here(pull, pull.repo, ledger.memory, configuration.policy, now())
        return tuple(obstacle.because for obstacle in judgement.obstacles)

    return objections
