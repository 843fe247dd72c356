// A drawing of a tree is wider than a phone: what scrolls can be reached by the keyboard.
for (const drawing of document.querySelectorAll("figure.drawing")) {
  drawing.tabIndex = 0;
  drawing.setAttribute("aria-label", "Drawing of a tree");
}

// The arrows of the menu open what is below a page: they say so, too.
for (const summary of document.querySelectorAll(".bd-sidebar-primary li > details > summary")) {
  const page = summary.closest("li").querySelector("a");
  summary.setAttribute("aria-label", `Pages below ${page.textContent.trim()}`);
}
