"""Replies read as a whole (cases AP-16, AP-19 to AP-29) and what people type and tick."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import UnknownReaderError, read_answer, read_chosen, read_typed_number, reader_names
from corpus.scoring.types import Asked, Kind, Outcome, Reading, ReadStatus, ShownOption

CHOICE = Asked(
    Kind.CHOICE, tuple(ShownOption(letter, letter.lower(), f"text {letter.lower() * 3}") for letter in "ABCD")
)
NUMBER = Asked(Kind.NUMBER)
ECHO = "The following is a question.\nYou can choose from A,B,C,D. For example, [ANSWER]A[/ANSWER].\n\nAnswer:"


def read_choice_reply(text: str, finish_reason: str = "", prompt: str = "") -> str:
    """Return the letters read, or the status where none was."""
    asked = Asked(Kind.CHOICE, CHOICE.shown, prompt)
    reading = read_answer(text=text, asked=asked, finish_reason=finish_reason)
    return "".join(reading.option_keys).upper() if reading.status is ReadStatus.READ else reading.status.value


def read_number_reply(text: str, finish_reason: str = "", prompt: str = "") -> str:
    """Return the number read, or the status where none was."""
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, prompt=prompt), finish_reason=finish_reason)
    return str(reading.number) if reading.status is ReadStatus.READ else reading.status.value


CHOICE_REPLIES = [
    # AP-16: the last complete tag wins
    ("[ANSWER]A[/ANSWER] Wait, that is wrong. [ANSWER]B[/ANSWER]", "B"),
    ("[ANSWER]A[/ANSWER] or [ANSWER]C, D[/ANSWER]", "unparsed"),
    ("[ANSWER]A[/ANSWER] and then [ANSWER][/ANSWER]", "A"),
    ("[ANSWER]A[/ANSWER] [ANSWER]N/A[/ANSWER]", "unparsed"),
    ("[ANSWER]A[/ANSWER] Wait, I made a mistake. The correct answer is B.", "B"),
    ("[ANSWER]A[/ANSWER] Sorry, the correct answer is unclear.", "A"),
    ("[ANSWER]A[/ANSWER] The correct answer is A because B is wrong.", "A"),
    ("[ANSWER]A[/ANSWER] The correct answer is B, some would say.", "A"),
    ("[ANSWER] I derive it first: [ANSWER]D[/ANSWER]", "D"),
    # misspelt tags
    ("<ANSWER>B</ANSWER>", "B"),
    ("[answer]B[/answer]", "B"),
    ("[ANSWER]B[/ANswer]", "B"),
    (r"[ANSWER]B[\ANSWER]", "B"),
    ("[ANSWER]B[/ANSER]", "B"),
    ("[ANSWER]B[ANSWER]", "B"),
    ("[ANSWER] B [/ ANSWER ]", "B"),
    ("[FINAL ANSWER]B[/FINAL ANSWER]", "B"),
    ("[ANSWER>B</ANSWER]", "B"),
    (r"\[ \textbf{[ANSWER]}B\textbf{[/ANSWER]} \]", "B"),
    (r"\[ANSWER\]B\[/ANSWER\]", "B"),
    # half a tag
    ("The working.\nB [/ANSWER]", "B"),
    ("The working.\n[/ANSWER] B, C", "BC"),
    ("ANSWER: B [/ANSWER]", "B"),
    ("The working. [ANSWER] B", "B"),
    ("The working. [ANSWER]", "unparsed"),
    ("[ANSWER]", "unparsed"),
    # placeholders
    ("Use [ANSWER]<answer>[/ANSWER]: [ANSWER]B[/ANSWER]", "B"),
    ("[ANSWER]B[/ANSWER] as in [ANSWER]<answer>[/ANSWER]", "B"),
    ("[ANSWER]...[/ANSWER]", "unparsed"),
    ("[ANSWER]your answer here[/ANSWER]", "unparsed"),
    # AP-19: letters inside words
    ("ANSWER: None of the above", "unparsed"),
    ("Answer seems to be A.\nAnswer: C", "C"),
    ("The answer is C because I integrated.", "C"),
    ("The answer is A good question.", "unparsed"),
    ("The answer is B or C.", "unparsed"),
    ("The answer is not B.", "unparsed"),
    ("B is a letter that occurs. So does C.", "unparsed"),
    # forms without a tag
    ("B", "B"),
    ("**B**", "B"),
    ("A, C", "AC"),
    ("B\n\nBecause it is so.", "B"),
    ("A, B\nZ", "unparsed"),
    ("B. text bbb", "B"),
    ("text bbb", "B"),
    ("The correct answer is C. It is the one.", "C"),
    ("The correct option is (C).", "C"),
    ("The correct answers are B and C.", "BC"),
    ("So the final answer is:\n\n**C**", "C"),
    ("**Answer:** C", "C"),
    ("FINAL ANSWER: C", "C"),
    ("Final Answer: C. text ccc", "C"),
    ("The correct answer is option C: text ccc.", "C"),
    ("The answer to this question is C.", "C"),
    (r"Thus \boxed{C}", "C"),
    (r"\boxed{A} at first, at last $\boxed{\text{C}}$.", "C"),
    (r"\boxed{\boxed{C}}", "C"),
    (r"\boxed{C", "unparsed"),
    ("The answer is A.\nNo: the answer is B.", "B"),
    # AP-20, AP-21
    ("[ANSWER]text bbb[/ANSWER]", "B"),
    ("[ANSWER]B. text bbb[/ANSWER]", "B"),
    ("[ANSWER]B. text ccc[/ANSWER]", "unparsed"),
    *[(f"[ANSWER]{b}[/ANSWER]", "B") for b in ("**B**", "$B$", "(B)", r"\text{B}", r"\mathrm{B}", '"B"', "B)", "B.")],
    # AP-25
    ("", "empty"),
    ("   \n", "empty"),
    ("I can't help with that.", "refused"),
    ("[ANSWER][/ANSWER]", "unparsed"),
    ("[ANSWER]Z[/ANSWER]", "unparsed"),
    # AP-26
    ("As an AI I cannot give medical advice, however [ANSWER]D[/ANSWER]", "D"),
    ("I must decline. [ANSWER][/ANSWER]", "refused"),
    ("I'm sorry, but I can't assist with that request.", "refused"),
    ("I apologize, but I cannot provide information about it.", "refused"),
    ("I am unable to answer.", "refused"),
    ("[ANSWER]I cannot answer this.[/ANSWER]", "refused"),
    ("I cannot help. [ANSWER]Z[/ANSWER]", "unparsed"),
    ("It cannot be determined.", "unparsed"),
    ("I cannot see how, but we find the answer is B.", "B"),
    # AP-28
    ("Agent stopped due to iteration limit or time limit.", "gave_up"),
    ("Agent stopped due to max iterations.", "gave_up"),
    ("[ANSWER]B[/ANSWER]\nAgent stopped due to iteration limit or time limit.", "B"),
    ("assistant", "unparsed"),
    # long content inside the tag
    ("[ANSWER]The answer is likely A, text aaa, but not surely so.[/ANSWER]", "A"),
    ("[ANSWER] Lower it (option B) and raise it (option D). [/ANSWER]", "BD"),
    # the reply runs on into a question of its own
    ("B\n\nQuestion: Another one?\n\nAnswer: D", "B"),
    ("Question: restated\nAnswer: D", "D"),
]


@pytest.mark.parametrize(("text", "expected"), CHOICE_REPLIES)
def test_choice_reply(text: str, expected: str) -> None:
    assert read_choice_reply(text) == expected


NUMBER_REPLIES = [
    ("[ANSWER]3[/ANSWER] and so on [ANSWER]4[/ANSWER]", "4"),
    ("[ANSWER]-30,329.20[/ANSWER]", "-30329.20"),
    ("[ANSWER]2.20 + 0.962 = 3.162[/ANSWER]", "3.162"),
    ("[ANSWER]63.5/23.0 x 100[/ANSWER]", "unparsed"),
    ("[ANSWER]First this.\n\nm = 3 g / 2 = 1.5 g\n\n[/ANSWER]", "1.5"),
    ("[ANSWER]Therefore, the mass is 1.5 g.[/ANSWER]", "1.5"),
    ("[ANSWER]First 2, then 3.[/ANSWER]", "unparsed"),
    ("n = 10,000,000 g / 236.5 = 42,257 moles [/ANSWER]", "42257"),
    ("ANSWER: 3 [/ANSWER]", "3"),
    ("Therefore, the molar mass of the sample is 33,640 g/mol.", "33640"),
    ("x = 0.102 * 94\n\nx = 1.09\n\nTherefore, the difference is 1.09.", "1.09"),
    ("Therefore, it lies between 1 and 2.", "unparsed"),
    ("The mass is 1.09.", "1.09"),
    ("The answer is 42 g/mol, because 6 times 7 is that.", "42"),
    ("The final answer is: $\\boxed{4.2}$", "4.2"),
    ("Answer: 4.2 g", "4.2"),
    ("4.2", "4.2"),
    ("4.2 g", "4.2"),
    ("4.2\n\nThis follows from the text.", "4.2"),
    ("x = 3\n\nand more", "unparsed"),
    # AP-29
    ("The molecular weight cannot be found", "unparsed"),
    ("eleven", "11"),
    ("none", "unparsed"),
    ("often", "unparsed"),
    # a second speaker opens another answer and does not finish it
    ("10\n\nA:\n\nThe configuration is $1s^2$, or $10e^-$", "unparsed"),
    ("Agent stopped due to iteration limit or time limit.", "gave_up"),
    # run on into another question
    ("3\n\n## Example 2\n\nReturn a number.\n\nQuestion: How many?\n\nAnswer: 4", "3"),
    ("Answer: several\n\nQuestion: How many?\n\nAnswer: 4", "unparsed"),
    ("Let me see.\n\nQuestion: How many?\n\nAnswer: 4", "4"),
]


@pytest.mark.parametrize(("text", "expected"), NUMBER_REPLIES)
def test_number_reply(text: str, expected: str) -> None:
    assert read_number_reply(text) == expected


# AP-23
THINKING = [
    ("<think>maybe [ANSWER]A[/ANSWER]</think>[ANSWER]C[/ANSWER]", "C"),
    ("maybe [ANSWER]A[/ANSWER]</think>[ANSWER]C[/ANSWER]", "C"),
    ("<think>so [ANSWER]A[/ANSWER]", "truncated"),
    ("<think>a</think> first <think>so [ANSWER]A[/ANSWER]</think> The answer is C.", "C"),
    ("<think>outer <think>inner</think> [ANSWER]A[/ANSWER]</think> [ANSWER]C[/ANSWER]", "C"),
    ("<thinking>[ANSWER]A[/ANSWER]</thinking>[ANSWER]C[/ANSWER]", "C"),
    ("<reasoning>[ANSWER]A[/ANSWER]</reasoning>C", "C"),
    ("[THINK]A[/THINK]C", "C"),
    ("<THINK>A</THINK>C", "C"),
    ("<|channel|>analysis<|message|>[ANSWER]A[/ANSWER]<|channel|>final<|message|>[ANSWER]C[/ANSWER]", "C"),
    ("[ANSWER]C[/ANSWER]<think>or [ANSWER]A[/ANSWER]", "C"),
    ("<think>[ANSWER]A[/ANSWER]</think>", "empty"),
    ("<think>[ANSWER]A[/ANSWER]</think>   \n", "empty"),
    ("if x<y we think [ANSWER]C[/ANSWER]", "C"),
]


@pytest.mark.parametrize(("text", "expected"), THINKING)
def test_thinking_is_left_out(text: str, expected: str) -> None:
    assert read_choice_reply(text) == expected


# Replies whose end nobody explained; two hundred words are a long reply
LONG = "We look at each part in turn. " * 40
BROKEN_OFF = [
    (LONG + "However, the", "", "truncated"),
    (LONG + "so that x = 4 * (", "", "truncated"),
    (LONG + "We have:\n- 2,3-Di", "", "truncated"),
    (LONG + "-> B2H6 (g) + 6H2 (g)", "", "truncated"),
    (LONG + "However, the", "stop", "unparsed"),
    (LONG + "It cannot be found.", "", "unparsed"),
    (LONG + 'It is "unknown."', "", "unparsed"),
    (LONG + "It is (not known).", "", "unparsed"),
    (LONG + "It is **not known.**", "", "unparsed"),
    (LONG + r"\[ x = y \]", "", "unparsed"),
    (LONG + "$$x = y$$", "", "unparsed"),
    (LONG + "[ANSWER]many[/ANSWER]", "", "unparsed"),
    (LONG + "[ANSWER]many[/ANSWER] since the", "", "unparsed"),
    ("However, the", "", "unparsed"),
    ("x" * 999, "", "unparsed"),
    ("x" * 1000, "", "truncated"),
    ("<think>" + LONG + "</think>However, the", "", "truncated"),
    (LONG + "I am sorry, but I cannot help with", "", "refused"),
    ("Agent stopped due to iteration limit " + LONG + "and", "", "gave_up"),
    (LONG + "[ANSWER]3[/ANSWER] since the", "", "3"),
    (LONG + " " * 9, "", "unparsed"),
    ("<think>" + LONG + "</think>No.", "", "unparsed"),
]


@pytest.mark.parametrize(("text", "finish_reason", "expected"), BROKEN_OFF)
def test_a_long_reply_that_breaks_off(text: str, finish_reason: str, expected: str) -> None:
    assert read_number_reply(text, finish_reason) == expected


# AP-24 and the provider's own signals
FINISHED = [
    ("Therefore the mass is 3", "length", "truncated"),
    ("Answer: 3", "length", "truncated"),
    ("3", "length", "truncated"),
    ("[ANSWER]3", "length", "truncated"),
    ("", "length", "truncated"),
    ("[ANSWER]3[/ANSWER] and further", "length", "3"),
    (r"\boxed{3} and further", "length", "3"),
    ("Answer: 3\nand further", "length", "3"),
    ("[ANSWER]N/A[/ANSWER]", "length", "unparsed"),
    ("[ANSWER]3", "stop", "3"),
    ("", "content_filter", "refused"),
    ("", "refusal", "refused"),
    ("Some words", "content_filter", "refused"),
    ("[ANSWER]3[/ANSWER]", "content_filter", "3"),
    ("[ANSWER]3[/ANSWER]", "refusal", "3"),
    ("", "stop", "empty"),
]


@pytest.mark.parametrize(("text", "finish_reason", "expected"), FINISHED)
def test_finish_reason(text: str, finish_reason: str, expected: str) -> None:
    assert read_number_reply(text, finish_reason) == expected


ECHOES = [
    (f"{ECHO} C", "C"),
    (f"{ECHO}\n\n\n", "empty"),
    (f"{ECHO} C\n\n{ECHO} D", "C"),
    (f"You asked: {ECHO}\n\nMy answer is C.", "C"),
    (f"<|user|>{ECHO}<|assistant|> [ANSWER]C[/ANSWER]", "C"),
    (f"{ECHO} Well, it is one of them.", "unparsed"),
]


@pytest.mark.parametrize(("text", "expected"), ECHOES)
def test_echoed_prompt_is_left_out(text: str, expected: str) -> None:
    assert read_choice_reply(text, prompt=ECHO) == expected


def test_echo_would_have_been_the_answer() -> None:
    assert read_choice_reply(f"{ECHO} Well, it is one of them.") == "A"


def test_a_very_short_prompt_is_no_echo() -> None:
    assert read_number_reply("3", prompt="3") == "3"


def test_span_points_into_the_raw_text() -> None:
    text = f"{ECHO} <think>A</think> so [ANSWER]  C [/ANSWER]."
    reading = read_answer(text=text, asked=Asked(Kind.CHOICE, CHOICE.shown, ECHO))
    assert reading.span is not None
    assert text[slice(*reading.span)] == "C"
    assert text[: reading.span[0]].endswith("[ANSWER]  ")


def test_span_of_an_unreadable_answer_is_kept() -> None:
    text = "[ANSWER] about five or so [/ANSWER]"
    reading = read_answer(text=text, asked=NUMBER)
    assert reading.status is ReadStatus.UNPARSED
    assert reading.span is not None
    assert text[slice(*reading.span)] == "about five or so"


NOTES = [
    ("As an AI I cannot give advice, however [ANSWER]D[/ANSWER]", ("hedged",)),
    ("[ANSWER]D[/ANSWER]", ()),
    ("[ANSWER]Z[/ANSWER]", ("unknown-letter",)),
    ("[ANSWER]B. text ccc[/ANSWER]", ("contradiction",)),
    ("[ANSWER]text bbb[/ANSWER]", ("by-text",)),
    ("Text bbb is the right answer.", ("by-text",)),
    ("B [/ANSWER]", ("lone-closing-tag",)),
    ("[ANSWER] B", ("unclosed-tag",)),
    ("[ANSWER]A[/ANSWER] Wait, I made a mistake. The answer is B.", ("corrected",)),
    ("[ANSWER]A[/ANSWER] Oops, I meant B.", ("corrected",)),
    ("B\n\nQuestion: Another one?\n\nAnswer: D", ("run-on",)),
]


@pytest.mark.parametrize(("text", "notes"), NOTES)
def test_notes(text: str, notes: tuple[str, ...]) -> None:
    assert read_answer(text=text, asked=CHOICE).notes == notes


def test_unit_of_the_question() -> None:
    asked = Asked(Kind.NUMBER, unit="mol")
    converted = read_answer(text="[ANSWER]2.30mmol[/ANSWER]", asked=asked)
    assert (converted.number, converted.unit, converted.notes) == (Decimal("0.00230"), "mmol", ("unit-converted",))
    differs = read_answer(text="[ANSWER]2.30 g[/ANSWER]", asked=asked)
    assert (differs.number, differs.unit, differs.notes) == (Decimal("2.30"), "g", ("unit-differs",))


PERCENT = [("60%", "60"), ("60 %", "60"), ("60 percent", "60"), ("0.60", "0.60"), ("60% of 100", "60")]


@pytest.mark.parametrize(("text", "number"), PERCENT)
def test_percent(text: str, number: str) -> None:
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER, unit="%"))
    assert (reading.number, reading.notes) == (Decimal(number), ())


def test_option_keys_follow_the_order_shown_without_repeats() -> None:
    assert read_answer(text="[ANSWER]C, A, C[/ANSWER]", asked=CHOICE).option_keys == ("a", "c")


def test_letters_are_those_shown_not_those_of_the_bank() -> None:
    turned = Asked(Kind.CHOICE, (ShownOption("A", "second", "two"), ShownOption("B", "first", "one")))
    assert read_answer(text="[ANSWER]A[/ANSWER]", asked=turned).option_keys == ("second",)


def test_a_text_question_keeps_where_the_answer_stands() -> None:
    reading = read_answer(text="It is [ANSWER]CCO[/ANSWER].", asked=Asked(Kind.MOLECULE))
    assert (reading.status, reading.span) == (ReadStatus.READ, (14, 17))


def test_reader_is_named_and_an_unknown_one_refused() -> None:
    assert read_answer(text="B", asked=CHOICE).reader == "standard@1"
    assert reader_names() == ("standard@1",)
    with pytest.raises(UnknownReaderError, match="standard@1"):
        read_answer(text="B", asked=CHOICE, reader="standard@99")


def test_every_status_but_read_is_an_outcome() -> None:
    assert {status.value for status in ReadStatus} - {"read"} <= {outcome.value for outcome in Outcome}


TYPED = [
    ("4.15×10^-21", ReadStatus.READ, "4.15E-21"),
    ("12,5", ReadStatus.READ, "12.5"),
    ("-0.6Dq", ReadStatus.READ, "-0.6"),
    ("4-", ReadStatus.READ, "-4"),
    ("  7 ", ReadStatus.READ, "7"),
    ("", ReadStatus.EMPTY, None),
    ("  ", ReadStatus.EMPTY, None),
    ("asdf", ReadStatus.UNPARSED, None),
    ("3 or 4", ReadStatus.UNPARSED, None),
    ("I do not know.", ReadStatus.DO_NOT_KNOW, None),
    ("i don’t know", ReadStatus.DO_NOT_KNOW, None),
    ("no idea", ReadStatus.UNPARSED, None),
]


@pytest.mark.parametrize(("text", "status", "number"), TYPED)
def test_typed_number(text: str, status: ReadStatus, number: str | None) -> None:
    reading = read_typed_number(text)
    assert (reading.status, reading.number) == (status, None if number is None else Decimal(number))


def test_a_whole_reply_that_says_it_does_not_know_is_its_own_status() -> None:
    offered = Asked(Kind.CHOICE, (ShownOption("A", "a", "I don't know"), ShownOption("B", "b", "4")))
    cases = [
        ("I do not know.", Asked(Kind.NUMBER), "stop", ReadStatus.DO_NOT_KNOW),
        (" I don’t know", CHOICE, "", ReadStatus.DO_NOT_KNOW),
        ("I do not know", Asked(Kind.TEXT), "stop", ReadStatus.DO_NOT_KNOW),
        ("I do not know", Asked(Kind.NUMBER), "length", ReadStatus.TRUNCATED),
        ("I do not know. [ANSWER]A[/ANSWER]", CHOICE, "stop", ReadStatus.READ),
        ("I do not know", Asked(Kind.NUMBER), "refusal", ReadStatus.REFUSED),
        ("I don't know", offered, "stop", ReadStatus.READ),
    ]
    for text, asked, finish, status in cases:
        assert read_answer(text=text, asked=asked, finish_reason=finish).status is status, text


def test_typed_number_says_what_to_ask_back() -> None:
    assert read_typed_number("12,5").notes == ("decimal-comma",)
    assert read_typed_number("12,500").notes == ("ambiguous-separator",)
    assert read_typed_number(" 5 mol ").span == (1, 6)


CHOSEN = [
    (["c", "a", "a"], ReadStatus.READ, ("a", "c")),
    (["b"], ReadStatus.READ, ("b",)),
    ([], ReadStatus.EMPTY, ()),
    (["b", "z"], ReadStatus.UNPARSED, ()),
]


@pytest.mark.parametrize(("keys", "status", "chosen"), CHOSEN)
def test_ticked_options(keys: list[str], status: ReadStatus, chosen: tuple[str, ...]) -> None:
    reading = read_chosen(keys, CHOICE)
    assert (reading.status, reading.option_keys) == (status, chosen)


def test_ticked_and_written_options_read_alike() -> None:
    written = read_answer(text="[ANSWER]A, C[/ANSWER]", asked=CHOICE)
    ticked = read_chosen(["c", "a"], CHOICE)
    assert isinstance(ticked, Reading)
    assert (written.option_keys, written.reader) == (ticked.option_keys, ticked.reader)


ENDLESS = [
    ("0." + "0" * 50, ReadStatus.TRUNCATED),
    ("$0." + "0" * 300, ReadStatus.TRUNCATED),
    ("-1." + "0" * 3000, ReadStatus.TRUNCATED),
    ("The answer is 0." + "3" * 80, ReadStatus.TRUNCATED),
    ("[ANSWER]0." + "0" * 80, ReadStatus.TRUNCATED),
    ("0." + "0" * 49, ReadStatus.READ),
    ("[ANSWER]0." + "0" * 80 + "[/ANSWER]", ReadStatus.READ),
    ("[ANSWER]5[/ANSWER]\n0." + "0" * 80, ReadStatus.READ),
    ("a" * 60, ReadStatus.UNPARSED),
]


@pytest.mark.parametrize(("text", "status"), ENDLESS)
def test_a_numeral_that_never_ended(text: str, status: ReadStatus) -> None:
    for finish_reason in ("", "stop"):
        assert read_answer(text=text, asked=Asked(Kind.NUMBER), finish_reason=finish_reason).status is status
    refused = read_answer(text=text, asked=Asked(Kind.NUMBER), finish_reason="refusal")
    assert refused.status is (ReadStatus.READ if status is ReadStatus.READ else ReadStatus.REFUSED)
