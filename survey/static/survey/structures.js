/* Enlarges a structure in a dialog, and copies its SMILES. */
(function () {
  "use strict";

  var dialog = document.getElementById("enlarged");

  function placeOf(button) {
    return button.closest("figure, li");
  }

  function smilesOf(place) {
    return Array.from(place.querySelectorAll(".smiles"), function (code) {
      return code.textContent;
    }).join("\n");
  }

  /* A drawing that is on the page twice must not bring its ids twice. */
  function copyOf(drawing) {
    var copy = drawing.cloneNode(true);
    copy.removeAttribute("tabindex");
    copy.removeAttribute("role");
    copy.removeAttribute("aria-label");
    copy.querySelectorAll("svg").forEach(function (svg) {
      var title = svg.querySelector("title");
      svg.removeAttribute("aria-labelledby");
      svg.removeAttribute("aria-describedby");
      svg.setAttribute("aria-label", title ? title.textContent : svg.getAttribute("aria-label") || "");
      svg.querySelectorAll("title, desc").forEach(function (element) {
        element.remove();
      });
    });
    return copy;
  }

  /* As wide as the dialog; a drawing that is wider at a good size scrolls. */
  function fit(svg) {
    svg.style.minWidth = svg.getAttribute("width");
    svg.style.maxHeight = "max(68dvh, " + svg.getAttribute("height") + ")";
  }

  function enlarge(place) {
    var room = dialog.querySelector(".enlarged-drawing");
    var copies = Array.from(place.querySelectorAll(".molecule-scroll"), copyOf);
    room.replaceChildren.apply(room, copies);
    var drawings = room.querySelectorAll("svg");
    room.classList.toggle("is-single", drawings.length === 1);
    if (drawings.length === 1) {
      fit(drawings[0]);
    }
    dialog.querySelector(".enlarged-name").textContent = smilesOf(place);
    dialog.showModal();
  }

  function closeFromBesides(event) {
    if (event.target === dialog) {
      dialog.close();
    }
  }

  if (dialog) {
    dialog.addEventListener("click", closeFromBesides);
    document.querySelectorAll("[data-enlarge]").forEach(function (button) {
      button.addEventListener("click", function () {
        enlarge(placeOf(button));
      });
    });
    /* In an option a press chooses it; in the question itself it enlarges. */
    document.querySelectorAll(".stem .molecule .molecule-scroll").forEach(function (drawing) {
      drawing.addEventListener("click", function () {
        enlarge(placeOf(drawing));
      });
    });
  }
  document.querySelectorAll("[data-copy-smiles]").forEach(function (button) {
    button.addEventListener("click", function () {
      window.surveyCopyText(button, smilesOf(placeOf(button)));
    });
  });
})();
