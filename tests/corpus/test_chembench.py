"""One question file to a typed question, or the reason why not."""

import json
from decimal import Decimal

import pytest

from corpus.importers.chembench import read_question
from corpus.importers.types import BankFile, RefusedError
from corpus.scoring.types import Kind
from corpus.services.questions import option_key
from tests.corpus.bank import question


def read(value, path="data/icho/2010/1a.json"):
    text = value if isinstance(value, str) else json.dumps(value)
    return read_question(BankFile(path, text.encode()))


def refusal(value) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        read(value)
    return caught.value


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("data/icho/uk/2010/1a.json", "2010-1a-q"),
        ("data/Gen/1_separation methods_0.json", "Gen-1_separation methods_0-q"),
        ("1a.json", "1a-q"),
    ],
)
def test_key_is_last_folder_stem_and_name(path, key):
    assert read(question(), path).key == key


def test_a_choice_keeps_order_credits_and_identity():
    read_back = read(question(options={"P": 1, "Q": 0.5, "R": 0}))
    assert read_back.kind is Kind.CHOICE
    assert [(option.text, option.credit) for option in read_back.options] == [
        ("P", Decimal(1)),
        ("Q", Decimal("0.5")),
        ("R", Decimal(0)),
    ]
    assert read_back.options[1].key == option_key("Q")


@pytest.mark.parametrize(
    ("target", "stored"),
    [("4.15E-21", "4.15E-21"), ("-2.50", "-2.50"), (" 3 ", "3"), (42, "42"), (0.5, "0.5"), ("+1", "+1")],
)
def test_a_number_keeps_its_digits(target, stored):
    read_back = read(question(target=target))
    assert (read_back.kind, read_back.target) == (Kind.NUMBER, stored)


def test_options_are_trimmed():
    read_back = read(question(options={" A ": 1, "B\n": 0}))
    assert [option.text for option in read_back.options] == ["A", "B"]


def test_original_text_is_untouched():
    text = json.dumps(question(), indent=7) + "\r\n"
    assert read(text).original == text


def test_a_byte_order_mark_is_no_damage():
    assert read("\ufeff" + json.dumps(question())).name == "q"


def test_tolerance_and_unit_are_read():
    read_back = read({**question(target="5"), "relative_tolerance": 0.05, "unit": "kJ"})
    assert (read_back.tolerance, read_back.unit) == ("0.05", "kJ")


@pytest.mark.parametrize("tolerance", ["0", "0.999", "1e-9"])
def test_a_tolerance_is_a_share(tolerance: str):
    assert read({**question(target="5"), "tolerance": tolerance}).tolerance == tolerance


REFUSED = [
    ({**question(), "examples": []}, "no-examples", "there is none"),
    ({**question(), "examples": question()["examples"] * 2}, "several-examples", "2 examples"),
    ([question()], "not-a-question", "no JSON object"),
    (question(options={"P": 0, "Q": 0.0}), "no-right-option", "no right answer"),
    (question(options={"P": 1}), "one-option", "at least two"),
    (question(options={}), "no-options", "options"),
    (question(options={" A ": 1, "A": 0}), "option-duplicate", '"A" is given twice'),
    (question(options={"A  b": 1, "A\nb": 0}), "option-duplicate", "given twice"),
    (question(options={"\u00e9": 1, "e\u0301": 0}), "option-duplicate", "given twice"),
    (question(options={" ": 1, "A": 0}), "option-empty", "empty"),
    (question(options={"A": 2, "B": 0}), "credit-invalid", "from 0 to 1"),
    (question(options={"A": "1", "B": 0}), "credit-invalid", "from 0 to 1"),
    (question(options={"A": True, "B": 0}), "credit-invalid", "from 0 to 1"),
    (question(target="about 5"), "target-not-a-number", "about 5"),
    (question(target="inf"), "target-not-a-number", "inf"),
    (question(target="1_000"), "target-not-a-number", "1_000"),
    (question(target=True), "target-not-a-number", "True"),
    ({**question(target="5"), "tolerance": "-1"}, "tolerance-invalid", "0 or more and below 1"),
    ({**question(target="5"), "tolerance": "1e999"}, "tolerance-invalid", "below 1; it is 1e999"),
    ({**question(target="5"), "relative_tolerance": 1}, "tolerance-invalid", "below 1; it is 1."),
    ({**question(target="5"), "tolerance": "nan"}, "target-not-a-number", "nan"),
    (question(stem="  "), "no-stem", "input"),
    ({**question(), "name": ""}, "no-name", "key"),
    ({**question(), "uuid": 7}, "wrong-type", "uuid"),
    ({**question(), "keywords": "organic"}, "wrong-type", "keywords"),
    (question(stem="a\0b"), "nul-character", "examples[0].input"),
    (question(options={"a\0": 1, "b": 0}), "nul-character", "U+0000"),
    ({**question(), "meta": {"x": ["\ud800"]}}, "nul-character", "meta.x[0]"),
    ({**question(), "name": "n" * 301}, "too-long", "300"),
    ('{"examples": [1,]}', "json-invalid", "line 1, column 17: a comma before a closing bracket"),
    ('{\n "name": "a\nb"}', "json-invalid", "line 2, column 12: a raw line break"),
    ('{"name": NaN}', "json-invalid", "NaN"),
    ('{"name": "a", "name": "b"}', "field-repeated", '"name" is given twice'),
    ("[" * 100_000, "json-invalid", "cannot|this site can read"),
    ("", "json-invalid", "line 1, column 1"),
]


IDS = [f"{index}-{code}" for index, (_, code, _) in enumerate(REFUSED)]


@pytest.mark.parametrize(("value", "code", "words"), REFUSED, ids=IDS)
def test_refusals_say_what_to_do(value, code, words):
    error = refusal(value)
    assert error.code == code
    assert any(word in error.message for word in words.split("|"))


def test_both_keys_or_none_are_refused():
    both = question()
    both["examples"][0]["target"] = "1"
    neither = question()
    del neither["examples"][0]["target_scores"]
    assert (refusal(both).code, refusal(neither).code) == ("two-keys", "no-target")


def test_another_encoding_is_named_with_its_byte():
    with pytest.raises(RefusedError, match="byte 2") as caught:
        read_question(BankFile("a/b.json", b"{\xe9}"))
    assert caught.value.code == "encoding"
