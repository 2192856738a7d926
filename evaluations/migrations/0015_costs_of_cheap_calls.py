from django.db import migrations, models


class Migration(migrations.Migration):
    """Keep what a call cost to the last place: prices of a millionth per million tokens make it twelve."""

    dependencies = [
        ("evaluations", "0014_calls_named"),
    ]

    operations = [
        migrations.AlterField(
            model_name="item",
            name="cost",
            field=models.DecimalField(
                blank=True,
                decimal_places=12,
                help_text="By the run's prices; empty is unknown.",
                max_digits=18,
                null=True,
            ),
        ),
        *(
            migrations.AlterField(
                model_name=name,
                name="cost",
                field=models.DecimalField(blank=True, decimal_places=12, max_digits=18, null=True),
            )
            for name in ("itemattempt", "itemconfidence", "itemfallback")
        ),
    ]
