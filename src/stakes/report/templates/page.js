// Light and dark, folds, and paper: what every page needs.
(() => {
  "use strict";
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const label = () => {
    button.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  prefersDark.addEventListener("change", label);
  label();
  button.hidden = false;

  for (const control of document.querySelectorAll("[data-fold]")) {
    const folds = () => document.getElementById(control.dataset.fold).querySelectorAll("details");
    control.addEventListener("click", () => {
      const open = [...folds()].some((fold) => !fold.open);
      for (const fold of folds()) fold.open = open;
    });
    control.hidden = false;
  }

  for (const control of document.querySelectorAll("[data-picks]")) {
    const pick = () => {
      for (const [i, figure] of [...document.getElementById(control.dataset.picks).children].entries()) {
        figure.hidden = i !== control.selectedIndex;
      }
    };
    control.addEventListener("change", pick);
    control.closest(".pick").hidden = false;
  }

  // Paper cannot be unfolded, so that everything is open on it.
  const opened = [];
  const unfold = () => {
    for (const fold of document.querySelectorAll("details:not([open])")) {
      fold.open = true;
      opened.push(fold);
    }
  };
  const refold = () => {
    for (const fold of opened.splice(0)) fold.open = false;
  };
  window.addEventListener("beforeprint", unfold);
  window.addEventListener("afterprint", refold);
  window.matchMedia("print").addEventListener("change", (event) => (event.matches ? unfold() : refold()));

  // A wide tree starts with its root in the middle.
  for (const box of document.querySelectorAll(".drawing")) {
    const [area, top] = [box.getBoundingClientRect(), box.querySelector(".box").getBoundingClientRect()];
    box.scrollLeft += top.left + top.width / 2 - (area.left + area.width / 2);
  }
})();
