/* Sends a remark on a question without leaving the page; without this it goes from a window of its own. */
(function () {
  "use strict";

  var FAILED = "It could not be sent. What you wrote is still here; please try again in a moment.";

  function send(form, status) {
    var button = form.querySelector("button[type=submit]");
    button.disabled = true;
    status.textContent = "Sending…";
    fetch(form.action, {
      method: "POST",
      body: new FormData(form),
      credentials: "same-origin",
      headers: { Accept: "application/json" },
    })
      .then(function (response) {
        return response.json().then(function (reply) {
          status.textContent = reply.message;
          if (response.ok) {
            form.querySelector("textarea").value = "";
          }
        });
      })
      .catch(function () {
        status.textContent = FAILED;
      })
      .finally(function () {
        button.disabled = false;
      });
  }

  document.querySelectorAll("form[data-comment]").forEach(function (form) {
    // Before anything else that listens: other scripts of the page guard forms that are sent by leaving it.
    form.addEventListener(
      "submit",
      function (event) {
        event.preventDefault();
        event.stopImmediatePropagation();
        send(form, form.querySelector(".comment-status"));
      },
      true
    );
  });
})();
