/* Keyboard of the question page: letters pick options, digits say how sure, Enter confirms. */
(function () {
  "use strict";

  var form = document.querySelector("form[data-keys]");
  if (!form) {
    return;
  }

  function isTyping(element) {
    return element.matches("textarea, select, input[type=text], input[type=email]");
  }

  /* Keys meant for something else: a shortcut, a dialog, a field, another form of the page. */
  function isOurs(event) {
    var target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented || event.isComposing) {
      return false;
    }
    if (!(target instanceof HTMLElement) || document.querySelector("dialog[open]")) {
      return false;
    }
    var control = target.closest("input, textarea, select, button, summary, a, [tabindex='0']");
    return !control || form.contains(control);
  }

  function press(name, value) {
    var box = form.querySelector('input[name="' + name + '"][value="' + CSS.escape(value) + '"]');
    if (!box) {
      return false;
    }
    box.focus();
    box.click();
    return true;
  }

  function pick(event) {
    if (event.key.length !== 1 || isTyping(event.target)) {
      return;
    }
    var picked = /[1-5]/.test(event.key) ? press("confidence", event.key) : press("choice", event.key.toUpperCase());
    if (picked) {
      event.preventDefault();
    }
  }

  function confirm(event) {
    if (event.key !== "Enter" || event.target.closest("a, button, summary, textarea, select")) {
      return;
    }
    event.preventDefault();
    form.requestSubmit(form.querySelector("button.button-primary"));
  }

  document.addEventListener("keydown", function (event) {
    if (isOurs(event)) {
      pick(event);
      confirm(event);
    }
  });
})();
