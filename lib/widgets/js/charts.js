// Small charts side by side; each says the value that the pointer or the arrow keys are at.

/** What the lines and colours of a chart mean. */
function legendOf(spec) {
  const entries = [...(spec.lines ?? []), ...(spec.marks ?? [])].filter(({ label }) => label);
  const swatch = (entry) =>
    shape("svg", { width: 28, height: 10, "aria-hidden": "true" }, along("y", 5, 0, 28, strokeOf(entry, 2.5)));
  const keys = entries.map((entry) => make("span", {}, swatch(entry), entry.label));
  if (spec.kind !== "image") return keys;
  const bar = make("canvas", { "aria-hidden": "true" });
  paint(bar, { rows: 1, columns: 256, weight: (at) => at / 255 });
  return [make("span", {}, told(spec.range[0]), bar, told(spec.range[1])), ...keys];
}

/** One chart: it keeps its place, its focus and its reader's point when new numbers come. */
function chartView(act) {
  const title = make("div", { class: "lta-chart-title" });
  const note = make("div", { class: "lta-hint" });
  const canvas = make("canvas", { "aria-hidden": "true" });
  const drawing = shape("svg", { "aria-hidden": "true" });
  const point = make("div", { class: "lta-point", role: "slider", tabindex: 0, "aria-valuemin": 1 });
  const plot = make("div", { class: "lta-plot" }, canvas, drawing, point);
  const legend = make("div", { class: "lta-legend" });
  const root = make("div", { class: "lta-chart", role: "group" }, title, note, plot, legend);
  let view, spec;
  let at = [0, 0];

  const within = (value, count) => Math.max(0, Math.min(count - 1, value));
  function place([column, row]) {
    row = within(row, view.counts([0, 0])[1]);
    column = within(column, view.counts([0, row])[0]);
    at = [column, row];
    const [left, top, width, height] = view.spot(at);
    Object.assign(point.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    const [columns, rows] = view.counts(at);
    point.setAttribute("aria-valuemax", columns * rows);
    point.setAttribute("aria-valuenow", row * columns + column + 1);
    point.setAttribute("aria-valuetext", view.say(at));
  }
  const tellPoint = () => act.say(point, `${spec.title} — ${view.say(at)}`);
  const go = (next) => {
    place(next);
    tellPoint();
  };
  const pick = () => spec.picks && act.pick(spec.picks, at);
  const under = (event) => {
    const box = plot.getBoundingClientRect();
    go(view.near(event.clientX - box.left, event.clientY - box.top));
    point.classList.add("lta-on");
  };
  plot.addEventListener("pointermove", under);
  plot.addEventListener("pointerleave", () => point.classList.remove("lta-on"));
  plot.addEventListener("click", (event) => {
    under(event);
    pick();
  });
  point.addEventListener("focus", tellPoint);
  point.addEventListener("keydown", (event) => {
    const [column, row] = at;
    const [columns, rows] = view.counts(at);
    const flat = columns === 1; // bars: left and right walk as up and down do
    const moves = {
      ArrowLeft: flat ? [0, row - 1] : [column - 1, row], ArrowRight: flat ? [0, row + 1] : [column + 1, row],
      ArrowUp: [column, row - 1], ArrowDown: [column, row + 1],
      Home: flat ? [0, 0] : [0, row], End: flat ? [0, rows - 1] : [columns - 1, row],
      PageUp: [column, 0], PageDown: [column, rows - 1],
    };
    if (event.key === "Enter" || event.key === " ") pick();
    else if (event.key in moves) go(moves[event.key]);
    else return;
    event.preventDefault();
  });

  return {
    root,
    resize(span) {
      root.style.flex = `${span} 1 ${262 * span + 14 * (span - 1)}px`;
    },
    update(newSpec, pixels) {
      spec = newSpec;
      title.textContent = spec.title;
      note.textContent = spec.picks ? `${spec.note}. Click or press Enter to choose one.` : spec.note;
      root.setAttribute("aria-label", [spec.title, note.textContent].filter(Boolean).join(". "));
      point.setAttribute("aria-label", spec.title);
      plot.classList.toggle("lta-picks", Boolean(spec.picks));
      legend.replaceChildren(...legendOf(spec));
      view = KINDS[spec.kind](spec, plot.clientWidth, pixels);
      drawing.setAttribute("width", plot.clientWidth);
      drawing.setAttribute("height", view.height);
      drawing.replaceChildren(...view.nodes);
      canvas.hidden = !view.picture;
      if (view.picture) {
        const { left, right, top, bottom } = view.picture.box;
        paint(canvas, view.picture.map);
        Object.assign(canvas.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
      }
      place(at);
      if (act.teller() === point) tellPoint(); // what was told last is told anew
    },
  };
}

/** ipywidgets' sliders have no name that a screen reader could say: give them that of their label. */
function nameSliders(el) {
  for (const box of el.closest(".lta-panel")?.querySelectorAll(".widget-slider") ?? []) {
    const name = box.querySelector(".widget-label")?.textContent ?? "";
    const readout = box.querySelector(".widget-readout");
    const handle = box.querySelector("[role=slider]");
    handle?.setAttribute("aria-label", name);
    if (readout) handle?.setAttribute("aria-valuetext", readout.textContent);
    if (!readout?.isContentEditable) continue;
    readout.setAttribute("role", "textbox");
    readout.setAttribute("aria-label", `${name}, as a number`);
  }
}

function render({ model, el }) {
  const facts = make("div", { class: "lta-facts", "aria-live": "polite" });
  const row = make("div", { class: "lta-charts" });
  const status = make("div", { class: "lta-status", role: "status", "aria-live": "polite" });
  const root = make("div", { class: "lta" }, facts, row, status);
  keepKeys(root);
  const act = {
    say(point, text) {
      teller = point;
      status.textContent = text;
    },
    teller: () => teller,
    pick: (name, at) => tell(model, { pick: [name, ...at] }),
  };
  status.textContent = "Point at a chart, or go to it with Tab and then the arrow keys: its values are told here.";
  let views = [];
  let teller = null;
  let drawings = 0;
  let width = 0;
  let waiting = false;

  function draw() {
    waiting = false;
    if (!row.clientWidth) return;
    const specs = model.get("charts");
    if (views.length !== specs.length) {
      views = specs.map(() => chartView(act));
      row.replaceChildren(...views.map((view) => view.root));
    }
    views.forEach((view, at) => view.resize(specs[at].span)); // all of them before one is measured
    views.forEach((view, at) => view.update(specs[at], model.get("pixels")));
    facts.textContent = model.get("facts");
    nameSliders(el);
    root.dataset.ltaReady = ++drawings;
  }
  const soon = () => {
    if (!waiting) queueMicrotask(draw);
    waiting = true;
  };
  const observer = new ResizeObserver(() => {
    if (row.clientWidth === width) return;
    width = row.clientWidth;
    soon();
  });
  const changes = "change:charts change:pixels change:facts";
  model.on(changes, soon);
  el.append(root);
  observer.observe(root);
  return () => {
    model.off(changes, soon);
    observer.disconnect();
  };
}

export default { render };
