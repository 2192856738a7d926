import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0001_initial"),
        ("leaderboard", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="BoardStatistics",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("rule", models.CharField(max_length=64)),
                ("results_version", models.PositiveBigIntegerField()),
                ("made_from", models.CharField(help_text="Hash of the rows it is of.", max_length=64)),
                ("content", models.JSONField(default=dict)),
                (
                    "set_revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="board_statistics",
                        to="corpus.questionsetrevision",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "board statistics",
                "constraints": [models.UniqueConstraint(fields=("set_revision", "rule"), name="board_statistics_once")],
            },
        ),
    ]
