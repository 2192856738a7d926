"""Say back to a person which number was read from what they typed."""

from dataclasses import dataclass
from decimal import Decimal

from corpus.scoring.reading import read_typed_number
from corpus.scoring.types import Reading, ReadStatus

READABLE_EXAMPLES = "12.5, -0.6, 4.15e-21 or 4.15 × 10^-21"
PLAIN_EXPONENTS = range(-4, 7)
MOST_PLAIN_DIGITS = 12
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class NumberChoice:
    """One number a person may have meant: `text` is what is stored when they say so."""

    number: Decimal
    text: str
    unit: str = ""

    @property
    def value(self) -> str:
        """The number as a form sends it."""
        return str(self.number)

    @property
    def shown(self) -> str:
        """The number as people write it, with the unit that was read."""
        return f"{shown_number(self.number)} {self.unit}".strip()


def shown_number(number: Decimal) -> str:
    """Return a number as printed: 12500, −0.6, 4.15 × 10⁻²¹. Digits are kept."""
    sign, digits, _ = number.as_tuple()
    if not number or (number.adjusted() in PLAIN_EXPONENTS and len(digits) <= MOST_PLAIN_DIGITS):
        return format(number, "f").replace("-", "−")
    exponent = number.adjusted()
    # Put together from its digits: arithmetic would round what is longer than its precision.
    mantissa = format(Decimal((sign, digits, 1 - len(digits))), "f").replace("-", "−")
    return f"{mantissa} × 10{str(exponent).translate(SUPERSCRIPTS)}"


def number_choices(typed: str) -> tuple[NumberChoice, ...]:
    """Return every number `typed` may mean, the reader's own first; empty when it cannot be read.

    A comma before three digits may set thousands apart or be a decimal comma: then there are two.
    """
    first = read_typed_number(typed)
    choices = _choices(first, typed)
    if choices and typed.count(",") == 1 and "." not in typed:
        other_text = typed.replace(",", ".")
        known = {choice.number for choice in choices}
        other = _choices(read_typed_number(other_text), other_text)
        choices += tuple(choice for choice in other if choice.number not in known)
    return choices


def _choices(reading: Reading, text: str) -> tuple[NumberChoice, ...]:
    if reading.status is not ReadStatus.READ or reading.number is None:
        return ()
    return (NumberChoice(number=reading.number, text=text, unit=reading.unit),)
