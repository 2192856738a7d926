"""What an endpoint's own words teach of its parameters, and what they do not."""

import pytest

from evaluations.providers.lessons import Lesson, Sent, lesson_of, renamed, without

CHAT_LIMITS = ("max_completion_tokens", "max_tokens")


@pytest.mark.parametrize(
    "said",
    [
        "System role not supported",
        "Developer instruction is not enabled for models/m",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "This model doesn't support system messages. Try again without a system message.",
    ],
)
def test_wordings_that_teach_that_there_is_no_place_for_a_system_prompt(said: str) -> None:
    lesson = lesson_of(said=said, param="messages[0].role", codes={"unsupported_value"}, limits=CHAT_LIMITS)
    assert lesson is not None
    assert (lesson.name, lesson.to) == ("system_prompt", "the head of the question")


LEAVES_OUT = [
    ("Unsupported parameter: 'temperature' is not supported with this model.", "", "temperature"),
    ("Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",)
    + ("unsupported_value", "temperature"),
    ("Unrecognized request argument supplied: reasoning_effort", "", "reasoning_effort"),
    ("Unknown parameter: 'top_k'.", "", "top_k"),
    ("temperature: Extra inputs are not permitted", "", "temperature"),
    ("`temperature` is deprecated for this model.", "", "temperature"),
    ("`temperature` may only be set to 1 when thinking is enabled.", "", "temperature"),
    ("Model grok-4 does not support parameter reasoningEffort.", "", "reasoning_effort"),
    ("Argument not supported on this model: presencePenalty", "", "presence_penalty"),
    ("property 'logprobs' is unsupported", "", "logprobs"),
    ("logprobs are not supported with reasoning models.", "", "logprobs"),
    ("You are not allowed to request logprobs from this model", "", "logprobs"),
    ("openai does not support parameters: ['reasoning_effort'], for model=m", "", "reasoning_effort"),
    ('Invalid JSON payload received. Unknown name "seed": Cannot find field.', "", "seed"),
    ("{'detail': [{'type': 'extra_forbidden', 'loc': ['body', 'seed'], 'msg': 'Extra inputs are not permitted'}]}",)
    + ("", "seed"),
    ("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "", "reasoning.effort"),
]


@pytest.mark.parametrize(("said", "code", "name"), LEAVES_OUT)
def test_wordings_that_teach_to_leave_a_parameter_out(said: str, code: str, name: str) -> None:
    lesson = lesson_of(said=said, param=name if code else "", codes={code}, limits=CHAT_LIMITS)
    assert lesson == Lesson(name, "", said)


TEACHES_NOTHING = [
    ("Invalid value: 'temperature' must be at most 2.", "temperature", "decimal_above_max_value"),
    ("At what temperature is the reaction not supported? is no prompt of ours", "", ""),
    ("Your prompt 'the temperature, and top_p, of boiling' was flagged", "", "invalid_prompt"),
    ("Unsupported value: 'reasoning_effort' does not support 'none' with this model.", "", ""),
    ("Unsupported value: 'reasoning_effort' is 'none'.", "reasoning_effort", "unsupported_value"),
    ("`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "", ""),
    ("Unsupported parameter: 'model'", "model", "unsupported_parameter"),
    ("Unsupported parameter: 'messages'", "messages", "unknown_parameter"),
    ("Unknown parameter: 'store'.", "store", "unknown_parameter"),
    ("Unsupported parameter: 'temperature'. Unsupported parameter: 'top_p'.", "", ""),
    ("max_tokens is too large: 99999.", "max_tokens", "invalid_value"),
    ("Unsupported parameter: 'max_tokens'. Use 'max_output_tokens' instead.", "max_tokens", "unsupported_parameter"),
    ("", "", ""),
    ("Error in the system. Messages are not supported in batches.", "", ""),
]


@pytest.mark.parametrize(("said", "param", "code"), TEACHES_NOTHING)
def test_wordings_that_teach_nothing(said: str, param: str, code: str) -> None:
    assert lesson_of(said=said, param=param, codes={code}, limits=CHAT_LIMITS) is None


SENT = Sent(
    {"temperature": 0, "max_tokens": 50, "seed": None}, ("Be brief.", "A gas. Its temperature is\nunknown, why?")
)
QUOTES_THE_QUESTION = [
    ("Invalid prompt: its temperature is unknown, why", "", ""),
    ('Invalid prompt: "A gas at 2 atm whose temperature is unknown fills 3 L"', "", ""),
    ("Invalid prompt: 'A gas. temperature is not supported here ...", "", ""),
    ("Rejected: \u201cWhat if the temperature is unknown?\u201d", "", ""),
    ("A gas at 2 atm whose temperature is unknown", "", ""),
    ("Unknown parameter: 'temperature'", "messages[0].content", "invalid_value"),
    ("Unknown parameter: 'temperature'", "", "invalid_prompt"),
    ('The text "a system prompt is not supported" was flagged', "", ""),
    ("Unknown parameter: 'seed'", "seed", "unknown_parameter"),
    ("Unknown parameter: 'top_p'", "", ""),
    ("System role not supported", "", ""),
]


@pytest.mark.parametrize(("said", "param", "code"), QUOTES_THE_QUESTION)
def test_a_quoted_question_and_what_was_not_sent_teach_nothing(said: str, param: str, code: str) -> None:
    assert lesson_of(said=said, param=param, codes={code}, limits=CHAT_LIMITS, sent=SENT) is None


@pytest.mark.parametrize(
    "said",
    [
        "Unsupported parameter: 'temperature' is not supported with this model.",
        "For this model the temperature is not supported.",
        'BadRequestError: {"error": {"message": "Sorry, \'temperature\' is not supported here.", "code": 400}}',
        "Rejected 'Its temperature is unknown'. Unsupported parameter: temperature",
    ],
)
def test_its_own_words_teach_beside_a_quoted_question(said: str) -> None:
    assert lesson_of(said=said, param="", codes=(), limits=CHAT_LIMITS, sent=SENT) == Lesson("temperature", "", said)


@pytest.mark.parametrize(
    ("said", "limits", "name", "to"),
    [
        (
            "Unsupported parameter: 'max_tokens'. In the Responses API, this parameter has moved to "
            "'max_output_tokens'. Try again with the new parameter.",
            ("max_output_tokens",),
            "max_tokens",
            "max_output_tokens",
        ),
        (
            "Unsupported parameter: 'reasoning_effort'. In the Responses API, this parameter has moved to "
            "'reasoning.effort'. Try again with the new parameter.",
            ("max_output_tokens",),
            "reasoning_effort",
            "reasoning.effort",
        ),
        ("Unknown parameter: 'max_completion_tokens'.", CHAT_LIMITS, "max_completion_tokens", "max_tokens"),
        ("Extra inputs are not permitted: max_completion_tokens", CHAT_LIMITS, "max_completion_tokens", "max_tokens"),
    ],
)
def test_wordings_that_teach_another_name(said: str, limits: tuple[str, ...], name: str, to: str) -> None:
    assert lesson_of(said=said, param="", codes=(), limits=limits) == Lesson(name, to, said)


def test_parts_of_an_object_are_named_with_dots() -> None:
    parameters = {"reasoning": {"effort": "low", "summary": "auto"}, "top_p": 1}
    assert without(parameters, "reasoning.summary") == {"reasoning": {"effort": "low"}, "top_p": 1}
    assert without({"reasoning": {"effort": "low"}}, "reasoning.effort") == {}
    assert renamed({"reasoning_effort": "low"}, "reasoning_effort", "reasoning.effort") == {
        "reasoning": {"effort": "low"}
    }
    assert renamed(
        {"reasoning_effort": "low", "reasoning": {"summary": "auto"}}, "reasoning_effort", "reasoning.effort"
    )["reasoning"] == {"summary": "auto", "effort": "low"}
    assert renamed({"max_tokens": 1, "max_completion_tokens": 2}, "max_tokens", "max_completion_tokens") == {
        "max_completion_tokens": 2
    }
