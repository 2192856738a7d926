"""Read the content of a located answer according to the kind of question."""

import re
from dataclasses import dataclass
from decimal import Decimal

from corpus.scoring.choices import ChoiceRead, chosen_of_list, read_choice
from corpus.scoring.denials import DENIED, end_of_denied, is_denied, is_taken_back
from corpus.scoring.echoes import ECHOED_OPTIONS
from corpus.scoring.framed import framed_letters
from corpus.scoring.json_objects import answer_of_object
from corpus.scoring.judged import judged_each
from corpus.scoring.letters import ALPHABET_SIZE
from corpus.scoring.lists import UNREAD_LIST, ListRead, behind_own_text, is_rest, left_over, list_at, range_at
from corpus.scoring.number_lines import EXPLAINING, is_rounded
from corpus.scoring.numbers import NumberRead, read_number
from corpus.scoring.option_texts import BY_TEXT, option_texts
from corpus.scoring.tags import Located
from corpus.scoring.types import Asked, Kind, Unread
from corpus.scoring.units import UNIT_DIFFERS, UNIT_UNDECLARED, in_asked_unit, is_known_unit


@dataclass(frozen=True, slots=True)
class Content:
    """A readable answer: option keys in the order shown, or a number with its unit."""

    option_keys: tuple[str, ...] = ()
    number: Decimal | None = None
    unit: str = ""
    notes: tuple[str, ...] = ()


def read_content(text: str, asked: Asked) -> Content | Unread:
    """Read `text`, which should be nothing but an answer."""
    if not text.isascii():
        text = _undecorated(text)
    said = answer_of_object(text.strip()) if "{" in text else None
    if isinstance(said, Unread):
        return said
    text = (said or text).strip()
    if text[:4] in _NOT:
        text = text[end_of_denied(text) :]
    if asked.kind is Kind.CHOICE:
        return chosen_content(read_choice(text, asked.shown), asked)
    if asked.kind is Kind.NUMBER:
        return read_amount(text, asked)
    return Content() if text else Unread("There is nothing to read.")


_NOT = frozenset({"not ", "Not "})
_DECORATION = "✅✓✔☑😊🙂😀😃😄😁😉👍🎉🎯💯⭐🌟🏆💡📌🧪✨🚀👉➡" + "\ufe0f \t\n\r"
_VERDICTS = frozenset("✅✓✔☑❌✗✘🚫👎")


def _undecorated(text: str) -> str:
    """Return `text` without signs of joy round it, unless others within tell right options from wrong ones."""
    inner = text.strip(_DECORATION)
    return text if len(inner) == len(text) or "\n" in inner or not _VERDICTS.isdisjoint(inner) else inner


def read_amount(text: str, asked: Asked) -> Content | Unread:
    """Read a number, or one that is said twice (`54.0 g (0.054 kg)`, `0.000018 (1.8 × 10^-5)`)."""
    content = number_content(read_number(text), asked)
    if isinstance(content, Content) or "(" not in text:
        return content
    return _said_twice(text, asked) or content


_TWO_UNITS = re.compile(
    r"(?P<first>[^()]{1,60})\s\((?:or\s|(?P<exactly>rounded\sfrom|unrounded|exact|exactly|precisely|more\s(?:exactly|precisely)):?\s)?"
    r"(?P<second>[^()]{1,60})\)\.?"
)
_ROUNDING = Decimal("0.005")


def _said_twice(text: str, asked: Asked) -> Content | None:
    """Read a number said once more in brackets, where both are the same amount, in the unit asked for or in none."""
    said = _TWO_UNITS.fullmatch(text)
    if said is None:
        return None
    first, second = (number_content(read_number(said[name]), asked) for name in ("first", "second"))
    if not isinstance(first, Content) or not isinstance(second, Content):
        return None
    if first.number is None or second.number is None or UNIT_DIFFERS in first.notes:
        return None
    if UNIT_DIFFERS in second.notes:
        # Another quantity beside the one that was asked for: `54 g (3 mol)`.
        return first if first.unit and is_known_unit(second.unit) else None
    is_converted = bool(asked.unit and first.unit and second.unit)
    if not is_converted and first.unit != second.unit:
        return None
    if said["exactly"] and is_rounded(first.number, second.number):
        return first
    rounding = _ROUNDING if is_converted or _is_power(said) else 0
    return first if abs(first.number - second.number) <= rounding * abs(first.number) else None


def _is_power(said: re.Match[str]) -> bool:
    """Tell whether one of two numbers is written with a power of ten or as a fraction, and the other is not."""
    return (_POWER.search(said["first"]) is None) is not (_POWER.search(said["second"]) is None)


_POWER = re.compile(r"10\s?(?:\^|\*\*|<sup|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])|[0-9]\s?[eE]\s?[-+−]?[0-9]|frac|[0-9]\s?/\s?[0-9]|[½⅓⅔¼¾⅕⅛]")


def chosen_content(read: ChoiceRead | Unread, asked: Asked) -> Content | Unread:
    """Turn positions into option keys."""
    if isinstance(read, Unread):
        return read
    keys = tuple(asked.shown[position].key for position in read.positions)
    return Content(option_keys=keys, notes=read.notes)


def number_content(read: NumberRead | Unread, asked: Asked) -> Content | Unread:
    """Bring a number to the unit that was asked for; a unit that cannot be brought there is noted."""
    if isinstance(read, Unread):
        return read
    if not asked.unit or not read.unit:
        is_undeclared = bool(read.unit) and is_known_unit(read.unit)
        notes = (*read.notes, UNIT_UNDECLARED) if is_undeclared else read.notes
        return Content(number=read.value, unit=read.unit, notes=notes)
    value, note = in_asked_unit(value=read.value, unit=read.unit, asked_unit=asked.unit)
    notes = (*read.notes, note) if note else read.notes
    return Content(number=value, unit=read.unit, notes=notes)


_LETTERS = r"\(?(?:[A-Z]{1,2})\)?(?:\s{0,2}(?:,\s{0,2}and\b|,|;|/|&|\band\b)\s{0,2}\(?[A-Z]{1,2}\)?){0,20}"
_LEADING = re.compile(
    rf"[*_$\"'\s(\[]{{0,6}}(?P<letters>{_LETTERS})[*_$\"')\]]{{0,6}}"
    r"(?=\s{0,2}(?:[.,;!:]|\n|$|\(|—|–|-\s|\b(?:because|since|as|for|due|which|where|with|and|is|are)\b))"
)
_DOUBT = re.compile(r"^\s{0,3}(?:or\b|not\b|,?\s{0,2}or\b)", re.IGNORECASE)


def read_leading(text: str, asked: Asked) -> Content | Unread:
    """Read a statement that begins with its answer: `C because I integrated`, `B. Ethanol, which ...`, `42 g/mol`."""
    if not text.isascii():
        text = _undecorated(text)
    whole = read_content(text, asked)
    if isinstance(whole, Content) or asked.kind is not Kind.CHOICE:
        return whole if isinstance(whole, Content) else _number_before_clause(text, asked, whole)
    if whole.note:
        return whole
    letters, texts = _letters_of(asked), option_texts(asked.shown)
    if (unread := judged_each(text, letters, texts)) is not None:
        return unread
    framed = framed_letters(text, letters, is_whole=False)
    if framed is not None:
        named, end = framed
        return left_over(text[end:], named, letters, texts) or read_content(", ".join(named), asked)
    match = _LEADING.match(text)
    if match is None or _DOUBT.match(text[match.end() :]):
        return whole
    return _read_letters(text, match, asked)


def read_reasoned(text: str, asked: Asked) -> Content | Unread:
    """Read `text`, which should be nothing but an answer, letters perhaps with their reason (`B because it is big`)."""
    content = read_content(text, asked)
    if isinstance(content, Content) or content.note or asked.kind is not Kind.CHOICE:
        return content
    return content if _REASONED.match(text) is None else read_leading(text, asked)


_REASONED = re.compile(
    rf"\s{{0,8}}[*_(]{{0,3}}{_LETTERS}[*_)]{{0,3}},?\s"
    r"(?:because|since|due\sto|owing\sto|as\s(?:it|they|the|these|this))\b"
)


def goes_through_options(text: str, start: int, asked: Asked) -> bool:
    """Tell whether a list that says something of each option begins at `start`."""
    if asked.kind is not Kind.CHOICE:
        return False
    listed = text[start : start + MAX_LIST_LENGTH]
    return judged_each(listed, _letters_of(asked), option_texts(asked.shown)) is not None


def _read_letters(text: str, match: re.Match[str], asked: Asked) -> Content | Unread:
    """Read the letters of `match` with which `text` begins; what follows must be an explanation."""
    letters, texts = _letters_of(asked), option_texts(asked.shown)
    if is_denied(text[match.end() :]):
        return Unread("A letter is said to be wrong.", DENIED)
    if not {",", ";"}.isdisjoint(match["letters"]) and _CLAUSE_ABOUT_LAST.match(text, match.end()):
        return Unread("The last letter begins a sentence of its own.", UNREAD_LIST)
    listed = list_at(text, match.start("letters"), letters, texts)
    if isinstance(listed, Unread):
        return listed
    if listed is not None:
        return _listed_content(listed, text[listed.end :], asked)
    named = _CAPITALS.findall(match.group("letters"))
    joined = _GOES_ON.match(text, match.end("letters"))
    if joined is not None and joined["letter"] in letters:
        return Unread(f"The letter {joined['letter']} may belong to the answer.", UNREAD_LIST)
    return left_over(text[match.end() :], named, letters, texts) or read_content(match.group("letters"), asked)


_CLAUSE_ABOUT_LAST = re.compile(r"\s{1,2}is\s(?!(?:also\s)?(?:the\s)?(?:correct|right|true|answer))")
# `A and B together`: the list of letters goes on where its beginning could be read.
_GOES_ON = re.compile(
    r"[)*_$]{0,4}\s{0,2}(?:,\s{0,2}and\b|[,;/&]|and\b)\s{0,2}[(*_]{0,3}(?P<letter>[A-Z]{1,2})(?![A-Za-z0-9'’–-])"
)
_CAPITALS = re.compile(r"[A-Z]{1,2}")


def long_letters(asked: Asked) -> tuple[str, ...]:
    """Return the letters behind Z."""
    return tuple(option.letter for option in asked.shown[ALPHABET_SIZE:])


def _letters_of(asked: Asked) -> dict[str, int]:
    return {option.letter: position for position, option in enumerate(asked.shown)}


def _listed_content(listed: ListRead, rest: str, asked: Asked) -> Content | Unread:
    """Return the options of a list; `rest`, what follows it, must be an explanation."""
    letters = _letters_of(asked)
    if not is_rest(rest):
        return Unread("What follows the list cannot be read.", UNREAD_LIST)
    unread = left_over(rest, listed.named, letters, option_texts(asked.shown))
    return unread or chosen_content(chosen_of_list(listed, letters), asked)


def read_stated(text: str, located: Located, asked: Asked) -> tuple[Located, Content | Unread]:
    """Read the statement at `located`, and where a list of choices begins there, all of that list and its place."""
    inner = text[located.start : located.end]
    if asked.kind is not Kind.CHOICE or _MAY_GO_ON.match(text, located.start) is None:
        content = read_leading(inner, asked)
        return located, _unread_text_line(text, located, content, asked) or content
    letters, texts = _letters_of(asked), option_texts(asked.shown)
    if (unread := range_at(text, located.start, letters)) is not None and texts.position_of(inner) is None:
        return located, unread
    limit = max(located.end, located.start + MAX_LIST_LENGTH)
    if located.form != "sentence" and (unread := judged_each(text[located.start : limit], letters, texts)) is not None:
        return located, unread
    listed = list_at(text[:limit], located.start, letters, texts)
    if listed is None or (isinstance(listed, ListRead) and listed.end <= located.end):
        return located, _unread_sentence(text, located, asked) or read_leading(inner, asked)
    if isinstance(listed, Unread):
        return located, listed
    if _is_echo(text, located, listed, asked):
        return located, Unread("The options are listed, and none is chosen.", ECHOED_OPTIONS)
    content = _listed_content(listed, _rest_of_line(text, listed.end), asked)
    return located._replace(end=listed.end, is_complete=listed.end < len(text)), content


def _rest_of_line(text: str, start: int) -> str:
    return text[start:].partition("\n")[0]


def _unread_sentence(text: str, located: Located, asked: Asked) -> Unread | None:
    """Return why `A. Methanol, which is ..., and C. Propanol` is not read by the letter before the first full stop."""
    letter, letters = text[located.start : located.end].strip("*_( "), _letters_of(asked)
    if located.form != "sentence" or letter not in letters:
        return None
    texts = option_texts(asked.shown)
    named = texts.position_of(_END_OF_TEXT.split(text[located.end + 1 : located.end + MAX_LIST_LENGTH], maxsplit=1)[0])
    if text.startswith(". ", located.end) and named not in (None, letters[letter]):
        return Unread(f"The letter {letter} and the words beside it name different options.", "contradiction")
    start = behind_own_text(text, located.end, letter, letters, texts)
    return None if start is None else left_over(_rest_of_line(text, start), [letter], letters, texts)


_END_OF_TEXT = re.compile(r"[.!?](?=\s|\Z)|\n")


def _unread_text_line(text: str, located: Located, content: Content | Unread, asked: Asked) -> Unread | None:
    """Return why an option's text is not read where the very next line is another's."""
    if isinstance(content, Unread) or BY_TEXT not in content.notes or text[located.end : located.end + 1] != "\n":
        return None
    line = text[located.end + 1 : located.end + MAX_LIST_LENGTH].partition("\n")[0]
    position = option_texts(asked.shown).position_of(line)
    if position is None or asked.shown[position].key in content.option_keys:
        return None
    return Unread("The next line is another option.", UNREAD_LIST)


def _is_echo(text: str, located: Located, listed: ListRead, asked: Asked) -> bool:
    """Tell whether a list under a label is every option in order, or one that stood there before and went on.

    `The correct answers are:` says that what follows is right; `Answer:` stands before a repeated question too.
    """
    if located.form == "sentence" or listed.own_texts < len(listed.named):
        return False
    letters = _letters_of(asked)
    if 2 < len(letters) == len(listed.named) and listed.named == list(letters):
        return True
    start = max(located.start - _LABEL_LENGTH, 0)
    before = text.find(text[start : listed.end])
    if before == start:
        return False
    first = before + located.start - start
    earlier = list_at(text[: first + MAX_LIST_LENGTH], first, letters, option_texts(asked.shown))
    return not isinstance(earlier, ListRead) or earlier.named != listed.named


MAX_LIST_LENGTH = 4000
_LABEL_LENGTH = 7
_MAY_GO_ON = re.compile(r"[-•*_$\"'`\s]{0,8}(?:[Oo]ptions?\s)?[(\[]?[A-Z]{1,2}(?![A-Za-z0-9]).{0,4}\S", re.DOTALL)


_CLAUSE = re.compile(
    r"\b(?:because|since|which|where|so that|based on|given that|according to)\b|\.\s|\n", re.IGNORECASE
)


# What follows a mark after digits may go on with a number: `1. 12` is a numbered line, `4.\n5` two of them.
_NUMBERED = re.compile(r"(?:\.\s|\n)[\s*_$(-]{0,10}[-+−]?\.?\d")


def _number_before_clause(text: str, asked: Asked, whole: Unread) -> Content | Unread:
    """Read the number of `42 g/mol, because ...`: what stands before the clause that explains it.

    The first of several equations in a row is no answer with an explanation.
    """
    text = text.lstrip()
    clause = _CLAUSE.search(text)
    if asked.kind is not Kind.NUMBER or clause is None:
        return whole
    if _NUMBERED.match(text, clause.start()):
        return whole
    is_derivation = not clause.group().strip(" .\n") and "=" in text[: clause.start()] and "=" in text[clause.end() :]
    if is_derivation or is_taken_back(text[clause.start() :]):
        return whole
    content = read_content(text[: clause.start()], asked)
    return whole if is_before_another(content, text[clause.start() :], asked) else content


_EXPLAINS = re.compile(rf"[\s.*_#-]{{0,12}}{EXPLAINING}\b")


def is_before_another(content: Content | Unread, rest: str, asked: Asked) -> bool:
    """Tell whether `rest`, the lines under a number, is another number (`11.1`, and under it `pOH = 2.9`)."""
    if asked.kind is not Kind.NUMBER or isinstance(content, Unread) or content.number is None:
        return False
    if not rest.startswith(("\n", ".")) or _EXPLAINS.match(rest):
        return False
    other = read_amount(rest[1:].strip(), asked)
    return isinstance(other, Content) and other.number is not None and not is_rounded(other.number, content.number)
