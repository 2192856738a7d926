// Refreshes the live part of a staff page while it is looked at: not in a hidden tab, and not under somebody's hands.

const SECONDS = 15;

const isInUse = (live) => live.contains(document.activeElement) || !document.getSelection().isCollapsed;

const refresh = () => {
  const live = document.querySelector("[data-live]");
  if (live && !document.hidden && !isInUse(live)) window.htmx.trigger(live, "refresh");
};

setInterval(refresh, SECONDS * 1000);
document.addEventListener("visibilitychange", refresh);
