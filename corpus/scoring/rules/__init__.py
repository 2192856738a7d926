"""Rules registered by name and version: `judge` applies one to a reading."""

from corpus.scoring.rules.registry import (
    NotJudgedError,
    UnknownRuleError,
    judge,
    resolve_rule,
    rule_definition,
    rule_names,
)

__all__ = ["NotJudgedError", "UnknownRuleError", "judge", "resolve_rule", "rule_definition", "rule_names"]
