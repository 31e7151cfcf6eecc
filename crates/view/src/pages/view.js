"use strict";
// Asks the server now and then whether anything is new, and puts it in its place.

const main = document.querySelector("main");
const pulse = document.getElementById("pulse");

const table = document.getElementById("studies");
const rows = document.getElementById("rows");
const sorting = { column: 0, down: false };

// ---- how long ago

function ago(seconds) {
  if (seconds < 10) return "now";
  if (seconds < 60) return Math.floor(seconds) + " s ago";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min ago";
  if (seconds < 86400) return Math.floor(seconds / 3600) + " h ago";
  return Math.floor(seconds / 86400) + " d ago";
}

function tellTimes() {
  for (const time of document.querySelectorAll("time[data-at]")) {
    const at = Number(time.dataset.at);
    time.textContent = at ? ago(Date.now() / 1000 - at) : "–";
    if (at) time.title = new Date(at * 1000).toLocaleString();
  }
}

// ---- the list: search, filter, sort, select

function key(row, column) {
  const cell = row.children[column];
  const text = cell ? cell.dataset.key || "" : "";
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text;
}

function order(a, b) {
  const [x, y] = [key(a, sorting.column), key(b, sorting.column)];
  if (x === y) return 0;
  // What has no number comes last, whichever way.
  if (x === "" || y === "") return x === "" ? 1 : -1;
  const up = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
  return sorting.down ? -up : up;
}

function arrange() {
  if (sorting.column) {
    const sorted = [...rows.children].sort(order);
    if (sorted.some((row, at) => row !== rows.children[at])) rows.replaceChildren(...sorted);
  }
  const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const state = document.getElementById("state").value;
  let shown = 0;
  for (const row of rows.children) {
    const name = row.dataset.name.toLowerCase();
    const fits = words.every((word) => name.includes(word)) && (!state || key(row, 2) === state);
    row.hidden = !fits;
    shown += fits;
  }
  const chosen = rows.querySelectorAll("input:checked").length;
  const of = shown === rows.children.length ? "" : " of " + rows.children.length;
  document.getElementById("count").textContent =
    shown + of + (rows.children.length === 1 ? " study" : " studies") + (chosen ? ", " + chosen + " selected" : "");
  document.getElementById("compare").disabled = chosen === 0;
}

function sortBy(button) {
  const column = Number(button.dataset.column);
  const first = button.dataset.first === "down";
  sorting.down = sorting.column === column ? !sorting.down : first;
  sorting.column = column;
  for (const head of table.querySelectorAll("thead th")) head.removeAttribute("aria-sort");
  button.parentElement.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
  arrange();
}

function replaceRows(html) {
  const chosen = new Set([...rows.querySelectorAll("input:checked")].map((box) => box.value));
  const focused = rows.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && [focused.closest("tr").dataset.name, focused.tagName];
  const fresh = document.createElement("template");
  fresh.innerHTML = "<table><tbody>" + html + "</tbody></table>";
  rows.replaceChildren(...fresh.content.querySelectorAll("tr"));
  for (const box of rows.querySelectorAll("input")) box.checked = chosen.has(box.value);
  const empty = document.getElementById("empty");
  if (empty) empty.hidden = rows.children.length > 0;
  arrange();
  if (place) {
    const row = [...rows.children].find((row) => row.dataset.name === place[0]);
    if (row) row.querySelector(place[1]).focus();
  }
}

// ---- a study: what changed is replaced, what a reader unfolded stays unfolded

const sources = new WeakMap();

function remember(parent) {
  for (const child of parent.children) {
    sources.set(child, child.outerHTML);
    if ("parts" in child.dataset) remember(child);
  }
}

function keepOpen(known, fresh) {
  const before = known.matches("details") ? [known] : [...known.querySelectorAll("details")];
  const after = fresh.matches("details") ? [fresh] : [...fresh.querySelectorAll("details")];
  after.forEach((it, at) => {
    if (before[at]) it.open = before[at].open;
  });
}

function replaceParts(parent, fresh) {
  for (const child of [...parent.children]) {
    if (!child.id || ![...fresh.children].some((it) => it.id === child.id)) child.remove();
  }
  let at = parent.firstElementChild;
  for (const child of [...fresh.children]) {
    const source = child.outerHTML;
    if (!at || at.id !== child.id) {
      parent.insertBefore(child, at);
      sources.set(child, source);
      if ("parts" in child.dataset) remember(child);
      plots.enliven(child);
      continue;
    }
    const next = at.nextElementSibling;
    if (sources.get(at) !== source) {
      if ("parts" in child.dataset) {
        replaceParts(at, child);
        sources.set(at, source);
      } else if (plots.renew(at, child)) {
        sources.set(at, source);
      } else {
        const focused = at.contains(document.activeElement);
        const place = [...at.querySelectorAll("summary")].indexOf(document.activeElement);
        keepOpen(at, child);
        at.replaceWith(child);
        sources.set(child, source);
        plots.enliven(child);
        if (focused && place >= 0) [...child.querySelectorAll("summary")][place]?.focus();
      }
    }
    at = next;
  }
}

// Made when it is unfolded, and made anew when it is unfolded again: the policy may be a better one.
async function playFilm(details) {
  for (const old of details.querySelectorAll("img, p")) old.remove();
  if (!details.open) return;
  const said = document.createElement("p");
  said.textContent = "filming …";
  details.append(said);
  try {
    const answer = await fetch(details.dataset.film);
    if (!answer.ok) throw new Error(await answer.text());
    const image = document.createElement("img");
    image.alt = "an episode of what the study found";
    image.src = URL.createObjectURL(await answer.blob());
    said.replaceWith(image);
  } catch (error) {
    said.textContent = error.message;
  }
}

// ---- asking

let revision = main.dataset.revision;

async function ask() {
  const start = performance.now();
  try {
    let address = main.dataset.live;
    address += (address.includes("?") ? "&" : "?") + "since=" + revision;
    const answer = await fetch(address, { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    if (answer.status === 200) {
      const news = await answer.json();
      revision = news.revision;
      if (table) {
        replaceRows(news.html);
      } else {
        const fresh = document.createElement("template");
        fresh.innerHTML = "<main>" + news.html + "</main>";
        replaceParts(main, fresh.content.firstElementChild);
      }
      document.documentElement.dataset.updates = Number(document.documentElement.dataset.updates || 0) + 1;
    }
    pulse.textContent = "live";
  } catch (error) {
    pulse.textContent = "the server does not answer; trying again";
  }
  tellTimes();
  // What takes the server long is asked for less often.
  const wait = Math.max(1000, 5 * (performance.now() - start));
  window.setTimeout(ask, document.hidden ? Math.max(wait, 5000) : wait);
}

tellTimes();
if (table) {
  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sortBy(button));
  }
  document.getElementById("search").addEventListener("input", arrange);
  document.getElementById("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  document.getElementById("state").addEventListener("change", arrange);
  rows.addEventListener("change", arrange);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input[type=search], select");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      document.getElementById("search").focus();
    }
  });
  arrange();
} else {
  remember(main);
  plots.enliven(main);
  main.addEventListener("toggle", (event) => {
    if (event.target.matches("details.film")) playFilm(event.target);
  }, true);
}
window.setTimeout(ask, 1000);
