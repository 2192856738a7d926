/* Makes the survey quicker; every page works without it. */
(function () {
  "use strict";

  function typingIn(element) {
    return element instanceof HTMLElement && (element.matches("textarea, select") || element.matches("input[type=text]"));
  }

  function guardAgainstSecondSubmit(form) {
    form.addEventListener("submit", function (event) {
      if (form.dataset.sent) {
        event.preventDefault();
        return;
      }
      form.dataset.sent = "yes";
      form.querySelectorAll("button").forEach(function (button) {
        button.setAttribute("aria-disabled", "true");
      });
    });
  }

  function allowAgain() {
    document.querySelectorAll("form[data-sent]").forEach(function (form) {
      delete form.dataset.sent;
      form.querySelectorAll("button").forEach(function (button) {
        button.removeAttribute("aria-disabled");
      });
    });
  }

  function pickByLetter(form, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typingIn(event.target)) {
      return;
    }
    var box = form.querySelector('input[name="choice"][value="' + CSS.escape(event.key.toUpperCase()) + '"]');
    if (event.key.length === 1 && box) {
      event.preventDefault();
      box.focus();
      box.click();
    }
  }

  function confirmByEnter(form, event) {
    var onControl = event.target instanceof HTMLElement && event.target.closest("a, button, summary, input, textarea, select");
    if (event.key !== "Enter" || event.repeat || event.defaultPrevented || (onControl && !event.target.matches("input"))) {
      return;
    }
    event.preventDefault();
    form.requestSubmit(form.querySelector("button.button-primary"));
  }

  function copyText(button, text) {
    var label = button.textContent;
    navigator.clipboard.writeText(text).then(
      function () {
        button.textContent = "Copied";
        window.setTimeout(function () {
          button.textContent = label;
        }, 1500);
      },
      function () {
        button.textContent = "Select and copy by hand";
      }
    );
  }

  function offerCopies() {
    if (!navigator.clipboard) {
      return;
    }
    document.querySelectorAll("[data-copy]").forEach(function (button) {
      button.hidden = false;
      button.addEventListener("click", function () {
        copyText(button, document.getElementById(button.dataset.copy).value);
      });
    });
    document.querySelectorAll(".molecule-caption").forEach(function (caption) {
      var code = caption.querySelector(".smiles");
      if (!code) {
        return;
      }
      var button = document.createElement("button");
      button.type = "button";
      button.className = "button copy-smiles";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy the SMILES");
      button.addEventListener("click", function (event) {
        event.preventDefault();
        event.stopPropagation();
        copyText(button, code.textContent);
      });
      caption.append(button);
    });
  }

  document.querySelectorAll("form[method=post]").forEach(guardAgainstSecondSubmit);
  window.addEventListener("pageshow", allowAgain);
  var keyed = document.querySelector("form[data-keys]");
  if (keyed) {
    document.addEventListener("keydown", function (event) {
      pickByLetter(keyed, event);
      confirmByEnter(keyed, event);
    });
  }
  var focused = document.querySelector("main [autofocus]");
  if (focused) {
    focused.focus();
  }
  offerCopies();
})();
