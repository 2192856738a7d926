"""What was read from a completion, the verdict on it, and proposals to judge again."""

from django.db import models

from corpus.models import AbstractReading, AbstractRescored, AbstractRescoring, AbstractScore
from evaluations.models.items import Item
from evaluations.models.runs import Run


class ItemReading(AbstractReading):
    """What was read from a completion."""

    answer = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="readings")

    class Meta(AbstractReading.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.answer_id} {self.reader}"


class ItemScore(AbstractScore):
    """The verdict on a reading of a completion."""

    answer = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="scores")
    reading = models.ForeignKey(ItemReading, on_delete=models.CASCADE, related_name="scores")

    class Meta(AbstractScore.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.answer_id} {self.rule} {self.outcome}"


class ItemRescoring(AbstractRescoring):
    """The items of one run read and judged again."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rescorings")

    class Meta(AbstractRescoring.Meta):
        verbose_name = "rescoring of a run"
        verbose_name_plural = "rescorings of runs"

    def __str__(self) -> str:
        return f"rescoring {self.pk}"


class RescoredItem(AbstractRescored):
    """What an item would be under a rescoring."""

    rescoring = models.ForeignKey(ItemRescoring, on_delete=models.CASCADE, related_name="rows")
    answer = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="rescored")
    old_reading = models.ForeignKey(ItemReading, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    new_reading = models.ForeignKey(ItemReading, on_delete=models.CASCADE, related_name="+")

    class Meta(AbstractRescored.Meta):
        verbose_name = "rescored item"

    def __str__(self) -> str:
        return f"{self.rescoring_id}: {self.answer_id} {self.old_outcome} {self.new_outcome}"
