"""Settings for every environment; values come from the environment (or a `.env` file) with safe defaults."""

from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from chembench_site.settings.content_policy import CONTENT_SECURITY_POLICY  # noqa: F401
from chembench_site.settings.databases import database_from_environment
from chembench_site.settings.mail import mail_from_environment
from chembench_site.settings.queue import queues_from_environment

BASE_DIR = Path(__file__).resolve().parents[2]

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

DATA_DIR = (BASE_DIR / (env.str("DATA_DIR", default="") or "var")).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="development-only-key-never-for-production" if DEBUG else "")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. Put a long random value into the environment or into .env "
        "(see .env.example), or set DEBUG=1 on your own machine."
    )

SITE_NAME = env.str("SITE_NAME", default="ChemBench Site")
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
# Said on the page about the site: who runs it, how to reach them, under which licence results may be used.
SITE_OPERATOR = env.str("SITE_OPERATOR", default="")
SITE_CONTACT = env.str("SITE_CONTACT", default="")
RESULTS_LICENCE = env.str("RESULTS_LICENCE", default="")
RESULTS_LICENCE_URL = env.str("RESULTS_LICENCE_URL", default="")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# An answer sent with an outdated form token is given back in its form.
CSRF_FAILURE_VIEW = "survey.views.csrf.csrf_failure"

INSTALLED_APPS = [
    # Before the admin, whose templates it extends.
    "chembench_site",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_rq",
    "corpus",
    "survey",
    "evaluations",
    "leaderboard",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "leaderboard.api_access.ApiAccess",
    # Before sessions: what it answers is the same for everybody.
    "leaderboard.kept_pages.KeptPages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "chembench_site.middleware.QueuePagesForSuperusers",
    "chembench_site.middleware.NoNullInAdminAddresses",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "chembench_site.urls"
WSGI_APPLICATION = "chembench_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "chembench_site.context_processors.site",
            ],
        },
    },
]

DATABASES = {"default": database_from_environment(env, DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

QUEUE_IS_EMBEDDED = not env.str("REDIS_URL", default="")
RQ_QUEUES = queues_from_environment(env, DATA_DIR)
RQ = {"WORKER_CLASS": "evaluations.worker.SweepingWorker"}

# Reminders to people who asked for them; nothing else is mailed.
vars().update(mail_from_environment(env, debug=DEBUG))

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "default"},
    # Rendered markup never changes for its key (hash of source, renderer version, style).
    "markup": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "markup",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # Pages of boards as they were sent, most of them compressed.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 100},
    },
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
LOGIN_URL = "admin:login"

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default="") or DATA_DIR / "static")
STATICFILES_DIRS = [path for path in [BASE_DIR / "assets"] if path.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_COOKIES = env.bool("SECURE_COOKIES", default=SITE_URL.startswith("https://"))
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = SECURE_COOKIES
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=0)
# Whether a whole domain is only ever reached over TLS is for whoever owns the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# How many people there must be before the public sees their mean, and their best and worst.
PEOPLE_MINIMUM_FOR_MEAN = env.int("PEOPLE_MINIMUM_FOR_MEAN", default=5)
PEOPLE_MINIMUM_FOR_EXTREMES = env.int("PEOPLE_MINIMUM_FOR_EXTREMES", default=10)

# How often one address may ask the public API in a minute; 0: as often as it likes.
API_REQUESTS_PER_MINUTE = env.int("API_REQUESTS_PER_MINUTE", default=120)

# A leased question becomes claimable again after this time if its worker has gone.
EVALUATION_LEASE_SECONDS = env.int("EVALUATION_LEASE_SECONDS", default=120)
EVALUATION_CONCURRENCY = env.int("EVALUATION_CONCURRENCY", default=8)
# Variables besides those ending in _API_KEY whose values a system may have sent to its endpoint.
EVALUATION_KEY_NAMES = env.list("EVALUATION_KEY_NAMES", default=[])
# An idle worker looks for runs whose wake-up calls were lost after this time.
EVALUATION_SWEEP_SECONDS = env.int("EVALUATION_SWEEP_SECONDS", default=30)
# One call may take this long; a question that fails in a passing way is tried so often, with doubled waits from the
# first one on; a job hands over to other runs after this time.
EVALUATION_CALL_SECONDS = env.float("EVALUATION_CALL_SECONDS", default=120.0)
EVALUATION_TRIES = env.int("EVALUATION_TRIES", default=6)
EVALUATION_RETRY_SECONDS = env.float("EVALUATION_RETRY_SECONDS", default=1.0)
EVALUATION_JOB_SECONDS = env.float("EVALUATION_JOB_SECONDS", default=60.0)
# The largest file of completions a contributor may send over the API.
CONTRIBUTOR_UPLOAD_BYTES = env.int("CONTRIBUTOR_UPLOAD_BYTES", default=50_000_000)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    # Personal links are keys: they have no place in a log.
    "filters": {"secret_links": {"()": "chembench_site.secret_links.SecretLinkFilter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["secret_links"]}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    # These log a line per call, and more at lower levels: addresses and questions, which have no place in a log.
    "loggers": {
        **{name: {"level": "WARNING"} for name in ("httpx2", "httpcore2", "openai", "anthropic")},
        "django.request": {"filters": ["secret_links"]},
    },
}
