// The theme, set before anything is drawn: the system's, unless the reader chose one.
(() => {
  const order = ["auto", "light", "dark"];
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("stratagem.theme") ?? "auto";
  } catch {
    // a browser without storage has the system's theme
  }
  const apply = () => {
    if (chosen === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    const button = document.getElementById("theme");
    if (!button) return;
    button.setAttribute("aria-label", `Theme: ${chosen}`);
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[chosen];
  };
  const changed = () => dispatchEvent(new Event("stratagem:theme"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  apply();
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme")?.addEventListener("click", () => {
      chosen = order[(order.indexOf(chosen) + 1) % order.length];
      try {
        localStorage.setItem("stratagem.theme", chosen);
      } catch {
        // it lasts as long as the page then
      }
      apply();
      changed();
    });
  });
})();
