"""What rq's cron scheduler puts on the queue: `manage.py rqcron evaluations.cron`, one process anywhere."""

from django.conf import settings
from rq import cron

from evaluations.tasks import QUEUE, sweep_job

# A job that no worker took before the next one is due is dropped, so that none pile up while no worker runs.
cron.register(
    sweep_job,
    queue_name=QUEUE,
    interval=settings.EVALUATION_SWEEP_SECONDS,
    ttl=settings.EVALUATION_SWEEP_SECONDS,
    result_ttl=settings.EVALUATION_SWEEP_SECONDS,
    failure_ttl=3600,
    job_timeout=300,
)
