"""Settings of the test suite: real parts, a fast password hasher, a key that is no secret."""

import os

os.environ.setdefault("SECRET_KEY", "tests-only-key-that-protects-nothing-0123456789")

from chembench_site.settings.base import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
