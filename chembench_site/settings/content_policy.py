"""Content policy: everything from this site, no inline script and no inline style element anywhere."""

from csp.constants import NONE, SELF

CONTENT_SECURITY_POLICY = {
    # django-rq's own pages use inline scripts; they show staff nothing that a question or a model wrote.
    "EXCLUDE_URL_PREFIXES": ["/admin/django_rq/"],
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        # KaTeX places its boxes with style attributes; they cannot run script.
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    },
}
