"""Studies and whether people can take part in them."""

from hashlib import sha256

from django.db.models import Count, Q

from corpus.models import Question, QuestionSetMember
from corpus.scoring.types import Kind
from survey.models import ConsentText, Study

ANSWERABLE_KINDS = (Kind.CHOICE.value, Kind.NUMBER.value)


def study_by_slug(slug: str) -> Study | None:
    """Return the study, or None when there is none of that name."""
    return Study.objects.filter(slug=slug).first()


def current_consent(study: Study) -> ConsentText | None:
    """Return the consent text to be agreed to now: the newest version."""
    return study.consent_texts.order_by("-version").first()


def words_key(text: str) -> str:
    """Return what a consent text's words are known by: any change of them is another key."""
    return sha256(text.encode()).hexdigest()


def study_problems(study: Study) -> list[str]:
    """Return what keeps a study from being opened, as sentences; empty when nothing does."""
    problems = []
    if current_consent(study) is None:
        problems.append("There is no consent text.")
    problems += _block_problems(study)
    problems += _balance_problems(study)
    problems += _attention_problems(study)
    return problems


def _block_problems(study: Study) -> list[str]:
    problems = []
    members = "set_revision__members"
    unanswerable = ~Q(**{f"{members}__question_revision__kind__in": ANSWERABLE_KINDS})
    blocks = study.blocks.annotate(
        n_questions=Count(members, distinct=True),
        n_unanswerable=Count(members, filter=unanswerable, distinct=True),
    )
    if not blocks:
        problems.append("There is no block of questions.")
    for block in blocks:
        if not block.n_questions:
            problems.append(f"The block “{block.title}” has no questions.")
        elif block.n_unanswerable:
            problems.append(
                f"The block “{block.title}” has {block.n_unanswerable} questions that are neither choice nor number."
            )
    return problems


def _balance_problems(study: Study) -> list[str]:
    """Return what is wrong with the shares of blocks. A grouping without any share does no harm."""
    problems = []
    for block in study.blocks.filter(questions_per_person__isnull=False):
        if not block.questions_per_person:
            problems.append(f"The block “{block.title}” gives everybody 0 questions; leave the field empty for all.")
        labelled = Question.objects.filter(
            labels__grouping=study.balance_grouping_id, revisions__set_memberships__set_revision=block.set_revision_id
        )
        if study.balance_grouping_id and not labelled.exists():
            problems.append(
                f"No question of the block “{block.title}” has a label of the grouping its shares are balanced over; "
                "choose another grouping, or none."
            )
    return problems


def _attention_problems(study: Study) -> list[str]:
    if study.attention_set_id is None:
        return ["Attention checks are to come, but there is no set of them."] if study.attention_every else []
    if not study.attention_every:
        return ["There is a set of attention checks; say after how many questions one comes, or take the set out."]
    problems = []
    checks = QuestionSetMember.objects.filter(set_revision=study.attention_set_id)
    asked = QuestionSetMember.objects.filter(set_revision__study_blocks__study=study)
    if not checks.exists():
        problems.append("The set of attention checks is empty.")
    unanswerable = checks.exclude(question_revision__kind__in=ANSWERABLE_KINDS).count()
    if unanswerable:
        problems.append(f"{unanswerable} attention checks are neither choice nor number.")
    shared = checks.filter(question_revision__question__in=asked.values("question_revision__question")).count()
    if shared:
        problems.append(f"{shared} attention checks are questions of the study as well; they must be others.")
    return problems
