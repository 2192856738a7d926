/* Makes the survey quicker; every page works without it. */
(function () {
  "use strict";

  function guardAgainstSecondSubmit(form) {
    form.addEventListener("submit", function (event) {
      if (form.dataset.sent) {
        event.preventDefault();
        return;
      }
      form.dataset.sent = "yes";
      buttonsOf(form).forEach(function (button) {
        button.setAttribute("aria-disabled", "true");
      });
    });
  }

  function buttonsOf(form) {
    return Array.from(form.elements).filter(function (element) {
      return element.matches("button");
    });
  }

  function allowAgain() {
    document.querySelectorAll("form[data-sent]").forEach(function (form) {
      delete form.dataset.sent;
      buttonsOf(form).forEach(function (button) {
        button.removeAttribute("aria-disabled");
      });
    });
  }

  /* Browsers offer the clipboard on secure pages only; elsewhere the text goes through a selection. */
  function copyBySelection(text) {
    var field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    var copied = document.execCommand("copy");
    field.remove();
    return copied;
  }

  function say(button, words) {
    if (button.dataset.said) {
      return;
    }
    var content = Array.from(button.childNodes);
    button.dataset.said = "yes";
    button.setAttribute("aria-live", "polite");
    button.replaceChildren(words);
    window.setTimeout(function () {
      button.replaceChildren.apply(button, content);
      delete button.dataset.said;
    }, 2500);
  }

  function copyText(button, text) {
    function copied() {
      say(button, "Copied");
    }
    function bySelection() {
      say(button, copyBySelection(text) ? "Copied" : "Copy by hand");
      button.focus();
    }
    if (navigator.clipboard) {
      navigator.clipboard.writeText(text).then(copied, bySelection);
    } else {
      bySelection();
    }
  }

  function offerCopies() {
    document.querySelectorAll("[data-copy]").forEach(function (button) {
      button.hidden = false;
      button.addEventListener("click", function () {
        copyText(button, document.getElementById(button.dataset.copy).value);
      });
    });
  }

  function showTimesOfThisPlace() {
    document.querySelectorAll("time[data-local-time]").forEach(function (time) {
      time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    });
  }

  window.surveyCopyText = copyText;
  document.querySelectorAll("form[method=post]:not([target])").forEach(guardAgainstSecondSubmit);
  window.addEventListener("pageshow", allowAgain);
  var focused = document.querySelector("main [autofocus]");
  if (focused) {
    focused.focus();
  }
  offerCopies();
  showTimesOfThisPlace();
})();
