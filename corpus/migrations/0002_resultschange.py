import django.db.models.deletion
from django.db import migrations, models


def note_all(apps, schema_editor):
    """What changed before is not known: for every benchmark it may be anything."""
    rows = apps.get_model("corpus", "Benchmark").objects.values_list("pk", "results_version")
    change = apps.get_model("corpus", "ResultsChange")
    change.objects.bulk_create(
        change(benchmark_id=pk, part="all", number=0, results_version=version) for pk, version in rows
    )


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ResultsChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "part",
                    models.CharField(
                        choices=[
                            ("all", "anything"),
                            ("people", "answers of people, or who of them counts"),
                            ("system", "answers of one system"),
                        ],
                        max_length=6,
                    ),
                ),
                (
                    "number",
                    models.PositiveBigIntegerField(default=0, help_text="Of a system; 0 for other parts."),
                ),
                ("results_version", models.PositiveBigIntegerField()),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results_changes",
                        to="corpus.benchmark",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "part", "number"), name="results_change_once")
                ],
            },
        ),
        migrations.RunPython(note_all, migrations.RunPython.noop),
    ]
