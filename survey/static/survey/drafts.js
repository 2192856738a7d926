/* Keeps what is filled in on the server, so that it survives a closed tab. Where that fails, a small note says so. */
(function () {
  "use strict";

  var WAIT = 800;
  var form = document.querySelector("form[data-draft]");
  if (!form) {
    return;
  }
  var note = form.querySelector("[data-save-state]");
  var timer = 0;
  var isChanged = false;
  var isSending = false;
  var isSubmitted = false;

  function send() {
    window.clearTimeout(timer);
    if (!isChanged || isSubmitted) {
      return;
    }
    isChanged = false;
    isSending = true;
    fetch(form.dataset.draft, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      credentials: "same-origin",
      keepalive: true,
    })
      .then(function (reply) {
        note.textContent = reply.ok ? "" : "Not saved yet";
      })
      .catch(function () {
        note.textContent = "Not saved yet";
        isChanged = true;
      })
      .finally(function () {
        isSending = false;
        if (isChanged && !note.textContent) {
          later();
        }
      });
  }

  function later() {
    window.clearTimeout(timer);
    timer = window.setTimeout(function () {
      /* One at a time, so that an older word never comes after a newer one. */
      if (isSending) {
        later();
      } else {
        send();
      }
    }, WAIT);
  }

  form.addEventListener("input", function () {
    isChanged = true;
    later();
  });
  form.addEventListener("submit", function () {
    isSubmitted = true;
  });
  document.addEventListener("visibilitychange", function () {
    if (document.visibilityState === "hidden") {
      send();
    }
  });
  window.addEventListener("online", send);
  window.addEventListener("pageshow", function () {
    isSubmitted = false;
  });
})();
