"""Settings of the test suite: real parts, a fast password hasher, a key that is no secret."""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("SECRET_KEY", "tests-only-key-that-protects-nothing-0123456789")
if "DATA_DIR" not in os.environ:
    # Two suites at once must not share a database file; parallel workers inherit this folder.
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="chembench-tests-")
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

from chembench_site.settings.base import *  # noqa: F403

_DATABASE = DATABASES["default"]  # noqa: F405
if _DATABASE["ENGINE"] == "django.db.backends.sqlite3":
    # Nothing here need outlive a crash of the machine.
    _lasting = _DATABASE["OPTIONS"]["init_command"]
    _DATABASE["OPTIONS"] = _DATABASE["OPTIONS"] | {"init_command": f"{_lasting} PRAGMA synchronous=OFF;"}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# All tests come from one address; those of the limit set it.
API_REQUESTS_PER_MINUTE = 0
WHITENOISE_AUTOREFRESH = True
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
