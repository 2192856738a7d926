// Draws each `.chart` when it comes into view: its figure and the library are fetched only then.
// The figure names colours by custom properties; the theme's own are put in their place, again when it changes.
"use strict";

(() => {
  const figures = new Map();
  let library = null;

  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);

  function colour(reference) {
    probe.style.color = "";
    probe.style.color = reference;
    return getComputedStyle(probe).color;
  }

  function themed(value) {
    if (Array.isArray(value)) {
      return value.map(themed);
    }
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, themed(entry)]));
    }
    return typeof value === "string" && value.startsWith("var(--") ? colour(value) : value;
  }

  function loadLibrary(address) {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        library = null;
        reject(new Error("The chart library could not be loaded."));
      };
      document.head.append(script);
    });
    return library;
  }

  async function loadFigure(address) {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) {
      throw new Error("The figure could not be loaded.");
    }
    return response.json();
  }

  // On a phone long labels would leave no room for the bars.
  function narrow(layout) {
    layout.font.size = 12;
    const { title = "% right", dtick = 50 } = layout.meta?.narrow ?? {};
    layout.xaxis.title.text = title;
    layout.xaxis.dtick = dtick;
    if (!layout.yaxis.categoryarray) {
      return;
    }
    layout.yaxis.tickvals = layout.yaxis.categoryarray;
    layout.yaxis.ticktext = layout.yaxis.categoryarray.map((label) =>
      label.length > 18 ? `${label.slice(0, 17)}…` : label,
    );
  }

  function draw(Plotly, element, figure) {
    const { data, layout } = themed(figure);
    if (element.clientWidth < 560) {
      narrow(layout);
    }
    return Plotly.react(element, data, layout, { displayModeBar: false, responsive: true });
  }

  async function show(element) {
    element.setAttribute("aria-busy", "true");
    const { library, figure: address } = element.dataset;
    try {
      const [Plotly, figure] = await Promise.all([loadLibrary(library), loadFigure(address)]);
      element.replaceChildren();
      figures.set(element, figure);
      await draw(Plotly, element, figure);
      element.dataset.drawn = "true";
    } catch (error) {
      const note = document.createElement("p");
      note.className = "notice";
      note.textContent = `${error.message} The table holds the same numbers; reload the page to try again.`;
      element.replaceChildren(note);
    }
    element.removeAttribute("aria-busy");
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) {
          observer.unobserve(entry.target);
          show(entry.target);
        }
      }
    },
    { rootMargin: "100px" },
  );

  function watch(root) {
    for (const element of root.querySelectorAll(".chart[data-figure]:not([data-drawn])")) {
      observer.observe(element);
    }
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const [element, figure] of figures) {
      if (element.isConnected) {
        draw(window.Plotly, element, figure);
      } else {
        figures.delete(element);
      }
    }
  });

  document.addEventListener("htmx:afterSettle", () => watch(document));
  watch(document);
})();
