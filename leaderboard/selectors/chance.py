"""What somebody scores who reads no question, over a whole set."""

import numpy as np
from django.db.models import Count, Q

from corpus.models import QuestionSetRevision
from leaderboard.statistics import ChanceLevel, chance_level, question_chances


def chance_of_set(*, set_revision: QuestionSetRevision) -> ChanceLevel:
    """Return the share right to be expected of who takes one option at random. One query; of single questions nothing.

    A right option is one of full credit, as every rule has it.
    """
    options = "question_revision__options"
    counts = (
        set_revision.members.order_by("position")
        .annotate(n_options=Count(options), n_right=Count(options, filter=Q(**{f"{options}__credit": 1})))
        .values_list("n_options", "n_right")
    )
    table = np.array(list(counts), dtype=np.int64).reshape(-1, 2)
    return chance_level(question_chances(table[:, 0], table[:, 1]))
