"""Each place of an answer: registered, read on its own, and left out where the prompt asks for another."""

import pytest

from corpus.scoring.protocols import PROTOCOLS, UnknownProtocolError, chosen_protocols, protocol_names
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ReadStatus, ShownOption

TEXTS = ["ethanol", "methanol", "water", "air"]
SHOWN = tuple(ShownOption(letter, letter, text) for letter, text in zip("ABCD", TEXTS, strict=True))
CHOICE = Asked(Kind.CHOICE, SHOWN)
NUMBER = Asked(Kind.NUMBER)


def only(name: str, asked: Asked = CHOICE) -> Asked:
    return Asked(asked.kind, asked.shown, protocols=(name,))


# protocol, kind, reply, what is read, the text it is read from
READ = [
    ("tag", CHOICE, "First. [ANSWER]B[/ANSWER] Then.", "B", "B"),
    ("boxed", CHOICE, r"So \boxed{\text{C}} it is", "C", r"\text{C}"),
    ("final-answer", CHOICE, "It may be A.\nFINAL ANSWER: B\nDone.", "B", "B"),
    ("final-answer", CHOICE, "**Final Answer:** C", "C", "C"),
    ("final-answer", CHOICE, "Final answer: A\nNo.\nFinal answer: D", "D", "D"),
    ("final-answer", CHOICE, "final_answer = B", "B", "B"),
    ("final-answer", CHOICE, "FINAL ANSWER: A. Sorry, I made a mistake. The correct answer is B.", "B", "B"),
    ("final-answer", NUMBER, "Final Answer:\n\n42 g", "42", "42 g"),
    ("heading", CHOICE, "## Reasoning\nLong.\n## Answer\n\nB\n\nMore.", "B", "B"),
    ("heading", CHOICE, "### Final Answer\n**C. water**", "C", "**C. water**"),
    ("heading", CHOICE, "**Answer**\nA\n\n**Answer**\nD", "D", "D"),
    ("heading", CHOICE, "Final Answer\nB", "B", "B"),
    ("heading", CHOICE, "## Step 3: Final answer\nB", "B", "B"),
    ("heading", CHOICE, "**2. The correct answers:**\nA, C", "A,C", "A, C"),
    ("heading", CHOICE, "## Answer\nA\nWait, I made a mistake. The answer is C.", "C", "C"),
    ("heading", NUMBER, "# Answer #\nx = 3.5", "3.5", "x = 3.5"),
    ("announced", CHOICE, "Answer: B\n\n### Explanation of the answer:\n\nIt mixes.", "B", "B"),
    ("announced", CHOICE, "The best option is D.", "D", "D"),
    ("bare", CHOICE, " A, C ", "A,C", "A, C"),
    ("conclusion", NUMBER, "2 times 3.\nTherefore, the mass is 6 g.", "6", "6 g."),
    ("statement", CHOICE, "It mixes. So, A is correct.", "A", "A"),
    ("statement", CHOICE, "It mixes, and option C is the best choice here", "C", "C"),
    ("statement", CHOICE, "A and C are the correct answers, as it mixes.", "A,C", "A and C"),
    ("statement", CHOICE, "It mixes. I think it's B.", "B", "B"),
    ("statement", CHOICE, "I’d go with (B), because it mixes. So B is the answer.", "B", "B"),
    ("statement", CHOICE, "Because of that, A is correct.", "A", "A"),
    ("statement", CHOICE, "Because of that, A and B are correct.", "A,B", "A and B"),
    ("statement", CHOICE, "I choose B.", "B", "B"),
    ("statement", CHOICE, "I’d go with B.", "B", "B"),
    ("announced", CHOICE, "It mixes.\nAns: C", "C", "C"),
    ("announced", CHOICE, "It mixes. Ans.: C", "C", "C"),
    ("final-answer", CHOICE, "Final Answer: The final answer is C", "C", "The final answer is C"),
    # formulas, code and quotations on lines of their own
    *[
        ("announced", CHOICE, f"The answer is:{words}", "B", "B")
        for words in (
            "\n\n\\[\nB\n\\]",
            "\n$$\nB\n$$",
            "\n\n```\nB\n```",
            "\n```text\nB\n```",
            "\n\n> B",
            "\n\n\\[ \n B\n\\]",
        )
    ],
    ("announced", NUMBER, "Answer:\n\n$$\nx = 42\n$$", "42", "x = 42"),
    ("final-answer", NUMBER, "**Final answer:**\n\n\\[\n42\n\\]", "42", "42"),
    ("heading", NUMBER, "## Answer\n\n$$\n42\n$$", "42", "42"),
    ("heading", CHOICE, "## Answer\n> B", "B", "B"),
    # a dash, an arrow or nothing in place of the colon
    *[
        ("announced", CHOICE, f"It mixes.\n{words}", "B", "B")
        for words in ("Answer - B", "**Answer** – B", "Answer → B", "The answer -> B", "Ans. B", "Ans B", "Answer：B")
    ],
    *[("announced", NUMBER, words, "42", "42") for words in ("Answer - 42", "FINAL ANSWER – 42", "Ans. 42")],
    ("announced", NUMBER, "Answer - -42", "-42", "-42"),
    ("bare", NUMBER, "Answer -42", "-42", "Answer -42"),
    # words between
    *[
        ("announced", CHOICE, f"The answer{words} B.", "B", "B")
        for words in (", therefore, is", " is, therefore,", " is simply", " is in fact", " is of course", " has to be")
    ],
    ("announced", CHOICE, "The answer would therefore be B.", "B", "B"),
    ("announced", CHOICE, "The answer is actually B.", "B", "B"),
    ("first-line", CHOICE, "B\nIt mixes with oil in no way at all.", "B", "B"),
]


@pytest.mark.parametrize(("name", "asked", "text", "expected", "stretch"), READ)
def test_a_protocol_alone_reads_its_place(name: str, asked: Asked, text: str, expected: str, stretch: str) -> None:
    reading = read_answer(text=text, asked=only(name, asked))
    assert reading.status is ReadStatus.READ, reading.reason
    assert ",".join(reading.option_keys) + str(reading.number or "") == expected
    assert reading.span is not None
    assert text[slice(*reading.span)] == stretch
    assert read_answer(text=text, asked=asked).option_keys == reading.option_keys
    assert read_answer(text=text, asked=asked).number == reading.number


@pytest.mark.parametrize("name", protocol_names())
def test_a_protocol_leaves_other_places_alone(name: str) -> None:
    elsewhere = (
        "FINAL ANSWER: B" if name in {"tag", "boxed", "heading"} else "[ANSWER]B[/ANSWER] and more text after it"
    )
    assert read_answer(text=elsewhere, asked=only(name)).status is ReadStatus.UNPARSED


COMPLETION = "Which gas is it?\n\nOptions:\nA. ethanol\nB. methanol\n\nAnswer:"
# kind, what follows the prompt, what is read, from which place
CONTINUED = [
    (Kind.CHOICE, " B\n\n\nAnswer:\n\nI'm not sure, but it mixes.\n", "B", "continued prompt"),
    (Kind.CHOICE, " B, C\nHint:\n\nIt mixes.\nAnswer: The question is unclear.", "B,C", "continued prompt"),
    (Kind.CHOICE, " A,B\nZ", "A,B", "continued prompt"),
    # the options, repeated under a label, choose nothing and take nothing back
    (Kind.CHOICE, " A, B\n\nAnswer:\n\nA. ethanol\n\nB. methanol\n\nC. water\n\nD. air\n", "A,B", "continued prompt"),
    (Kind.CHOICE, " B\n\nAnswer: C", "C", "label"),
    (Kind.CHOICE, " B\n\nAnswer: Z", None, ""),
    (Kind.CHOICE, "\nIt mixes.\nB\nAnswer:\nIt mixes.", None, ""),
    (Kind.CHOICE, " It mixes.\nAnswer:\nIt mixes.", None, ""),
    (Kind.CHOICE, " B", "B", "bare reply"),
    (Kind.NUMBER, " 3.16\n\n\nAnswer:\n\nI'm not sure about 2 of them.\n", "3.16", "continued prompt"),
    (Kind.NUMBER, " +2\n\nA:\n\nIt is a charge.\nThe charge is +2.\n", "2", "continued prompt"),
    (Kind.NUMBER, " +2\n\nA:\n\nIt is a charge.\nThe charge is +5.\n", None, ""),
    (Kind.NUMBER, " 10\n\nA:\n\nAn article gives\n$$1s^22s^2$$\nor\n$$10e^-$$\n", None, ""),
]


@pytest.mark.parametrize("is_echoed", [True, False])
@pytest.mark.parametrize(("kind", "reply", "expected", "form"), CONTINUED)
def test_a_reply_goes_on_from_a_prompt_that_ends_in_a_label(
    kind: Kind, reply: str, expected: str | None, form: str, is_echoed: bool
) -> None:
    asked = Asked(kind, SHOWN if kind is Kind.CHOICE else (), COMPLETION)
    reading = read_answer(text=COMPLETION + reply if is_echoed else reply, asked=asked)
    found = ",".join(reading.option_keys) if kind is Kind.CHOICE else str(reading.number or "")
    assert (found or None) == expected
    assert not expected or reading.reason == f"Read from the {form}."


def test_a_short_prompt_is_continued_too_and_only_by_a_line_that_is_an_answer() -> None:
    asked = Asked(Kind.CHOICE, SHOWN, "Which?\nAnswer:")
    for blanks, is_read in ((398, True), (399, True), (400, False)):
        reading = read_answer(text="B" + " " * blanks + "\n\nAnswer: it mixes\n", asked=asked)
        assert (reading.status is ReadStatus.READ) is is_read


SAME_AGAIN = [
    "FINAL ANSWER: A. Wait, I made a mistake above. The answer is A.",
    "## Answer\nA\nWait, I made a mistake above. The answer is A.",
    "[ANSWER]A[/ANSWER] Wait, I made a mistake above. The answer is A.",
]


@pytest.mark.parametrize("text", SAME_AGAIN)
def test_a_correction_that_says_the_same_is_none(text: str) -> None:
    reading = read_answer(text=text, asked=CHOICE)
    assert reading.option_keys == ("A",)
    assert "corrected" not in reading.notes


def test_only_a_prompt_that_ends_in_a_label_is_continued() -> None:
    reply = " B\n\n\nAnswer:\n\nI'm not sure, but it mixes.\n"
    for prompt in ("", "Which gas is it?", "Give the answer: a letter.", "Answer: shortly, and with a letter."):
        assert read_answer(text=reply, asked=Asked(Kind.CHOICE, SHOWN, prompt)).status is ReadStatus.UNPARSED


NO_HEADING = [
    "The final answer\nis not known",
    "I think the answer\nB",
    "## Answer",
    "## Answer\n\n",
    "## Answer\nIt mixes with water, so nothing follows.",
    "## " + "very " * 20 + "answer\nB",
    "x" * 60 + "final answer\nB",
]


@pytest.mark.parametrize("text", NO_HEADING)
def test_what_is_no_heading_is_not_read_as_one(text: str) -> None:
    assert read_answer(text=text, asked=only("heading")).status is ReadStatus.UNPARSED


def test_a_heading_over_a_letter_no_option_has_is_an_attempt() -> None:
    reading = read_answer(text="## Answer\nZ", asked=CHOICE)
    assert (reading.status, reading.notes) == (ReadStatus.UNPARSED, ("unknown-letter",))


CUT = ["FINAL ANSWER: 4.1", "## Answer\n4.1"]


@pytest.mark.parametrize("text", CUT)
def test_a_cut_off_line_is_not_an_answer(text: str) -> None:
    assert read_answer(text=text, asked=NUMBER, finish_reason="length").status is ReadStatus.TRUNCATED
    whole = read_answer(text=text + "\nmore", asked=NUMBER, finish_reason="length")
    assert str(whole.number) == "4.1"


def test_a_statement_of_a_reply_that_was_cut_off_is_not_yet_one() -> None:
    reading = read_answer(text="So A is correct. But", asked=CHOICE, finish_reason="length")
    assert reading.status is ReadStatus.TRUNCATED


def test_stronger_places_win_whatever_comes_last() -> None:
    text = "[ANSWER]A[/ANSWER]\n\\boxed{B}\nFINAL ANSWER: C\n## Answer\nD\nThe answer is B."
    expected = {"tag": "A", "boxed": "B", "final-answer": "C", "heading": "D", "announced": "B"}
    names = list(expected)
    for place, name in enumerate(names):
        asked = Asked(Kind.CHOICE, SHOWN, protocols=tuple(reversed(names[place:])))
        assert read_answer(text=text, asked=asked).option_keys == (expected[name],)


NO_STATEMENT = [
    "A is correct, and B is correct.",
    "I think it's A. No, B is the correct answer.",
    "A is not correct.",
    "A is incorrect.",
    "A is the best conductor.",
    "A is right-handed.",
    "I think A better one is needed",
    "I think it's a mixture.",
    "CA is correct.",
    "Z is correct.",
]


@pytest.mark.parametrize("text", NO_STATEMENT)
def test_what_states_no_one_answer(text: str) -> None:
    assert read_answer(text=text, asked=CHOICE).status is ReadStatus.UNPARSED


def test_protocols_are_registered_by_name() -> None:
    assert protocol_names() == (
        *("tag", "boxed", "final-answer", "heading", "json", "continuation"),
        *("announced", "bare", "conclusion", "statement", "first-line"),
    )
    assert chosen_protocols(()) == tuple(PROTOCOLS.values())
    assert [protocol.name for protocol in chosen_protocols(["bare", "tag"])] == ["tag", "bare"]
    assert all(protocol.definition.endswith(".") for protocol in PROTOCOLS.values())


def test_an_unknown_protocol_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownProtocolError, match="no protocol 'tags'.*tag, boxed, final-answer"):
        read_answer(text="B", asked=Asked(Kind.CHOICE, SHOWN, protocols=("tags",)))
