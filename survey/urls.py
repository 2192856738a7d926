"""Addresses of the survey pages."""

from django.urls import path

from survey.views import answering, comments, entry, exports, own, privacy, reminders, staff

app_name = "survey"
urlpatterns = [
    path("resume/<str:secret>/", entry.resume, name="resume"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("reminders/stop/<str:token>/", reminders.reminders_end, name="reminders-stop"),
    path("<slug:study_slug>/", entry.start, name="start"),
    path("<slug:study_slug>/consent/", entry.consent, name="consent"),
    path("<slug:study_slug>/profile/", entry.profile, name="profile"),
    path("<slug:study_slug>/link/", entry.link, name="link"),
    path("<slug:study_slug>/practice/", entry.practice, name="practice"),
    path("<slug:study_slug>/continue/", entry.go_on, name="continue"),
    path("<slug:study_slug>/rules/", answering.rules, name="rules"),
    path("<slug:study_slug>/question/<int:position>/", answering.question, name="question"),
    path("<slug:study_slug>/finish/", answering.finish, name="finish"),
    path("<slug:study_slug>/question/<int:position>/comment/", comments.comment, name="comment"),
    path("<slug:study_slug>/reminder/", reminders.reminder, name="reminder"),
    path("<slug:study_slug>/my-data/", own.my_data, name="my-data"),
    path("<slug:study_slug>/withdraw/", own.withdraw, name="withdraw"),
    path("<slug:study_slug>/staff/reports/", exports.reports, name="reports"),
    path("<slug:study_slug>/staff/", staff.staff, name="staff"),
    path("<slug:study_slug>/staff/responses.csv", staff.responses_csv, name="responses-csv"),
]
