"""What was put to a system, as the reader of its reply needs it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from corpus.models import QuestionRevision
from corpus.scoring.types import Asked
from corpus.selectors.targets import asked_from_prompt
from evaluations.prompts import head_of

# Under this name a run keeps everything that makes the words of its prompts.
PROMPT_KEY = "prompt"


def asked_of_run(
    revision: QuestionRevision, options_shown: Iterable[Sequence[str]], prompt: str, *, frozen: Mapping[str, Any]
) -> Asked:
    """Return what was asked, from the stored [letter, option key, text as sent] rows and the prompt as sent.

    The answer is looked for where the run's prompt style asked for it; a run that names no places is read everywhere.
    A system prompt is no part of the question, whether it was sent at its head or apart from it.
    """
    places = frozen.get(PROMPT_KEY, {}).get("protocols", ())
    said_first = head_of(frozen.get("system_prompt", ""))
    asked = asked_from_prompt(revision, options_shown, prompt.removeprefix(said_first))
    return replace(asked, protocols=tuple(places), said_first=said_first)
