from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0003_snapshot"),
    ]

    operations = [
        migrations.CreateModel(
            name="PublishedResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("paper", models.CharField(help_text="Slug of a paper in `leaderboard.papers`.", max_length=40)),
                ("table", models.CharField(help_text="Where in the paper.", max_length=120)),
                (
                    "board",
                    models.CharField(
                        blank=True,
                        db_index=True,
                        help_text="Slug of the question set below whose board it is shown.",
                        max_length=80,
                    ),
                ),
                ("system", models.CharField(max_length=200)),
                ("setting", models.CharField(blank=True, max_length=100)),
                ("kind", models.CharField(max_length=20)),
                (
                    "grouping",
                    models.CharField(
                        blank=True, help_text="The grouping that topics of the table are of.", max_length=120
                    ),
                ),
                ("topic", models.CharField(blank=True, help_text="Empty: all questions.", max_length=200)),
                ("measure", models.CharField(max_length=60)),
                ("value", models.CharField(help_text="With the digits printed.", max_length=20)),
                ("remark", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("paper", "table", "system", "setting", "topic"), name="published_figure_once"
                    )
                ],
            },
        ),
    ]
