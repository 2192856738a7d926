from django.db import migrations, models

import evaluations.database_clock


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0010_woken_at"),
    ]

    operations = [
        migrations.AlterField(
            model_name="itemattempt",
            name="created_at",
            field=models.DateTimeField(default=evaluations.database_clock.database_now, editable=False),
        ),
    ]
