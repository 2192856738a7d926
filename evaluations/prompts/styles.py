"""What a prompt style is: a family of words, put with one way of writing chemistry."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from corpus.markup.text import TextStyle
from corpus.models import QuestionRevision
from evaluations.prompts.prepared import Prepared
from evaluations.prompts.wording import Wording, put_into_words


@dataclass(frozen=True, slots=True)
class Family:
    """Words that make one style for each way of writing chemistry.

    `protocols` names the places where the words ask for the answer, read strongest first (`corpus.scoring.protocols`);
    () reads every place there is. `follow_up` is said after the first reply, which is then asked for again; the
    answer is what the second reply states.
    """

    name: str
    version: int
    summary: str
    wording: Wording
    protocols: tuple[str, ...] = ()
    follow_up: str | None = None


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """A named way to put a question. It never changes; another wording is another version."""

    name: str
    family: Family
    markup: TextStyle

    @property
    def summary(self) -> str:
        """A sentence for whoever chooses a style."""
        return f"{self.family.summary} {_MARKUP_WORDS[self.markup]}"

    @property
    def template(self) -> str:
        """The frame of the prompt."""
        return self.family.wording.template

    @property
    def protocols(self) -> tuple[str, ...]:
        """The places where the answer is read; () for every place there is."""
        return self.family.protocols

    @property
    def follow_up(self) -> str | None:
        """What is said after the first reply, None where there is no second turn."""
        return self.family.follow_up

    def prepare(self, revision: QuestionRevision, option_keys: Sequence[str] = ()) -> Prepared:
        """Return the prompt for a revision, its options in the order of `option_keys` (empty: the bank's order)."""
        return put_into_words(
            wording=self.family.wording, markup=self.markup, revision=revision, option_keys=option_keys
        )

    def as_frozen(self) -> dict[str, Any]:
        """Return everything that makes the words and their reading, as a run keeps it."""
        return {
            "style": self.name,
            "wording": asdict(self.family.wording),
            "markup": self.markup,
            "protocols": list(self.protocols),
            "follow_up": self.follow_up,
        }


_MARKUP_WORDS: dict[TextStyle, str] = {
    "tags-latex": "Chemistry as it is marked up in the bank, SMILES tags and LaTeX kept.",
    "plain-latex": "SMILES without tags, formulas in LaTeX.",
    "tags-plain": "SMILES with tags, formulas in plain characters.",
    "plain": "SMILES without tags, formulas in plain characters.",
}
