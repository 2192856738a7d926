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

  const LABEL_LENGTH = 18;

  // The tag of made-up data is never cut.
  function shortened(label) {
    const [tag = ""] = label.match(/ \(demo\)$/) ?? [];
    const name = label.slice(0, label.length - tag.length);
    const room = LABEL_LENGTH - tag.length;
    return (name.length > room ? `${name.slice(0, room - 1).trimEnd()}…` : name) + tag;
  }

  // On a phone long labels would leave no room for the bars. A figure without categories brings its own changes.
  function narrow(layout) {
    layout.font.size = 12;
    const names = layout.yaxis.categoryarray;
    const { title = names && "% right", dtick = names && 50, ...changes } = layout.meta?.narrow ?? {};
    Object.assign(layout, changes);
    if (title) {
      layout.xaxis.title.text = title;
    }
    if (dtick) {
      layout.xaxis.dtick = dtick;
    }
    if (!names) {
      return;
    }
    layout.yaxis.tickvals = names;
    layout.yaxis.ticktext = names.map(shortened);
  }

  function draw(Plotly, element, figure) {
    const { data, layout } = themed(figure);
    if (element.clientWidth < 560) {
      narrow(layout);
    }
    return Plotly.react(element, data, layout, { displayModeBar: false, responsive: true });
  }

  // A picture looks the same whatever the window: wide, on the page's own ground.
  async function pictureOf(element) {
    const { data, layout } = themed(figures.get(element));
    layout.paper_bgcolor = colour("var(--page)");
    const size = { width: 960, height: layout.height };
    return { ...size, address: await window.Plotly.toImage({ data, layout }, { format: "svg", ...size }) };
  }

  const savers = {
    SVG: async (element) => textOf((await pictureOf(element)).address),
    // Drawn here and not by Plotly, whose way by a blob: address the content policy forbids.
    PNG: async (element) => {
      const { address, width, height } = await pictureOf(element);
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    },
  };

  function textOf(address) {
    const text = decodeURIComponent(address.slice(address.indexOf(",") + 1));
    return new Blob([text], { type: "image/svg+xml" });
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  function nameOf(element) {
    const part = element.id || element.getAttribute("aria-labelledby") || "chart";
    const path = location.pathname.split("/").filter(Boolean).slice(1);
    return [...path, part.replace(/-heading$/, "")].join("-");
  }

  // The buttons exist only with a script; a link to the numbers stands there without one.
  function offerPictures(element) {
    let place = element.nextElementSibling;
    if (!place?.classList.contains("chart-files")) {
      place = document.createElement("p");
      place.className = "chart-files small";
      element.after(place);
    }
    if (place.querySelector("button")) {
      return;
    }
    const buttons = Object.entries(savers).map(([format, saver]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = `Save as ${format}`;
      const described = element.getAttribute("aria-labelledby");
      if (described) {
        button.setAttribute("aria-describedby", described);
      }
      button.addEventListener("click", async () => {
        button.setAttribute("aria-busy", "true");
        try {
          save(await saver(element), `${nameOf(element)}.${format.toLowerCase()}`);
          button.textContent = `Save as ${format}`;
        } catch {
          button.textContent = `${format} could not be made; try again`;
        }
        button.removeAttribute("aria-busy");
      });
      return button;
    });
    place.prepend(...buttons);
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
      offerPictures(element);
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
