"""A consent page makes one person; reminders are counted with the person, whatever becomes of the address."""

from django.db import migrations, models


def count_with_the_person(apps, schema_editor):
    participants = apps.get_model("survey", "Participant").objects
    for address in apps.get_model("survey", "ReminderAddress").objects.filter(n_sent__gt=0):
        participants.filter(pk=address.participant_id).update(reminders_sent=address.n_sent)


class Migration(migrations.Migration):
    dependencies = [("survey", "0006_people_join_in_groups")]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="consent_page_key",
            field=models.CharField(
                blank=True,
                editable=False,
                help_text="Hash of the page they agreed on.",
                max_length=64,
                null=True,
                unique=True,
            ),
        ),
        migrations.AddField(
            model_name="participant",
            name="reminders_sent",
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.RunPython(count_with_the_person, migrations.RunPython.noop),
    ]
