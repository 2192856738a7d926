"""Addresses of the survey pages."""

from django.urls import include, path

from survey.views import answering, comments, entry, exports, own, pausing, privacy, reminders

app_name = "survey"
urlpatterns = [
    path("resume/<str:secret>/", entry.resume, name="resume"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("reminders/stop/<str:token>/", reminders.reminders_end, name="reminders-stop"),
    path("<slug:study_slug>/", entry.start, name="start"),
    path("<slug:study_slug>/consent/", entry.consent, name="consent"),
    path("<slug:study_slug>/profile/", entry.profile, name="profile"),
    path("<slug:study_slug>/link/", entry.link, name="link"),
    path("<slug:study_slug>/link/new/", entry.new_link, name="new-link"),
    path("<slug:study_slug>/leave/", entry.leave, name="leave"),
    path("<slug:study_slug>/practice/", entry.practice, name="practice"),
    path("<slug:study_slug>/continue/", entry.go_on, name="continue"),
    path("<slug:study_slug>/rules/", answering.rules, name="rules"),
    path("<slug:study_slug>/question/<int:position>/", answering.question, name="question"),
    path("<slug:study_slug>/pause/", pausing.pause, name="pause"),
    path("<slug:study_slug>/break/", pausing.take_break, name="break"),
    path("<slug:study_slug>/away/", pausing.away, name="away"),
    path("<slug:study_slug>/draft/", pausing.draft, name="draft"),
    path("<slug:study_slug>/finish/", answering.finish, name="finish"),
    path("<slug:study_slug>/question/<int:position>/comment/", comments.comment, name="comment"),
    path("<slug:study_slug>/reminder/", reminders.reminder, name="reminder"),
    path("<slug:study_slug>/my-data/", own.my_data, name="my-data"),
    path("<slug:study_slug>/withdraw/", own.withdraw, name="withdraw"),
    path("<slug:study_slug>/staff/reports/", exports.reports, name="reports"),
    path("<slug:study_slug>/staff/", include("survey.staff_urls")),
]
