"""Addresses of the staff pages of a study, all under its `staff/`."""

from django.urls import path

from survey.views import flags, staff

urlpatterns = [
    path("", staff.staff, name="staff"),
    path("progress/", staff.progress, name="staff-progress"),
    path("questions/", staff.questions, name="staff-questions"),
    path("questions/<int:root_id>/", staff.question, name="staff-question"),
    path("times/", staff.times, name="staff-times"),
    path("agreement/", staff.agreement, name="staff-agreement"),
    path("flags/<int:flag_id>/", flags.review, name="staff-flag"),
    path("responses.csv", staff.responses_csv, name="responses-csv"),
    path("questions.csv", staff.items_csv, name="items-csv"),
]
