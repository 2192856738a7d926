"""No key survives in a message."""

import pytest

from evaluations.redaction import redact

KEY = "canary/key+0123 456789"


@pytest.mark.parametrize(
    ("text", "keys", "left"),
    [
        (f"bad key {KEY}!", [KEY], "bad key [key removed]!"),
        ("at ?key=canary%2Fkey%2B0123%20456789", [KEY], "at ?key=[key removed]"),
        ("Incorrect API key provided: sk-proj-abc*****wxyz.", [], "Incorrect API key provided: [key removed]"),
        ("Authorization: Bearer abc.def-123", [], "Authorization: [key removed]"),
        ("gsk_abcdefghijkl is unknown", [], "[key removed] is unknown"),
        ("the task-based risk-assessment failed", [], "the task-based risk-assessment failed"),
        ("none of these", ["none"], "none of these"),
        ("all fine", [""], "all fine"),
    ],
)
def test_keys_are_taken_out(text: str, keys: list[str], left: str) -> None:
    assert redact(text, keys) == left
