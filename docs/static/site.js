// The arrows of the menu open what is below a page: they say so, too.
for (const summary of document.querySelectorAll(".bd-sidebar-primary li > details > summary")) {
  const page = summary.closest("li").querySelector("a");
  summary.setAttribute("aria-label", `Pages below ${page.textContent.trim()}`);
}
