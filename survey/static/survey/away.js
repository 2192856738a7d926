/* Tells the server when the page of a question is hidden and when it is seen again; the server's clock counts. */
(function () {
  "use strict";

  var AGAIN = 2000;
  var form = document.querySelector("form[data-away]");
  if (!form) {
    return;
  }
  var isLeaving = false;

  function tell(state) {
    var words = new URLSearchParams();
    ["csrfmiddlewaretoken", "assignment"].forEach(function (name) {
      words.set(name, form.elements[name].value);
    });
    words.set("state", state);
    fetch(form.dataset.away, { method: "POST", body: words, credentials: "same-origin", keepalive: true }).catch(
      function () {
        /* Time away that cannot be told counts as time at the question. */
      }
    );
  }

  /* With two tabs the word of the one left may come after the word of the other: say it once more. */
  function tellVisible() {
    tell("visible");
    window.setTimeout(function () {
      if (document.visibilityState === "visible" && !isLeaving) {
        tell("visible");
      }
    }, AGAIN);
  }

  document.addEventListener("visibilitychange", function () {
    if (document.visibilityState === "visible") {
      isLeaving = false;
      tellVisible();
    } else if (!isLeaving) {
      tell("hidden");
    }
  });
  /* Going to another page of the site hides this one, but is not being away. */
  document.addEventListener("submit", function (event) {
    isLeaving = !event.defaultPrevented && event.target.method === "post" && !event.target.target;
  });
  window.addEventListener("pageshow", function (event) {
    isLeaving = false;
    var visit = performance.getEntriesByType("navigation")[0];
    if (event.persisted || (visit && visit.type !== "navigate")) {
      tellVisible();
    }
  });
})();
