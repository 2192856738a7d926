from django.db import migrations, models


class Migration(migrations.Migration):
    """Name the call that an attempt records, and the claim under which an answer came; older rows name none."""

    dependencies = [
        ("evaluations", "0013_system_slug_not_of_people"),
    ]

    operations = [
        migrations.AddField(
            model_name="item",
            name="answered_token",
            field=models.UUIDField(
                blank=True, editable=False, help_text="The claim under which the answer came.", null=True
            ),
        ),
        migrations.AddField(
            model_name="itemconfidence",
            name="answered_token",
            field=models.UUIDField(
                blank=True, editable=False, help_text="The claim under which the reply came.", null=True
            ),
        ),
        migrations.AddField(
            model_name="itemfallback",
            name="answered_token",
            field=models.UUIDField(
                blank=True, editable=False, help_text="The claim under which the reply came.", null=True
            ),
        ),
        migrations.AddField(
            model_name="itemattempt",
            name="call",
            field=models.UUIDField(
                editable=False,
                help_text="Names the call, so that none is kept twice; empty where its worker was lost, and for older "
                "ones.",
                null=True,
                unique=True,
            ),
        ),
    ]
