"""What the survey refuses, each with a sentence for the person who asked."""


class SurveyError(Exception):
    """Base of everything the survey refuses; its text can be shown to people."""


class StudyNotOpenError(SurveyError):
    """The study takes no answers now."""


class StudyNotReadyError(SurveyError):
    """The study lacks something it needs before anyone can take part."""


class ConsentOutdatedError(SurveyError):
    """The person saw another text than the one that must be agreed to now."""


class BegunAlreadyError(SurveyError):
    """Somebody began with this consent page, and their personal link is another one by now."""

    def __init__(self, participant_id: int) -> None:
        super().__init__(
            "Somebody has begun with this page already, and has a new personal link since, or has withdrawn. Open that "
            "link to go on. To begin as somebody else, choose Begin and read the text again."
        )
        self.participant_id = participant_id


class WithdrawnError(SurveyError):
    """The person has withdrawn; nothing more is stored about them."""


class NotYoursError(SurveyError):
    """The page belongs to somebody else."""


class NotYourTurnError(SurveyError):
    """Questions are answered in order, after the rules of their block."""


class AnswerRefusedError(SurveyError):
    """The answer is incomplete, or nothing could be read from it."""


class FlagRefusedError(SurveyError):
    """A flag is decided with a reason, and in few words."""


class CommentRefusedError(SurveyError):
    """The comment is empty, too long, or one too many."""


class ReminderRefusedError(SurveyError):
    """No reminders here, or no address that mail can be sent to."""


class RetentionFailedError(SurveyError):
    """The retention of some studies could not be applied; that of all others was."""


class NoSuchParticipantError(SurveyError):
    """The study has nobody by that pseudonym."""
