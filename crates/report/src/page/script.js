plots.enliven(document);
for (const button of document.querySelectorAll("button[data-along]")) {
  button.addEventListener("click", () => {
    const along = button.dataset.along;
    for (const other of document.querySelectorAll("button[data-along]")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    for (const figure of document.querySelectorAll("figure[data-shown]")) {
      figure.hidden = figure.dataset.shown !== along;
    }
  });
}
