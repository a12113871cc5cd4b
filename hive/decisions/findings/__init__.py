"""The ledger of findings: each thing that agents found stands in it once, with what became of it.

A finding is known by what it is about. What a person rejected stays rejected until its file changes. An
issue is made of one where the level lets its agent file issues, or where a person accepts it.
"""

from hive.decisions.findings.report import is_too_much, known_as, next_id, repeated, with_fingerprint
from hive.decisions.findings.subject import clean_path, fingerprint

__all__ = ["clean_path", "fingerprint", "is_too_much", "known_as", "next_id", "repeated", "with_fingerprint"]
