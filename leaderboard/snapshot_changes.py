"""What changed between two snapshots of a set. Pure: two files in, what differs out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# An entrant's own result, and what it is called. Its rank also changes when only others did.
_OWN = ("accuracy", "ci_low", "ci_high", "n_questions", "n_scored", "status", "name")
# Also its own; earlier snapshots do not say all of it, and what one of two does not say has not changed.
_OWN_IN_PARTS = ("topics", "outcomes", "macro_accuracy", "repeats", "withheld")


@dataclass(frozen=True, slots=True)
class FactChange:
    """Something said of the whole board that is no longer so."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class RowChange:
    """An entrant whose row came, went or changed; `before` or `after` is None where it has none."""

    slug: str
    name: str
    kind: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    @property
    def points(self) -> float | None:
        """By how much the accuracy rose, as a fraction of 1; None where one of the two has none."""
        if self.before is None or self.after is None:
            return None
        before, after = self.before["accuracy"], self.after["accuracy"]
        return None if before is None or after is None else float(after - before)

    @property
    def kept_its_result(self) -> bool:
        """Whether nothing but the rank changed."""
        if self.before is None or self.after is None:
            return False
        return _is_same_result(self.before, self.after)

    @property
    def is_demo(self) -> bool:
        """Whether either of the two is made up."""
        return any(row is not None and row.get("is_demo", False) for row in (self.before, self.after))

    @property
    def was_renamed(self) -> str:
        """The former name, where it was another."""
        return "" if self.before is None or self.before["name"] == self.name else str(self.before["name"])


@dataclass(frozen=True, slots=True)
class Changes:
    """All that differs between two snapshots, and how many rows do not."""

    facts: tuple[FactChange, ...]
    rows: tuple[RowChange, ...]
    n_unchanged: int

    @property
    def came(self) -> list[RowChange]:
        """The rows the earlier one does not have."""
        return [row for row in self.rows if row.before is None]

    @property
    def went(self) -> list[RowChange]:
        """The rows the later one does not have."""
        return [row for row in self.rows if row.after is None]

    @property
    def changed(self) -> list[RowChange]:
        """The rows both have and whose own result or name changed."""
        both = (row for row in self.rows if row.before is not None and row.after is not None)
        return [row for row in both if not row.kept_its_result]

    @property
    def shifted(self) -> list[RowChange]:
        """The rows of which only the rank changed, since others came, went or changed."""
        return [row for row in self.rows if row.kept_its_result]

    @property
    def told(self) -> list[RowChange]:
        """The rows that came, went or changed themselves, in order."""
        return [row for row in self.rows if not row.kept_its_result]


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    """Compare the content of two snapshots, the earlier first; rows in the order of the later one, gone ones last.

    A row has changed where its accuracy, interval, number of questions, state, name, outcomes or a topic has, or its
    rank.
    """
    old = {row["slug"]: row for row in before["board"]["rows"]}
    new = {row["slug"]: row for row in after["board"]["rows"]}
    rows: list[RowChange] = []
    for slug, row in new.items():
        earlier = old.get(slug)
        if earlier is None or row.get("rank") != earlier.get("rank") or not _is_same_result(earlier, row):
            rows.append(RowChange(slug, row["name"], row["kind"], earlier, row))
    n_unchanged = len(new) - len(rows)
    rows += [RowChange(slug, row["name"], row["kind"], row, None) for slug, row in old.items() if slug not in new]
    return Changes(tuple(_facts(before, after)), tuple(rows), n_unchanged)


def _is_same_result(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    said_by_both = (name for name in _OWN_IN_PARTS if name in before and name in after)
    return all(before.get(name) == after.get(name) for name in (*_OWN, *said_by_both))


def _facts(before: Mapping[str, Any], after: Mapping[str, Any]) -> Sequence[FactChange]:
    pairs = (
        ("question set", before["set"]["slug"], after["set"]["slug"]),
        ("name of the set", before["set"]["name"], after["set"]["name"]),
        ("revision of the set", before["set"]["revision"], after["set"]["revision"]),
        ("questions", before["set"]["n_questions"], after["set"]["n_questions"]),
        ("rule", before["rule"]["name"], after["rule"]["name"]),
        ("wording of the rule", before["rule"]["definition"], after["rule"]["definition"]),
        ("people", _people(before), _people(after)),
    )
    return [FactChange(*pair) for pair in pairs if pair[1] != pair[2]]


def _people(content: Mapping[str, Any]) -> str:
    people = content["people"]
    if not people["shown"]:
        return f"not shown: {people['why_not']}"
    return f"{sum(row['people']['n'] for row in content['board']['rows'] if row['people'])} shown"
