from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0004_publishedresult")]

    operations = [
        migrations.CreateModel(
            name="KeptPage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(help_text="With whether it is compressed.", max_length=300, unique=True)),
                ("stamp", models.CharField(help_text="Hash of everything the page depends on.", max_length=64)),
                ("headers", models.JSONField(default=dict)),
                ("content", models.BinaryField()),
            ],
        ),
    ]
