"""Read which options an answer names: by letters, by their text, or by both where they agree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.scoring.denials import DENIED, is_called_wrong
from corpus.scoring.framed import framed_letters
from corpus.scoring.glyphs import one_spelling, without_latex, without_markdown
from corpus.scoring.judged import judged_each
from corpus.scoring.letters import ALPHABET_SIZE
from corpus.scoring.lists import UNREAD_LIST, ListRead, left_over, list_at, order_at, range_at
from corpus.scoring.option_texts import BY_TEXT, OptionTexts, option_texts
from corpus.scoring.reasons import last_conclusion, read_before_reason
from corpus.scoring.types import ShownOption, Unread

UNKNOWN_LETTER = "unknown-letter"
CONTRADICTION = "contradiction"
LETTER_AND_TEXT = "letter-and-text"
MARKED = "marked"
MAX_LENGTH = 4000
# Notes of several options that were not named by their letters alone.
_OTHERWISE = frozenset({BY_TEXT, MARKED, "all-options", "by-reference"})


@dataclass(frozen=True, slots=True)
class ChoiceRead:
    """Positions in `shown` of the options named, ascending and without repeats."""

    positions: tuple[int, ...]
    notes: tuple[str, ...] = ()


_PLAIN_LIST = re.compile(r"\s*([A-Z](?:\s{0,2},\s{0,2}[A-Z]){0,30})\s*")
_NOT_AN_ANSWER = frozenset({"n/a", "na", "none", "unknown", "nan", "null", "n.a.", "not applicable", "unsure"})
_LABEL = re.compile(
    r"(?:the\s+)?(?:(?:correct|final|right|best)\s+)?(?:options?|letters?|answers?|choices?)\s*(?:is|are)?\s*[:=]?\s+",
    re.I,
)
_OPTIONS_LABEL = re.compile(r"(?:the\s)?(?:options|choices|letters)\s?(?:are\s?)?[:=]\s+", re.I)
_SEPARATORS = re.compile(r"[\s,;/&+|]+")
# Letters with nothing but their own marks between them: `(A)(C)`, `A.C.`
_RUN_TOGETHER = re.compile(r"(?<=[A-Z]\))(?=\([A-Z]{1,2}\))|(?<=[A-Z][.)])(?=[A-Z][.)])")
_FILLERS = frozenset({"and", "only", "both", "-", "", "option", "options"})
_NEGATED = re.compile(r"\s{0,3}[!¬]\s?\(?[A-Za-z](?![A-Za-z])")
_EDGES = "()[]{}<>*$_\"'`.:!"


def read_choice(text: str, shown: Sequence[ShownOption]) -> ChoiceRead | Unread:
    """Return the options that `text`, the content of an answer, names.

    Letters outside the options, alternatives (`A or C`) and a letter whose text is another option's are not read.
    """
    letters = {option.letter: position for position, option in enumerate(shown)}
    if len(text) == 1 and text in letters:
        return ChoiceRead((letters[text],))
    plain = _PLAIN_LIST.fullmatch(text)
    if plain is not None:
        named = [letter.strip() for letter in plain.group(1).split(",")]
        if all(letter in letters for letter in named):
            return _from_letters(named, letters)
    if len(text) > MAX_LENGTH:
        return Unread("The answer is too long to be a choice.")
    read = _read_spelled(text, shown, letters)
    is_of_letters = isinstance(read, ChoiceRead) and len(read.positions) > 1 and not _OTHERWISE.intersection(read.notes)
    return (judged_each(text, letters, option_texts(tuple(shown))) or read) if is_of_letters else read


def _from_letters(named: Sequence[str], letters: dict[str, int], notes: tuple[str, ...] = ()) -> ChoiceRead | Unread:
    unknown = [letter for letter in named if letter not in letters]
    if unknown:
        return Unread(f"No option has the letter {', '.join(unknown[:3])}.", UNKNOWN_LETTER)
    return ChoiceRead(tuple(sorted({letters[letter] for letter in named})), notes)


def _read_spelled(text: str, shown: Sequence[ShownOption], letters: dict[str, int]) -> ChoiceRead | Unread:
    cleaned = without_markdown(without_latex(one_spelling(text))).strip().strip("\"'").strip()
    if not cleaned.strip(_EDGES):
        return Unread("There is nothing to read.")
    if _NEGATED.match(cleaned):
        return Unread("A letter behind a sign for “not”.", DENIED)
    texts = option_texts(tuple(shown))
    for read in (
        _read_own_text(cleaned, letters, texts),
        _read_small_letters(cleaned, letters, texts),
        _read_range(text, cleaned, letters, texts),
        _read_listed(cleaned, letters, texts),
        texts.read_whole(text) or texts.read_whole(cleaned),
        _read_non_answer(cleaned),
        _read_all(cleaned, letters, texts),
        _read_framed(cleaned, letters),
        _read_marked(cleaned, letters),
        _read_with_words(cleaned, letters, texts),
        _read_labelled(cleaned, letters, texts),
        _read_references(cleaned, letters, texts),
        texts.read_part(cleaned) or texts.read_parts(cleaned) or read_before_reason(cleaned, texts),
    ):
        if isinstance(read, tuple):
            return ChoiceRead(read, (BY_TEXT,))
        if read is not None:
            return read
    return Unread("The answer names no option.")


_LABELLED = re.compile(r"\(?([A-Z]{1,2})\)?(?:\s?[.:),]|\s[-–—](?=\s))\s{0,4}(?=\S)")
_IN_BRACKETS = re.compile(r"([A-Z]{1,2})\s{1,3}\(([^()]{1,40})\)\.?")


def _read_own_text(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read `C. O` or `C (O)` where O is the text of option C, whatever else it stands for; `C, O` if O is no letter."""
    bracketed = _IN_BRACKETS.fullmatch(text)
    if bracketed is not None and texts.is_text_of(bracketed.group(2), letters.get(bracketed.group(1))):
        return _from_letters([bracketed.group(1)], letters, (LETTER_AND_TEXT,))
    match = _LABELLED.match(text)
    if match is None or not texts.is_text_of(text[match.end() :], letters.get(match.group(1))):
        return None
    is_list_or_range = match.group().startswith("(") or not {",", "-"}.isdisjoint(match.group())
    if is_list_or_range and text[match.end() :].strip(_EDGES) in letters:
        return None
    return _from_letters([match.group(1)], letters, (LETTER_AND_TEXT,))


_SMALL_LABEL = re.compile(r"(?:\A|(?<=[\n;,]\s)|(?<=[\n;,])|(?<=\band\s))[-•*]?\s?\(?[a-z]\)?[.:)](?=\s)")


def _read_small_letters(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read `b) Ethanol`, and a list of such: small letters beside their own texts."""
    if _SMALL_LABEL.match(text) is None:
        return None
    raised = _SMALL_LABEL.sub(lambda label: label.group().upper(), text)
    for read in (_read_own_text(raised, letters, texts), _read_with_words(raised, letters, texts)):
        if isinstance(read, ChoiceRead) and LETTER_AND_TEXT in read.notes:
            return read
    read = _read_labelled(raised, letters, texts)
    is_of_texts = LETTER_AND_TEXT in read.notes if isinstance(read, ChoiceRead) else read and read.note == CONTRADICTION
    return read if is_of_texts else None


def _read_range(text: str, cleaned: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Refuse a range or an order of letters (`A–C`, `A > C`) that is no option's text."""
    label = _LABEL.match(cleaned)
    start = 0 if label is None else label.end()
    unread = range_at(cleaned, start, letters) or order_at(cleaned, start, letters)
    if unread is None:
        return None
    position = texts.position_of(text)
    return unread if position is None else ChoiceRead((position,), (BY_TEXT,))


def _read_with_words(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read a list in which texts or remarks stand beside letters, and which is all there is."""
    label = _LABEL.match(text)
    read = list_at(text, 0 if label is None else label.end(), letters, texts)
    if isinstance(read, ListRead):
        return chosen_of_list(read, letters) if not text[read.end :].strip(_EDGES + ",; \n") else None
    return None if read is not None and read.note == UNREAD_LIST else read


def chosen_of_list(read: ListRead, letters: dict[str, int]) -> ChoiceRead | Unread:
    """Return the options of a list that was read."""
    is_noted = read.own_texts and not read.has_other_words
    return _from_letters(read.named, letters, (LETTER_AND_TEXT,) if is_noted else ())


def _read_non_answer(text: str) -> Unread | None:
    if text.strip(_EDGES).casefold() in _NOT_AN_ANSWER:
        return Unread("The answer declines to choose.")
    return None


def _read_framed(text: str, letters: dict[str, int]) -> ChoiceRead | Unread | None:
    framed = framed_letters(text, letters, is_whole=True)
    return None if framed is None else _from_letters(framed[0], letters)


_ALL = re.compile(
    r"all\s(?:(?:of|the|two|three|four|five|six|seven|eight)\s){0,3}(?:above|these|them|options|answers|choices|statements)",
    re.IGNORECASE,
)
_CALLED_RIGHT = re.compile(
    r"(?P<group>(?:all|none|both|neither)\b.{1,80}?)\s(?:is|are)\s(?:correct|right|true)", re.IGNORECASE
)


def _read_all(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | None:
    """Read `All of the above` where that is no option of its own, and `Both of them are right` where that is one."""
    said = text.strip(_EDGES)
    called = _CALLED_RIGHT.fullmatch(said)
    group = said if called is None else called["group"]
    if called is not None and (position := texts.position_of(group)) is not None:
        return ChoiceRead((position,), (BY_TEXT,))
    if _ALL.fullmatch(group) is None:
        return None
    own = [position for position, option in enumerate(texts.exact) if _ALL.fullmatch(option)]
    if own:
        return ChoiceRead((own[0],), (BY_TEXT,)) if len(own) == 1 else None
    return ChoiceRead(tuple(letters.values()), ("all-options",))


_GROUP = re.compile(r"(?:both|all|only)\s", re.IGNORECASE)


def _read_listed(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read a list of letters; one with a letter no option has may still be an option's text (`W < X < Y`)."""
    listed = _read_letter_list(text, letters, texts)
    if isinstance(listed, Unread) and listed.note == UNKNOWN_LETTER:
        position = texts.position_of(text)
        return listed if position is None else ChoiceRead((position,), (BY_TEXT,))
    if isinstance(listed, ChoiceRead) and " " in text.strip():
        position = texts.position_of(text)
        if position is not None and _GROUP.match(text):
            return ChoiceRead((position,), (BY_TEXT,))
        position = texts.position_of(f"both {text}") if position is None else position
        if position is not None and listed.positions != (position,):
            return Unread("The letters are the text of another option.", CONTRADICTION)
    return listed


def _read_letter_list(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read a list that holds nothing but letters; None where it holds anything else."""
    label = _LABEL.match(text)
    unlabelled = text if label is None else text[label.end() :]
    if unlabelled.strip(_EDGES).casefold() in _NOT_AN_ANSWER:
        return None
    tokens = [token.strip(_EDGES) for token in _SEPARATORS.split(_RUN_TOGETHER.sub(" ", unlabelled))]
    named = [token for token in tokens if token.casefold() not in _FILLERS]
    if not named or len(named) > 2 * len(letters) + 2:
        return None
    if len(named) == 1:
        return _read_single(named[0], letters, texts)
    if any(_is_letter(token, letters) for token in named) and all(
        _is_letter(token, letters) or token.casefold() == "or" for token in named
    ):
        if any(token.casefold() == "or" for token in named):
            return Unread("Alternatives, not one choice.", "alternatives")
        if label is not None and _OPTIONS_LABEL.fullmatch(label.group()) and len(named) == len(letters) > 2:
            return Unread("The options are listed, and none is chosen.", "echoed-options")
        return _from_letters([token.upper() for token in named], letters)
    return None


def _is_letter(token: str, letters: dict[str, int]) -> bool:
    return token.upper() in letters or (len(token) == 1 and token.isascii() and token.isalpha())


def _read_single(token: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read one letter, or letters run together (`BD`) where that is no option's text."""
    if token.upper() in letters and (token.isupper() or len(token) == 1):
        return _from_letters([token.upper()], letters)
    if len(token) == 1 and token.isascii() and token.isalpha():
        return None if texts.read_whole(token) else Unread(f"No option has the letter {token}.", UNKNOWN_LETTER)
    is_run = token.isascii() and token.isalpha() and token.isupper() and len(set(token)) == len(token)
    if (
        is_run
        and len(letters) <= ALPHABET_SIZE
        and all(letter in letters for letter in token)
        and not texts.mentions(token)
    ):
        return _from_letters(list(token), letters)
    return None


_SEGMENT = re.compile(r"(?:^|[\n;,]\s{0,8}|\band\s{1,4})[-•]?\s{0,4}\(?([A-Z]{1,2})(?:\)?[.:)]|\s{0,2}[-–]\s|,)")
_IN_FRONT = re.compile(r"(.{1,300}?)\s?\((?:option\s)?([A-Z]{1,2})\)", re.DOTALL | re.IGNORECASE)
_BRACKETED = re.compile(r"\(?([A-Z]{1,2})\)?\s{1,3}\(((?:[^()]|\([^()]{0,80}\)){1,300})\)")


def _read_labelled(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read `B. Ethanol` and lists of such; the words must not be another option's text."""
    start = _LABEL.match(text)
    body = text[start.end() :] if start is not None else text
    bracketed = _BRACKETED.fullmatch(body.rstrip("."))
    if bracketed is not None and bracketed.group(1) in letters:
        return _agreed([(bracketed.group(1), bracketed.group(2))], letters, texts)
    in_front = _IN_FRONT.fullmatch(body.rstrip("."))
    if in_front is not None and texts.is_text_of(in_front.group(1), letters.get(in_front.group(2))):
        return _from_letters([in_front.group(2)], letters, (LETTER_AND_TEXT,))
    segments = [match for match in _SEGMENT.finditer(body) if match.start() == 0 or match.group(1) in letters]
    if not segments or segments[0].start() != 0:
        return None
    concluded = last_conclusion(body)
    if concluded is not None and {match.group(1) for match in segments} != {body[concluded.start : concluded.end]}:
        return None
    ends = [match.start() for match in segments[1:]] + [len(body)]
    labelled = [(match.group(1), body[match.end() : end]) for match, end in zip(segments, ends, strict=True)]
    return _agreed(labelled, letters, texts)


_SCORE = re.compile(r"\s*[0-9]{1,3}(?:\.[0-9]{1,4})?\s?%?")


def _agreed(labelled: list[tuple[str, str]], letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    if any(letter not in letters for letter, _ in labelled) or len(dict(labelled)) < len(labelled):
        return None
    if any(_begins_with_letter(words, letters[letter], letters, texts) for letter, words in labelled):
        return None
    others = [texts.without_text_of(words, letters[letter]) for letter, words in labelled]
    if any(is_called_wrong(words) for words in others):
        return Unread("A letter is said to be wrong.", DENIED)
    if len(labelled) > 1 and all(_SCORE.fullmatch(words.rstrip()) for words in others):
        return Unread("A number stands beside each letter.", "scored")
    for letter, words in labelled:
        if texts.contradicts(words, letters[letter]):
            return Unread(f"The letter {letter} and the words beside it name different options.", CONTRADICTION)
    named = [letter for letter, _ in labelled]
    is_own = all(
        rest is not words or texts.is_own_text(words, letters[letter])
        for (letter, words), rest in zip(labelled, others, strict=True)
    )
    for rest in others:
        if (unread := left_over(rest, named, letters, texts)) is not None:
            return unread
    return _from_letters(named, letters, (LETTER_AND_TEXT,) if is_own else ())


_LISTED_LETTER = re.compile(
    r"\s{0,3}\(?(?P<letter>[A-Z]{1,2})\)?\s{0,3}(?:(?:[,;&/\n(]|(?:and|is|are|or|but|only|alone|together)\b|$)"
    r"|(?P<ended>[.:!–—]|-\s|(?:because|since|as|for|due|which|where|with|both)\b))"
)


def _begins_with_letter(words: str, position: int, letters: dict[str, int], texts: OptionTexts) -> bool:
    """Tell whether the words beside the letter of `position` go on with the next letter of a list."""
    match = _LISTED_LETTER.match(words)
    if match is None or match["letter"] not in letters:
        return False
    return match["ended"] is None or texts.without_text_of(words, position) is words


_REFERENCE = re.compile(
    r"(?P<bracket>\(\s?)?\b(?:options?|choices?)\s{1,3}\(?(?P<letter>[A-Z]{1,2})\b\)?"
    r"(?P<ended>(?=\s{0,2}(?:[.,;:!)]|$|because\b|since\b)))?",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not?|neither|nor|never|except|either|or|cannot|incorrect|wrong|un\w+ly|rul\w+\sout|exclud\w+|eliminat\w+"
    r"|reject\w*)\b|n't\b",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(r"(?<![A-Za-z0-9])([A-HJ-Z])\s(?:is|are|was|would|must)\b")
_COMPARED = re.compile(r"\b(?:than|like|as|with|to|from|over|of|if|for|unlike|between)\s{1,2}\Z", re.IGNORECASE)


def _read_references(text: str, letters: dict[str, int], texts: OptionTexts) -> ChoiceRead | Unread | None:
    """Read `... (option B) and ... (option D)`, and `I would pick option B`, unless the text denies something.

    Without brackets only one option may be spoken of, and nothing be said of it.
    """
    found = list(_REFERENCE.finditer(text))
    named = [match["letter"] for match in found]
    if not named or _NEGATION.search(text) or any(letter not in letters for letter in named):
        return None
    if not all(match["bracket"] for match in found) and (len(set(named)) > 1 or not _is_picked(text, found)):
        return None
    return left_over(text[found[0].end() :], named, letters, texts) or _from_letters(named, letters, ("by-reference",))


def _is_picked(text: str, found: Sequence[re.Match[str]]) -> bool:
    """Tell whether every reference ends what is said, and none is what another thing is compared with."""
    letter = found[0]["letter"]
    if any(match.group(1) != letter for match in _SPOKEN_OF.finditer(text)):
        return False
    return all(
        match["ended"] is not None and _COMPARED.search(text, max(match.start() - 10, 0), match.start()) is None
        for match in found
    )


_LISTED_LINE = re.compile(r"\(?([A-Z]{1,2})\)?(?![A-Za-z0-9])(?P<words>.{0,300})")
_MARK = re.compile(r"(?:<-{1,2}|←|\()\s?(?:the\s)?correct(?:\sanswer)?\)?\s*$|[✓✔✅]\s*$", re.IGNORECASE)
_CROSS = re.compile(r"(?:[✗✘❌✖]|\b(?:incorrect|wrong|false)\)?)\s*$", re.IGNORECASE)


def _read_marked(text: str, letters: dict[str, int]) -> ChoiceRead | Unread | None:
    """Read a list of all options with a mark behind the right ones: `A <-- correct`.

    Which ones were asked for is not guessed where several are right and others marked as wrong.
    """
    lines = [_LISTED_LINE.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    listed = [line.group(1) for line in lines if line is not None]
    if len(lines) < 2 or sorted(listed) != sorted(letters):
        return None
    marked = [line.group(1) for line in lines if line is not None and _MARK.search(line["words"])]
    if len(marked) > 1 and any(line is not None and _CROSS.search(line["words"]) for line in lines):
        return Unread("Some options are called right and others wrong.", DENIED)
    return _from_letters(marked, letters, (MARKED,)) if marked else None
