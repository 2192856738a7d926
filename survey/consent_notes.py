"""What every consent page says beside the study's own text."""

SITE_NOTE = (
    "Times are kept by the clock of this server: when each question was shown and answered, and for how long its page "
    "was hidden, or you had paused, in between. That time away is told apart from the time you needed. What you fill "
    "in is kept until you send it, so that it is not lost when the page closes."
)
