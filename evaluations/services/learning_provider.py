"""A provider that is taught by its endpoint: what is not taken is left out or put otherwise, and asked again."""

from dataclasses import replace
from types import TracebackType
from typing import Self

from evaluations.prompts import Prepared, folded
from evaluations.providers import Ask, NeverRetryError, Provider, Reply, open_provider
from evaluations.providers.lessons import SYSTEM_PROMPT, value_of
from evaluations.services.database_patience import in_database
from evaluations.services.learning import as_learned, folds_system_prompt, learn, may_be_learned
from evaluations.services.questions import RunContext


def open_learning_provider(context: RunContext) -> "LearningProvider":
    """Return the adapter for a run's system, not yet entered, that begins with what the run has learned."""
    return LearningProvider(open_provider(context.provider, context.endpoint), context)


class LearningProvider:
    """Asks through another provider, and again at once where a refused parameter was learned by it.

    A question is sent once for each parameter learned on its way and once more; what teaches nothing new is raised.
    """

    def __init__(self, provider: Provider, context: RunContext) -> None:
        self._provider = provider
        self._run_id = context.run_id
        self._learned = dict(context.learned)

    async def __aenter__(self) -> Self:
        await self._provider.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._provider.__aexit__(kind, error, trace)

    async def ask(self, ask: Ask) -> Reply:
        """Ask one question until it is answered or nothing is to be learned; see `Provider.ask`."""
        while True:
            sent = self._as_learned(ask)
            try:
                reply = await self._provider.ask(sent)
            except NeverRetryError as error:
                await self._learn(error, ask, sent)
                if self._as_learned(ask) == sent:
                    raise
            else:
                return reply if sent.prompt == ask.prompt else replace(reply, prompt_sent=sent.prompt)

    def _as_learned(self, ask: Ask) -> Ask:
        learned = replace(ask, parameters=as_learned(ask.parameters, self._learned))
        if not (ask.system_prompt and folds_system_prompt(self._learned)):
            return learned
        return replace(learned, prompt=folded(Prepared(ask.prompt), ask.system_prompt).prompt, system_prompt="")

    async def _learn(self, error: NeverRetryError, ask: Ask, sent: Ask) -> None:
        """Learn what the error teaches, unless another question has been taught it meanwhile."""
        lesson = error.lesson
        if lesson is None or self._as_learned(ask) != sent:
            return
        said = {**sent.parameters, SYSTEM_PROMPT: sent.system_prompt or None}
        if may_be_learned(lesson, sent=said, learned=self._learned):
            value = value_of(said, lesson.name)
            self._learned = await in_database(learn, run_id=self._run_id, lesson=lesson, value=value)
