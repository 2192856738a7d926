"""Replies that are one JSON object: only a member called `answer` is read."""

from decimal import Decimal

import pytest

from corpus.scoring.json_objects import MAX_LENGTH, answer_of_object, start_of_last_object
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ShownOption, Unread

OBJECTS = [
    ('{"answer": "C"}', "C"),
    ('{"answer": 7.50}', "7.50"),
    ('{"answer": 6e-3}', "6e-3"),
    ('{"answer": -12}', "-12"),
    ('{"answer": ["A", "C"]}', "A, C"),
    ('{"reasoning": "5 + 2", "answer": 7}', "7"),
    ('{"answer": 7, "other": 8}', "7"),
    ('{\n  "Final Answer" : "7 g",\n  "unit": "g"\n}', "7 g"),
    ('{"my_answer": "B"}', "B"),
    ('{"correct-answers": ["A", "B"]}', "A, B"),
    ('```json\n{"answer": 7}\n```', "7"),
    ('```\n{"answer": 7}\n```', "7"),
    ('{"a": {"answer": 3}, "answer": 4}', "4"),
    ('{"value": 7}', None),
    ('{"answer": true}', None),
    ('{"answer": null}', None),
    ('{"answer": NaN}', None),
    ('{"answer": {"value": 7}}', None),
    ('{"answer": ["A", 1, null]}', None),
    ('{"answer": 7} is what I get', None),
    ('It is {"answer": 7}', None),
    ('{"answer": 7', None),
    ("{5}", None),
    ('{"answer": 7,}', None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), OBJECTS)
def test_the_answer_of_an_object(text: str, expected: str | None) -> None:
    assert answer_of_object(text) == expected


@pytest.mark.parametrize(
    "text", ['{"first": 7, "second": 8}', '{"answer": 7, "final_answer": 8}', '{"answer": 7, "answer": 8}']
)
def test_an_object_that_does_not_say_which_member_is_the_answer(text: str) -> None:
    unread = Unread("Which member of this object is the answer is not said.", "several-members")
    assert answer_of_object(text) == unread
    for frame in ("{}", "[ANSWER]{}[/ANSWER]"):
        assert read_answer(text=frame.replace("{}", text), asked=Asked(Kind.NUMBER)).status == "unparsed"


def test_other_members_are_not_read() -> None:
    reading = read_answer(text='[ANSWER]{"answer": 7, "other": 8}[/ANSWER]', asked=Asked(Kind.NUMBER))
    assert reading.number == Decimal(7)


def test_a_long_text_and_a_deep_one_are_no_objects() -> None:
    filled = '{"answer": "%s"}'
    room = MAX_LENGTH - len(filled % "")
    assert answer_of_object(filled % ("x" * room)) == "x" * room
    assert answer_of_object(filled % ("x" * (room + 1))) is None
    assert answer_of_object('{"answer": ' + "[" * 1900 + "]" * 1900 + "}") is None


ENDS = [
    ('Propanol has three carbons.\n\n{"answer": "C"}', "C"),
    ('Here is the answer in JSON: {"answer": "C"}\n', "C"),
    ('Here:\n{\n  "reason": "a } b {\\"c\\"}", "answer": "C"}', "C"),
    ('{"answer": "A"} and then {"answer": "C"}', "C"),
    ("{'x'} " + '{"a": 1} ' * 40 + '{"answer": "C"}', "C"),
    ('Use {"answer": "A"} as the form. The answer is B.', "B"),
    ('The answer is B, not {"option": "A"}', "B"),
    ('A set {"answer": "C"', ""),
    ('A set "answer": "C"}', ""),
]


@pytest.mark.parametrize(("text", "letter"), ENDS)
def test_the_object_at_the_end_of_a_reply_is_read(text: str, letter: str) -> None:
    shown = tuple(ShownOption(name, name, f"text {name}") for name in "ABC")
    assert "".join(read_answer(text=text, asked=Asked(Kind.CHOICE, shown)).option_keys) == letter


def test_a_unit_in_the_object_at_the_end_counts() -> None:
    reading = read_answer(text='The mass is\n{"answer": 5, "unit": "mg"}', asked=Asked(Kind.NUMBER, unit="g"))
    assert (reading.number, reading.span) == (Decimal("0.005"), (12, 39))


def test_where_the_last_object_begins() -> None:
    assert start_of_last_object('ab {"a": {"b": 1}} \n') == 3
    assert start_of_last_object("ab {1}") == 6
    assert start_of_last_object('ab {"a": 1} c ') == 14
    assert start_of_last_object('{"a": "' + "b" * MAX_LENGTH + '"}') == MAX_LENGTH + 9


def test_what_is_no_json_ends_with_no_object() -> None:
    broken, deep = 'So {"answer" "B"}', '{"a": ' * 600 + '{"b": ' + "[" * 3000 + "}"
    for text in (broken, deep):
        assert start_of_last_object(text) == len(text)
        assert answer_of_object(text) is None
    assert start_of_last_object('So {"answer": "B"} ') == 3
