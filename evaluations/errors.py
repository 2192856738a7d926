"""What can be refused in evaluations, each with a sentence that says what to do."""


class EvaluationError(Exception):
    """A request that cannot be carried out. `str(error)` is a message for the person who asked."""

    code = "evaluation-error"


class RunAlreadyActiveError(EvaluationError):
    """The system is already being asked this set; the message names the run."""

    code = "run-already-active"


class RunStateError(EvaluationError):
    """The run is not in a state in which this can be done."""

    code = "wrong-run-state"


class ReasonMissingError(EvaluationError):
    """What is refused, or taken off public pages, is so for a reason, which others read."""

    code = "reason-missing"


class CannotBeAskedError(EvaluationError):
    """The system, its parameters or the prompt style do not allow a run."""

    code = "cannot-be-asked"


class QueueAwayError(EvaluationError):
    """The queue cannot be reached, so no worker can be woken now."""

    code = "queue-away"


class NothingToAskError(EvaluationError):
    """The set has no questions, or every question of the run is already answered."""

    code = "nothing-to-ask"
