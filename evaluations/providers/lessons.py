"""What an endpoint's refusal of a parameter teaches: leave it out, or send it under the name the message gives.

Only parameters that shape how a reply is made can be learned, never what is asked of whom; and only from wordings that
name the parameter as the one that is not taken. A message that merely speaks of temperature, as many questions of
chemistry do, teaches nothing; nor does one that quotes the question, whatever the question says.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
# What a model may take with its own default only; an endpoint that refuses our value is asked without one.
_BY_DEFAULT_ONLY = frozenset(
    {"temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}
    | {"seed", "logprobs", "top_logprobs", "logit_bias", "parallel_tool_calls", "reasoning.summary"}
)
# What a model may not know at all. A value of these that is refused is for a person to choose anew.
_KNOWN = _BY_DEFAULT_ONLY | {
    *("reasoning_effort", "reasoning", "reasoning.effort", "thinking", "verbosity", "text.verbosity", "stop", "user"),
    *("service_tier", "metadata", "truncation", "include", "safety_identifier", "prompt_cache_key"),
}
_RENAMES = {"reasoning_effort": ("reasoning.effort",), "verbosity": ("text.verbosity",)}
_LEARNABLE = frozenset({*_KNOWN, *TOKEN_LIMITS})
# Sorted so that of `reasoning.effort` and `reasoning_effort` the latter is what `reasoningEffort` means.
_SPELLINGS = {re.sub(r"[._]", "", name): name for name in sorted(_LEARNABLE)}

_NOT_TAKEN = frozenset({"unsupported_parameter", "unknown_parameter", "extra_forbidden"})
_NAME = r"[`'\"\[(]*(?P<name>[A-Za-z_][A-Za-z_.]*[A-Za-z_])[`'\"\])]*"
_REFUSED = (
    r"(?:not (?:currently )?(?:supported|allowed|permitted|available|accepted|recogni[sz]ed)|unsupported|unknown|"
    r"(?:no longer supported|deprecated))"
)
_PARAMETER = r"(?:request )?(?:parameters?|arguments?|fields?|propert(?:y|ies)|names?|params?|keys?|inputs?)"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:unsupported|unknown|unrecogni[sz]ed|unexpected|invalid) {_PARAMETER}(?: supplied)?:? {_NAME}",
        rf"\b{_PARAMETER}:? {_NAME} (?:is|are) {_REFUSED}",
        # Within a sentence a name stands in quotes: `whose temperature is unknown` is no server's way to say it.
        rf"(?:(?:^|[:;(.,])\s*|\s(?:the )?(?=[`'\"])|\bthe ){_NAME} ?:? ?(?:is|are|property is) {_REFUSED}",
        rf"{_NAME}: extra inputs are not permitted",
        rf"extra inputs are not permitted: {_NAME}",
        rf"'loc': [(\[]'body', {_NAME}.{{0,40}}extra inputs are not permitted",
        rf"do(?:es)? not support (?:the )?{_PARAMETER}:? {_NAME}",
        rf"{_PARAMETER} not supported (?:on|by|with) this model: {_NAME}",
        rf"not allowed to request {_NAME}",
    )
)
_VALUE_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"unsupported value: {_NAME}",
        rf"(?:^|[\s:;(]){_NAME} (?:may|can) only be (?:set to )?\S+ (?:when|with|for)\b",
        rf"(?:^|[\s:;(]){_NAME} does not support \S+ with this model",
    )
)
# Not a parameter, but learned like one: a model without a place for a system prompt gets it within the question.
SYSTEM_PROMPT = "system_prompt"
THE_QUESTION = "the head of the question"
_OF_THE_SYSTEM = r"['\"`]?(?:system|developer)['\"`]? (?:role|message|prompt|instruction)s?"
_NO_SYSTEM_PROMPT = re.compile(
    rf"\b{_OF_THE_SYSTEM} (?:(?:is|are) )?(?:not (?:supported|enabled|allowed)|unsupported)"
    rf"|(?:does not|doesn.t) support (?:the )?{_OF_THE_SYSTEM}"
    r"|\.role['\"`]? does not support ['\"`]?(?:system|developer)\b",
    re.IGNORECASE,
)
# What a message quotes: a passage in quotes that is more than a name, to the end where a message was cut short.
_QUOTED = re.compile(
    r"(?<![\w'\"`])(?P<mark>['\"`])(?=\S)(?P<text>.*?)(?:(?P=mark)(?!\w)|\Z)|“(?P<curly>[^”]*)(?:”|\Z)", re.DOTALL
)
# Routers send the message of another server as JSON: what stands there in quotes is a message, too.
_MESSAGE_WITHIN = re.compile(r"(?:message|msg|detail|error)['\"]\s*:\s*\Z", re.IGNORECASE)
_ABOUT_THE_QUESTION = ("messages", "input", "prompt", "contents")
_INSTEAD = re.compile(r"(?i)\b(?:use|moved to|replaced by|renamed to) [`'\"](?P<name>[A-Za-z_.]+)[`'\"]")


@dataclass(frozen=True, slots=True)
class Lesson:
    """One parameter that an endpoint does not take: left out (`to` is ""), or sent as `to`. `message` says so."""

    name: str
    to: str
    message: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What an endpoint was sent: the parameters (and the system prompt, as one), and the texts it may quote."""

    parameters: Mapping[str, Any]
    texts: Sequence[str]


def lesson_of(
    *, said: str, param: str, codes: Iterable[str], limits: tuple[str, ...], sent: Sent | None = None
) -> Lesson | None:
    """Return what an endpoint's message teaches, None where it teaches nothing.

    `param` and `codes` are what stands beside the message and go before its words; `limits` are the names under which
    the interface may take a limit of tokens, the usual one first. A limit is never left out: it is sent under another
    name, or not learned. With `sent` only what was sent can be learned, and words of those texts teach nothing.
    """
    lesson = _lesson(said, param, frozenset(codes), limits, sent.texts if sent else ())
    return None if lesson and sent and value_of(sent.parameters, lesson.name) is None else lesson


def _lesson(
    said: str, param: str, codes: frozenset[str], limits: tuple[str, ...], texts: Sequence[str]
) -> Lesson | None:
    if any(_own([_NO_SYSTEM_PROMPT], said, texts)):
        return Lesson(SYSTEM_PROMPT, THE_QUESTION, said)
    name, is_value = _refused(said, param, codes, texts)
    if name in TOKEN_LIMITS and not is_value:
        to = _limit_instead(name, said, limits)
        return Lesson(name, to, said) if to else None
    if name not in (_BY_DEFAULT_ONLY if is_value else _KNOWN):
        return None
    to = _named(_INSTEAD.search(said))
    return Lesson(name, to if to in _RENAMES.get(name, ()) else "", said)


def without(parameters: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the parameters without one of them; a name with a dot stands for a part of an object."""
    head, _, rest = name.partition(".")
    kept = {each: value for each, value in parameters.items() if each != head}
    if rest and head in parameters:
        inside = parameters[head]
        left = without(inside, rest) if isinstance(inside, Mapping) else inside
        return {**kept, head: left} if left else kept
    return kept


def value_of(parameters: Mapping[str, Any], name: str) -> Any:
    """Return what is sent under a name (with a dot: a part of an object), None where nothing is."""
    head, _, rest = name.partition(".")
    value = parameters.get(head)
    if not rest:
        return value
    return value_of(value, rest) if isinstance(value, Mapping) else None


def renamed(parameters: Mapping[str, Any], name: str, to: str) -> dict[str, Any]:
    """Return the parameters with one under its other name; what stands under that already is kept."""
    value, kept = value_of(parameters, name), without(parameters, name)
    if value is None or value_of(kept, to) is not None:
        return kept
    head, _, rest = to.partition(".")
    if not rest:
        return {**kept, head: value}
    inside = kept.get(head)
    return {**kept, head: {**(inside if isinstance(inside, Mapping) else {}), rest: value}}


def _refused(said: str, param: str, codes: frozenset[str], texts: Sequence[str]) -> tuple[str, bool]:
    """Return the known name of the parameter that is not taken ("" for none) and whether only its value is not."""
    stated = _known(param)
    if stated and codes & _NOT_TAKEN:
        return stated, False
    if stated and "unsupported_value" in codes:
        return stated, True
    if param.startswith(_ABOUT_THE_QUESTION) or "invalid_prompt" in codes:
        return "", False
    for patterns, is_value in ((_VALUE_PATTERNS, True), (_PATTERNS, False)):
        names = {name for found in _own(patterns, said, texts) if (name := _named(found))}
        if len(names) == 1:
            return names.pop(), is_value
    return "", False


def _own(patterns: Iterable[re.Pattern[str]], said: str, texts: Sequence[str]) -> Iterator[re.Match[str]]:
    """Give what the patterns find in the server's own words: in no passage it quotes, and in none of `texts`."""
    quoted = list(_passages(said))
    plain_texts = [_plain(text) for text in texts]
    for found in (found for pattern in patterns for found in pattern.finditer(said)):
        at = found.start("name") if "name" in found.re.groupindex else found.start()
        is_quoted = any(start <= at < end for start, end in quoted)
        phrase = _plain(found[0])
        if not is_quoted and not any(phrase in text for text in plain_texts):
            yield found


def _passages(said: str) -> Iterator[tuple[int, int]]:
    """Give where the message quotes several words."""
    at = 0
    while found := _QUOTED.search(said, at):
        is_message = bool(_MESSAGE_WITHIN.search(said, 0, found.start()))
        at = found.start() + 1 if is_message else max(found.end(), found.start() + 1)
        if not is_message and re.search(r"\s", found["text"] or found["curly"] or ""):
            yield found.span()


def _plain(text: str) -> str:
    """Return a text in small letters, with single spaces and no quotes or points at its ends."""
    return " ".join(text.lower().split()).strip(" '\"`.,:;()[]")


def _limit_instead(name: str, said: str, limits: tuple[str, ...]) -> str:
    stated = _named(_INSTEAD.search(said))
    others = [limit for limit in limits if limit != name]
    if stated:
        return stated if stated in others else ""
    return others[0] if others else ""


def _named(found: re.Match[str] | None) -> str:
    return _known(found["name"]) if found else ""


def _known(name: str) -> str:
    """Return a learnable parameter's own name, however a server spells it (`reasoningEffort`)."""
    bare = name.removeprefix("body.")
    return bare if bare in _LEARNABLE else _SPELLINGS.get(re.sub(r"[._]", "", bare).lower(), "")
