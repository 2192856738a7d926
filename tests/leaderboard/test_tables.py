"""The frame of wide tables."""

from django.template import Context, Template

SOURCE = "{% load tables %}{% scrolled label %}<table>{{ cell }}</table>{% endscrolled %}"


def test_a_table_scrolls_in_a_named_region_that_keys_reach() -> None:
    html = Template(SOURCE).render(Context({"label": "A & B", "cell": "<b>"}))
    assert html == (
        '<div class="table-scroll" role="region" aria-label="A &amp; B" tabindex="0"><table>&lt;b&gt;</table></div>'
    )
