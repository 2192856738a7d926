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
  var sending = null;

  function send() {
    window.clearTimeout(timer);
    if (!isChanged || isSubmitted) {
      return;
    }
    isChanged = false;
    isSending = true;
    sending = new AbortController();
    fetch(form.dataset.draft, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      credentials: "same-origin",
      keepalive: true,
      signal: sending.signal,
    })
      .then(function (reply) {
        note.textContent = reply.ok ? "" : "Not saved yet";
      })
      .catch(function () {
        isChanged = true;
        if (!isSubmitted) {
          note.textContent = "Not saved yet";
        }
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
    /* The answer holds all that a draft would: none is sent beside it, and one on its way is called back. */
    isSubmitted = true;
    window.clearTimeout(timer);
    if (isSending) {
      sending.abort();
    }
  });
  document.addEventListener("visibilitychange", function () {
    if (document.visibilityState === "hidden") {
      send();
    }
  });
  window.addEventListener("online", send);
  window.addEventListener("pageshow", function () {
    isSubmitted = false;
    if (isChanged) {
      later();
    }
  });
})();
