"""How often personal links that nobody has were opened, so that guessing is slowed down."""

from django.db import models


class UnknownLinkCount(models.Model):
    """Links that lead nowhere, opened from one address within one minute; the address is kept as a keyed hash only."""

    address_key = models.CharField(max_length=64)
    minute = models.DateTimeField(db_index=True)
    n = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["address_key", "minute"], name="unknown_links_counted_once")]

    def __str__(self) -> str:
        return f"{self.n} at {self.minute:%H:%M}"
