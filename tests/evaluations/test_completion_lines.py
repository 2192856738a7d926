"""Files of completions as they come: every form that is taken, and what is said of the others."""

import json
import time
import tracemalloc

import pytest

from evaluations.importers.completion_lines import (
    LARGEST_JSON_BYTES,
    LONGEST_TEXT,
    MOST_PROBLEMS,
    MOST_UNKNOWN_FIELDS,
    comparable,
    read_completions,
)


def line(**fields) -> bytes:
    return json.dumps({"key": "a", "completion": "A"} | fields).encode()


GOOD = line()
SECOND = line(key="b", completion="B")


@pytest.mark.parametrize(
    "content",
    [
        GOOD + b"\n" + SECOND,
        GOOD + b"\r\n\r\n" + SECOND + b"\r\n",
        b"\xef\xbb\xbf" + GOOD + b"\n" + SECOND,
        b'{"set": "s"}\n' + GOOD + b"\n" + SECOND,
        b"[" + GOOD + b", " + SECOND + b"]",
        b"[\n" + GOOD + b",\n" + SECOND + b"\n]\n",
        b'{"completions": [' + GOOD + b", " + SECOND + b"]}",
        b'{\n "set": "s",\n "completions": [\n' + GOOD + b",\n" + SECOND + b"]}",
    ],
)
def test_lines_and_documents_are_taken(content: bytes) -> None:
    found = read_completions(content)
    assert not found.problems
    assert [(each.key, each.completion, each.repeat) for each in found.lines] == [("a", "A", 0), ("b", "B", 0)]


def test_everything_a_line_may_say_is_kept() -> None:
    stated = {
        "finish_reason": "stop",
        "model": "m-1",
        "reasoning": "hm",
        "tool_trace": [{"tool": "rdkit"}],
        "tokens_in": 3,
        "tokens_out": 4,
        "tokens_cached": 1,
        "tokens_reasoning": 2,
        "seconds": 1.5,
    }
    (found,) = read_completions(line(repeat=2, prompt="P", revision=1, options=[], kind="choice", **stated)).lines
    assert found.facts == {**stated, "tool_trace": '[{"tool": "rdkit"}]'}
    assert found.echoed == {"prompt": "P", "revision": 1, "options": comparable([])}
    assert found.repeat == 2


@pytest.mark.parametrize("name", ["options", "tool_trace", "of_theirs"])
def test_what_nobody_needs_of_a_line_is_not_kept_parsed(name: str) -> None:
    nested, names = f"[{'[],' * 5000}[]]", ",".join(f'"{name}{n}":0' for n in range(500))
    content = "\n".join(f'{{"key": "k{n}", "completion": "A", "{name}": {nested}, {names}}}' for n in range(3)).encode()
    tracemalloc.start()
    try:
        found = read_completions(content)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(found.lines), found.problems) == (3, ())
    assert kept < 2 * len(content)
    assert len(found.unknown_fields) == MOST_UNKNOWN_FIELDS


@pytest.mark.parametrize("name", ["options", "tool_trace", "completion", "of_theirs"])
def test_a_line_that_nests_without_end_is_told(name: str) -> None:
    for depth in (*range(300, 1000, 50), 5000):
        found = read_completions(f'{{"key": "k", "completion": "A", "{name}": {"[" * depth}{"]" * depth}}}'.encode())
        assert len(found.lines) + len(found.problems) == 1


def test_null_is_an_empty_reply_and_odd_characters_are_made_storable() -> None:
    content = b'{"key": "a", "completion": null}\n{"key": "b", "completion": "x\\u0000\\ud800"}'
    found = read_completions(content)
    assert [each.completion for each in found.lines] == ["", "x\N{SYMBOL FOR NULL}\ufffd"]


def test_what_is_echoed_is_compared_whatever_the_order_of_its_fields() -> None:
    assert comparable([{"a": 1, "b": "\ud800"}]) == comparable([{"b": "\ud800", "a": 1}])
    assert comparable([{"a": 1}]) != comparable([{"a": 2}])
    assert comparable("[]") != comparable([])


def test_unknown_fields_are_told() -> None:
    assert read_completions(line(temperatur=1)).unknown_fields == ("temperatur",)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"{", "not-json"),
        (b"no json at all", "not-json"),
        (b'{"key": "a", "completion": NaN}', "not-json"),
        (b'{"key": "b", "key": "c", "completion": ""}', "not-json"),
        (b'{"key": "b", "completion": "", "seconds": ' + b"9" * 5000 + b"}", "not-json"),
        (b"[" * 100_000, "not-json"),
        (b'{"key": "\xff"}', "not-utf-8"),
        (b"17", "not-object"),
        (b"[1]", "not-object"),
        (b'{"completion": "A"}', "no-key"),
        (b'{"key": 7, "completion": "A"}', "no-key"),
        (b'{"key": "", "completion": "A"}', "no-key"),
        (b'{"key": "b"}', "no-completion"),
        (line(key="b", completion=7), "bad-field"),
        (line(key="b", completion=["A"]), "bad-field"),
        (line(key="b", finish_reason={}), "bad-field"),
        (line(key="b", repeat=-1), "bad-field"),
        (line(key="b", repeat=True), "bad-field"),
        (line(key="b", repeat=100), "bad-field"),
        (line(key="b", tokens_in=1.5), "bad-field"),
        (line(key="b", tokens_out=2**31), "bad-field"),
        (line(key="b", seconds="2"), "bad-field"),
        (line(key="b", seconds=-1), "bad-field"),
        (b'{"key": "b", "completion": "", "seconds": 1e999}', "bad-field"),
        (line(key="b", seconds=10**400), "bad-field"),
        (line(key="b", completion="x" * (LONGEST_TEXT + 1)), "too-long"),
        (line(key="b", finish_reason="x" * 301), "too-long"),
        (GOOD, "double"),
        (line(repeat=0), "double"),
    ],
)
def test_a_bad_line_is_told_by_its_number(bad: bytes, code: str) -> None:
    found = read_completions(b"\n".join([b'{"set": "s"}', GOOD, bad, SECOND]))
    assert [(each.line, each.code) for each in found.problems] == [(3, code)]
    assert len(found.lines) == 2
    assert len(found.problems[0].message) < 500


@pytest.mark.parametrize("content", [b"", b"\n \n", b'{"set": "s"}', b"[]", b'{"completions": []}', b"\xef\xbb\xbf"])
def test_a_file_without_a_completion_is_told(content: bytes) -> None:
    assert [each.code for each in read_completions(content).problems] == ["empty-file"]


@pytest.mark.parametrize("bad", [b"x", b"{}", b"[]"])
def test_reading_stops_behind_many_faults(bad: bytes) -> None:
    problems = read_completions(b"\n".join([GOOD, *[bad] * (MOST_PROBLEMS + 50)])).problems
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[-1][:2] == (MOST_PROBLEMS + 2, "too-many")


def test_a_field_that_is_there_twice_among_many_is_told_at_once() -> None:
    n_fields = 40_000
    fields = ",".join(f'"k{number}": 0' for number in range(n_fields))
    started = time.process_time()
    (problem,) = read_completions(f'{{{fields}, "k{n_fields - 1}": 1}}'.encode()).problems
    # Counting each name anew took more than 30 s.
    assert time.process_time() - started < 5
    assert (problem.code, f"'k{n_fields - 1}' is there twice" in problem.message) == ("not-json", True)


def test_facts_stand_in_the_first_line_only() -> None:
    found = read_completions(GOOD + b'\n{"set": "s"}')
    assert [(each.line, each.code) for each in found.problems] == [(2, "no-key")]


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("before", "unit", "behind"),
    [
        (b"[", b'{"":0},', b"0]"),
        (b'{"key": "a", "completion": "b", "tool_trace": [', b"[],", b"0]}"),
        (b'{"completions": [\n', b'{"key": "a", "completion": ""},\n', b"0]}"),
        (b"[\n", b"[],\n", b"0]"),
    ],
)
def test_json_too_large_to_be_held_is_refused_unread(before: bytes, unit: bytes, behind: bytes) -> None:
    content = before + unit * (LARGEST_JSON_BYTES // len(unit) + 1) + behind
    tracemalloc.start()
    found = read_completions(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(each.line, each.code) for each in found.problems] == [(1, "too-large")]
    assert "on a line of its own" in found.problems[0].message
    assert peak < 3 * len(content)


@pytest.mark.one_database
def test_a_large_line_is_told_and_the_others_are_read() -> None:
    large = line(key="c", reasoning="x" * LARGEST_JSON_BYTES)
    found = read_completions(b"\n".join([GOOD, large, SECOND]))
    assert [(each.line, each.code) for each in found.problems] == [(2, "too-large")]
    assert [each.key for each in found.lines] == ["a", "b"]


@pytest.mark.one_database
def test_a_file_of_lines_may_be_larger_than_one_document() -> None:
    lines = [line(key=str(number), completion="x" * 900_000) for number in range(7)]
    found = read_completions(b"\n".join(lines))
    assert (len(found.lines), found.problems) == (7, ())
