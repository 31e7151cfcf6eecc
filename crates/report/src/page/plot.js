"use strict";
// Figures to look into. Each is drawn from the data beside its drawing, and redrawn when its width
// changes. Without this script the drawings stay.
const plots = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  // What a reader has switched and enlarged, by figure and panel; new data does not undo it.
  const kept = new Map();
  const resized = new ResizeObserver((all) => all.forEach((it) => it.target.redraw?.()));

  function make(name, attributes, parent, text) {
    const svg = ["svg", "g", "path", "line", "rect", "circle", "text", "clipPath"].includes(name);
    const it = svg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
    if (text !== undefined) it.textContent = text;
    if (parent) parent.append(it);
    return it;
  }

  // ---- numbers

  function shown(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(4);
    return String(Number(value.toPrecision(6)));
  }

  function tick(value, step) {
    const size = Math.max(Math.abs(value), step);
    if (size >= 1e9 || size < 1e-4) return value === 0 ? "0" : value.toExponential(Math.abs(value) > 20 * step ? 2 : 0);
    if (step >= 1e5) return Number((value / 1e6).toPrecision(6)) + "M";
    if (step >= 1000) return Number((value / 1000).toPrecision(6)) + "k";
    return value.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  }

  function ticks(scale, most) {
    if (scale.log) {
      const [low, high] = [Math.log10(scale.low), Math.log10(scale.high)];
      const every = Math.max(1, Math.ceil((high - low) / most));
      const times = high - low < 2 ? [1, 2, 5] : [1];
      const found = [];
      for (let power = Math.floor(low); power <= high; power += every) {
        for (const time of times) found.push(time * 10 ** power);
      }
      return found.filter((at) => at >= scale.low * 0.999 && at <= scale.high * 1.001).map((at) => [at, shown(at)]);
    }
    const rough = (scale.high - scale.low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = ([1, 2, 5].find((times) => times * power >= rough * 0.999) ?? 10) * power;
    const found = [];
    for (let at = Math.ceil(scale.low / step - 1e-9); at <= scale.high / step + 1e-9 && found.length < 50; at++) {
      found.push([at * step, tick(at * step, step)]);
    }
    return found;
  }

  // The range of an axis and where its values are, between two places on the screen.
  function scaled(axis, log, values, zoom, from, to) {
    const fits = (value) => value !== null && Number.isFinite(value) && (!log || value > 0);
    let [low, high] = [Infinity, -Infinity];
    if (axis.names.length) [low, high] = [0, axis.names.length];
    else if (zoom) [low, high] = zoom;
    else if (axis.range && (!log || axis.range[0] > 0)) [low, high] = axis.range;
    else {
      for (const value of values()) {
        if (!fits(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      if (low > high) [low, high] = log ? [0.1, 1] : [0, 1];
      const room = log ? (high / low) ** 0.03 : 0.03 * (high - low);
      if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - (Math.abs(low) * 1e-3 || 0.5), high + (Math.abs(high) * 1e-3 || 0.5)];
      else [low, high] = log ? [low / room, high * room] : [low - room, high + room];
    }
    const on = log ? Math.log10 : (value) => value;
    const [a, b] = [on(low), on(high)];
    return {
      low, high, log, fits,
      at: (value) => from + ((on(value) - a) / (b - a)) * (to - from),
      value: (place) => {
        const drawn = a + ((place - from) / (to - from)) * (b - a);
        return log ? 10 ** drawn : drawn;
      },
    };
  }

  // ---- one panel

  class Panel {
    constructor(data, state, off, parent) {
      Object.assign(this, { data, state, off });
      this.box = make("div", { class: "panel" }, parent);
      const head = make("div", { class: "panel-head" }, this.box);
      make("span", {}, head, data.title);
      this.lines = data.lines.length > 0;
      if (this.lines) {
        for (const way of ["x", "y"]) this.logButton(head, way);
        this.back = make("button", { type: "button", class: "small", hidden: "" }, head, "whole");
        this.back.addEventListener("click", () => this.zoom(null));
      }
      this.place = make("div", { class: "plot", tabindex: "0", role: "application", "aria-roledescription": "chart",
        "aria-label": `${data.title || "chart"}: arrows read values, + and − enlarge, 0 shows all` }, this.box);
      this.tip = make("output", { class: "tip", hidden: "" }, this.box);
      this.place.redraw = () => this.draw();
      resized.observe(this.place);
      this.listen();
      this.draw();
    }

    logButton(head, way) {
      const all = this.data.lines.flatMap((line) => line.points.map((point) => point[way === "x" ? 0 : 1]));
      if (this.data[way].names.length || !all.some((value) => value > 0)) return;
      const state = this.state;
      state.log ??= { x: this.data.x.log, y: this.data.y.log };
      const button = make("button", { type: "button", class: "small", "aria-pressed": String(state.log[way]) }, head, `log ${way}`);
      button.addEventListener("click", () => {
        state.log[way] = !state.log[way];
        button.setAttribute("aria-pressed", String(state.log[way]));
        this.draw();
      });
    }

    zoom(range) {
      this.state.zoom = range;
      this.draw();
    }

    visible() {
      return this.data.lines.filter((line) => !this.off.has(line.label));
    }

    draw() {
      const width = Math.max(240, this.place.clientWidth);
      const { x, y, cells, bands, heat } = this.data;
      const names = y.names.length;
      const longest = Math.max(4, ...y.names.map((name) => name.length));
      const left = names ? Math.min(0.4 * width, 14 + 6.6 * longest) : 62;
      const height = names ? names * 15 + 50 : Math.min(340, Math.max(200, 0.55 * width));
      const inner = { left, right: width - 10, top: 8, bottom: height - 42 };
      const log = this.state.log ?? { x: x.log, y: y.log };
      const lines = this.visible();
      const zoom = this.state.zoom;
      const within = (value) => !zoom || (value >= zoom[0] && value <= zoom[1]);
      const xs = function* () {
        for (const line of lines) for (const point of line.points) yield point[0];
        for (const cell of cells) { yield cell[0]; yield cell[1]; }
      };
      const shades = bands.filter((band) => lines.some((line) => line.colour === band.colour));
      const ys = function* () {
        for (const line of lines) for (const point of line.points) if (within(point[0])) yield point[1];
        for (const band of shades) for (const point of band.points) if (within(point[0])) { yield point[1]; yield point[2]; }
        for (const cell of cells) { yield cell[2]; yield cell[3]; }
      };
      const sx = scaled(x, log.x, xs, zoom, inner.left, inner.right);
      const sy = scaled(y, log.y, ys, null, inner.bottom, inner.top);
      const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
      for (const [at, text] of x.names.length ? x.names.map((name, i) => [i + 0.5, name]) : ticks(sx, width / 70)) {
        make("line", { class: "grid", x1: sx.at(at), x2: sx.at(at), y1: inner.top, y2: inner.bottom }, svg);
        make("text", { x: sx.at(at), y: inner.bottom + 16, "text-anchor": "middle" }, svg, text);
      }
      for (const [at, text] of names ? y.names.map((name, i) => [i + 0.5, name]) : ticks(sy, 6)) {
        if (!names) make("line", { class: "grid", y1: sy.at(at), y2: sy.at(at), x1: inner.left, x2: inner.right }, svg);
        const row = make("text", { x: inner.left - 6, y: sy.at(at) + 4, "text-anchor": "end" }, svg, text);
        if (names) make("title", {}, row, text);
      }
      make("text", { x: (inner.left + inner.right) / 2, y: height - 6, "text-anchor": "middle" }, svg, x.label);
      if (!names && y.label) {
        const at = (inner.top + inner.bottom) / 2;
        make("text", { x: 12, y: at, "text-anchor": "middle", transform: `rotate(-90 12 ${at})` }, svg, y.label);
      }
      const clip = `clip-${Panel.count = (Panel.count ?? 0) + 1}`;
      make("rect", { x: inner.left, y: inner.top, width: inner.right - inner.left, height: inner.bottom - inner.top },
        make("clipPath", { id: clip }, svg));
      const area = make("g", { "clip-path": `url(#${clip})` }, svg);
      this.shade(area, cells, heat, sx, sy);
      for (const band of shades) this.band(area, band, sx, sy);
      for (const line of lines) this.line(area, line, sx, sy);
      make("rect", { class: "frame", x: inner.left, y: inner.top, width: inner.right - inner.left, height: inner.bottom - inner.top }, svg);
      this.cross = make("line", { class: "cross", y1: inner.top, y2: inner.bottom, visibility: "hidden" }, svg);
      this.chosen = make("rect", { class: "chosen", y: inner.top, height: inner.bottom - inner.top, visibility: "hidden" }, svg);
      this.place.replaceChildren(svg);
      Object.assign(this, { sx, sy, inner, width });
      if (this.back) this.back.hidden = !zoom;
    }

    shade(area, cells, heat, sx, sy) {
      const paths = new Map();
      for (const [x0, x1, y0, y1, colour] of cells) {
        const name = typeof colour === "number" ? heat[Math.round(colour * (heat.length - 1))] : colour;
        const [a, b, c, d] = [sx.at(x0), sx.at(x1), sy.at(y0), sy.at(y1)].map((it) => it.toFixed(1));
        paths.set(name, (paths.get(name) ?? "") + `M${a} ${c}H${b}V${d}H${a}Z`);
      }
      for (const [fill, d] of paths) make("path", { d, fill, "shape-rendering": "crispEdges" }, area);
    }

    band(area, { colour, opacity, points }, sx, sy) {
      const fit = points.filter(([x, a, b]) => sx.fits(x) && sy.fits(a) && sy.fits(b));
      if (fit.length < 2) return;
      const edge = (list, at) => list.map((point) => `${sx.at(point[0]).toFixed(1)} ${sy.at(point[at]).toFixed(1)}`).join("L");
      make("path", { d: `M${edge(fit, 1)}L${edge([...fit].reverse(), 2)}Z`, fill: `var(--c${colour})`, "fill-opacity": opacity }, area);
    }

    line(area, { colour, dashed, width, marked, points }, sx, sy) {
      let [path, open] = ["", false];
      for (const [x, y] of points) {
        if (!sx.fits(x) || !sy.fits(y)) { open = false; continue; }
        const at = `${sx.at(x).toFixed(1)} ${sy.at(y).toFixed(1)}`;
        path += (open ? "L" : "M") + at;
        open = true;
        if (marked) make("circle", { cx: at.split(" ")[0], cy: at.split(" ")[1], r: 3, fill: `var(--c${colour})` }, area);
      }
      if (!width) return;
      const more = dashed ? { "stroke-dasharray": "6 4" } : {};
      make("path", { d: path, fill: "none", stroke: `var(--c${colour})`, "stroke-width": 1.8, ...more }, area);
    }

    // ---- reading and enlarging

    listen() {
      const place = (event) => {
        const box = this.place.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      let from = null;
      this.place.addEventListener("pointermove", (event) => {
        const [x, y] = place(event);
        if (from !== null && this.lines) {
          const [a, b] = [Math.min(from, x), Math.max(from, x)];
          for (const [key, value] of Object.entries({ x: a, width: b - a, visibility: "visible" })) this.chosen.setAttribute(key, value);
        }
        this.read(x, y);
      });
      this.place.addEventListener("pointerleave", () => this.quiet());
      this.place.addEventListener("blur", () => this.quiet());
      this.place.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "mouse" || event.button !== 0) return;
        from = place(event)[0];
        this.place.setPointerCapture(event.pointerId);
      });
      this.place.addEventListener("pointerup", (event) => {
        const to = place(event)[0];
        if (from !== null && this.lines && Math.abs(to - from) > 8) {
          this.zoom([this.sx.value(Math.min(from, to)), this.sx.value(Math.max(from, to))]);
        }
        from = null;
        this.chosen.setAttribute("visibility", "hidden");
      });
      this.place.addEventListener("dblclick", () => this.zoom(null));
      this.place.addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
      const { left, right } = this.inner;
      const at = this.at ?? (left + right) / 2;
      const step = (right - left) / 60;
      const moves = { ArrowLeft: -step, ArrowRight: step, Home: left - at, End: right - at };
      const middle = this.sx.value(at);
      const around = (share) => this.zoom([this.sx.value(at - share * (right - left)), this.sx.value(at + share * (right - left))]);
      if (event.key in moves) this.read(Math.min(right, Math.max(left, at + moves[event.key])), (this.inner.top + this.inner.bottom) / 2);
      else if (event.key === "+" && this.lines) around(0.25);
      else if (event.key === "-" && this.lines) around(1);
      else if ((event.key === "0" || event.key === "Escape") && this.lines) this.zoom(null);
      else return;
      event.preventDefault();
      if (["+", "-"].includes(event.key)) this.read(this.sx.at(middle), this.inner.top);
    }

    renew(data) {
      this.data = data;
      this.draw();
      if (!this.tip.hidden) this.read(this.at, this.height);
    }

    quiet() {
      this.tip.hidden = true;
      this.cross.setAttribute("visibility", "hidden");
    }

    read(px, py) {
      const { left, right, top, bottom } = this.inner;
      if (px < left || px > right || py < top - 8 || py > bottom + 8) return this.quiet();
      [this.at, this.height] = [px, py];
      const wanted = this.sx.value(px);
      const rows = this.lines ? this.nearest(px, py) : this.under(wanted, this.sy.value(py));
      if (!rows.length) return this.quiet();
      const x = this.lines ? rows[0].x : wanted;
      for (const way of ["x1", "x2"]) this.cross.setAttribute(way, this.sx.at(x));
      this.cross.setAttribute("visibility", "visible");
      this.tip.replaceChildren();
      make("b", {}, this.tip, `${this.data.x.label} ${shown(this.lines ? x : Math.round(x))}`);
      for (const row of rows) {
        const line = make("div", {}, this.tip);
        if (row.colour !== undefined) make("i", {}, line).style.background = `var(--c${row.colour})`;
        make("span", {}, line, `${row.label ? row.label + " " : ""}${shown(row.y)}`);
      }
      this.tip.hidden = false;
      const beside = px < this.width / 2 ? px + 14 : px - this.tip.offsetWidth - 14;
      this.tip.style.left = `${Math.max(0, beside)}px`;
      this.tip.style.top = `${this.place.offsetTop + top + 6}px`;
    }

    // The point of each line that is nearest along x; of scattered points the nearest at all.
    nearest(px, py) {
      const found = [];
      for (const line of this.visible()) {
        let [best, far] = [null, Infinity];
        for (const point of line.points) {
          if (!this.sx.fits(point[0]) || !this.sy.fits(point[1])) continue;
          const across = Math.abs(this.sx.at(point[0]) - px);
          const away = line.width ? across : Math.hypot(across, this.sy.at(point[1]) - py);
          if (away < far) [best, far] = [point, away];
        }
        if (best) found.push({ label: line.label, colour: line.colour, x: best[0], y: best[1], far });
      }
      found.sort((a, b) => a.far - b.far);
      const near = found.filter((row) => Math.abs(this.sx.at(row.x) - this.sx.at(found[0].x)) < 24);
      return near.slice(0, 12);
    }

    // The cell under the pointer.
    under(x, y) {
      const cell = this.data.cells.find(([x0, x1, y0, y1]) => x0 <= x && x < x1 && y0 <= y && y < y1);
      if (!cell) return [];
      const value = typeof cell[4] === "number" ? cell[4] : null;
      return [{ label: this.data.y.names[Math.floor(y)] ?? this.data.key?.label ?? "", y: value ?? cell[3] - cell[2] }];
    }
  }

  // ---- a figure

  function legend(data, off, panels, parent) {
    const entries = new Map();
    for (const line of data.panels.flatMap((panel) => panel.lines)) {
      if (line.label && !entries.has(line.label)) entries.set(line.label, line);
    }
    if (entries.size < 2) return;
    const box = make("div", { class: "legend" }, parent);
    for (const [label, line] of entries) {
      const button = make("button", { type: "button", class: "small", "aria-pressed": String(!off.has(label)) }, box);
      make("i", {}, button).style.background = `var(--c${line.colour})`;
      make("span", {}, button, label);
      button.addEventListener("click", () => {
        if (!off.delete(label)) off.add(label);
        button.setAttribute("aria-pressed", String(!off.has(label)));
        panels.forEach((panel) => panel.draw());
      });
    }
  }

  const told = (figure) => JSON.parse(figure.querySelector("script.data").textContent);
  const shape = (data) => JSON.stringify(data.panels.map((panel) => [panel.title, panel.lines.map((line) => line.label)]));

  function enliven(figure) {
    if (!figure.querySelector("script.data") || figure.panels) return;
    const data = told(figure);
    const name = `${figure.dataset.name} ${figure.dataset.shown ?? ""}`;
    const state = kept.get(name) ?? { off: new Set(), panels: [] };
    kept.set(name, state);
    figure.classList.add("lively");
    figure.removeAttribute("role");
    make("figcaption", {}, figure, data.title);
    const grid = make("div", { class: "panels" }, figure);
    figure.panels = data.panels.map((panel, at) => new Panel(panel, (state.panels[at] ??= {}), state.off, grid));
    figure.shape = shape(data);
    legend(data, state.off, figure.panels, figure);
  }

  // New data for figures that are being looked into; whether nothing else is different.
  function renew(known, fresh) {
    const [before, after] = [known, fresh].map((it) => [...it.querySelectorAll("figure[data-name]")]);
    const same = before.length === 1 && after.length === 1 && before[0].panels && after[0].querySelector("script.data");
    if (!same || shape(told(after[0])) !== before[0].shape) return false;
    before[0].querySelector("script.data").textContent = after[0].querySelector("script.data").textContent;
    before[0].querySelector("svg").replaceWith(after[0].querySelector("svg"));
    told(before[0]).panels.forEach((data, at) => before[0].panels[at].renew(data));
    return true;
  }

  return { enliven: (root) => root.querySelectorAll("figure[data-name]").forEach(enliven), renew };
})();
