// One map: a row for each query, a column for each key, gold links outlined. It scrolls in its own
// frame with the labels staying in sight.

const FONT = '12px system-ui, "DejaVu Sans", "Noto Sans", sans-serif';
const LABEL_HEIGHT = 15;
const SLANT = Math.SQRT1_2;

let measuring;
function widthOf(text) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = FONT;
  return measuring.measureText(text).width;
}

/** What a label shows of a token: never nothing, never very long. */
function shortened(token) {
  const characters = Array.from(token);
  if (!token.trim()) return token === "" ? "∅" : "␣";
  return characters.length > 18 ? `${characters.slice(0, 17).join("")}…` : token;
}

/** Cell size in pixels and how labels are laid out, for a frame `width` wide. */
function layoutOf(group, zoom, width) {
  const widest = (tokens) => Math.min(150, Math.max(...tokens.map((token) => widthOf(shortened(token)))));
  const left = widest(group.queries) + 14;
  const slanted = widest(group.keys) * SLANT + LABEL_HEIGHT;
  const fitting = Math.min((width - left - slanted) / group.keys.length, 520 / group.queries.length);
  const whole = (size) => (size >= 2 ? Math.floor(size) : size);
  const fit = whole(Math.min(36, Math.max(1, fitting)));
  const cell = zoom === 0 ? fit : whole(Math.min(48, Math.max(1, fit * 1.5 ** zoom)));
  const flat = widest(group.keys) + 6 <= cell;
  return {
    cell, left, flat,
    top: flat ? LABEL_HEIGHT + 6 : slanted + 4,
    right: flat ? 4 : slanted,
    stride: Math.max(1, Math.ceil(LABEL_HEIGHT / cell)),
    above: Math.max(0, (LABEL_HEIGHT + 2 - cell) / 2), // room for the first row's label
  };
}

function mapView(frame, act) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const cursor = make("div", { class: "lta-cursor", role: "gridcell", tabindex: 0 });
  const row = make("div", { role: "row" }, cursor);
  const cells = make("div", { class: "lta-cells" }, canvas, row);
  const keyLabels = make("div", { class: "lta-keys", "aria-hidden": "true" });
  const queryLabels = make("div", { class: "lta-queries", "aria-hidden": "true" });
  const corner = make("div", { class: "lta-corner", "aria-hidden": "true" });
  const grid = make("div", { class: "lta-grid", role: "grid" }, corner, keyLabels, queryLabels, cells);
  let layout, group, labels;

  const place = (event) => {
    const label = event.target.closest?.("[data-key],[data-query]");
    if (label) return label.dataset.key ? [-1, +label.dataset.key] : [+label.dataset.query, -1];
    if (!cells.contains(event.target)) return null;
    const box = cells.getBoundingClientRect();
    const query = Math.floor((event.clientY - box.top) / layout.cell);
    const key = Math.floor((event.clientX - box.left) / layout.cell);
    return query in group.queries && key in group.keys ? [query, key] : null;
  };
  grid.addEventListener("pointermove", (event) => act.hover(place(event)));
  grid.addEventListener("pointerleave", () => act.hover(null));
  grid.addEventListener("click", (event) => {
    const point = place(event);
    if (!point) return;
    cursor.focus({ preventScroll: true });
    act.choose(point);
    if (point[0] === -1) act.pick(point[1]);
  });
  cursor.addEventListener("keydown", (event) => {
    const [query, key] = act.cursor();
    const last = [group.queries.length - 1, group.keys.length - 1];
    const moves = {
      ArrowUp: [query - 1, key], ArrowDown: [query + 1, key],
      ArrowLeft: [query, key - 1], ArrowRight: [query, key + 1],
      Home: [query, 0], End: [query, last[1]], PageUp: [0, key], PageDown: [last[0], key],
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (query === -1) act.pick(key);
      return;
    }
    const to = moves[event.key];
    if (!to) return;
    event.preventDefault();
    const next = to.map((at, axis) => Math.min(last[axis], Math.max(-1, at)));
    if (next[0] !== -1 || next[1] !== -1) act.choose(next);
  });

  const label = (tokens, side, at, hidden) => {
    const node = make("span", { [`data-${side}`]: at, dir: "auto", title: tokens[at] }, shortened(tokens[at]));
    if (hidden?.includes(at)) node.classList.add("lta-hidden");
    return node;
  };

  return {
    /** Draw the group's map anew: size, labels, weights, gold. */
    draw(newGroup, map, zoom, hidden) {
      group = newGroup;
      layout = layoutOf(group, zoom, frame.clientWidth || 600);
      const { cell, left, top, right, stride, flat, above } = layout;
      const size = [cell * group.keys.length, cell * group.queries.length];
      grid.style.gridTemplateColumns = `${left}px ${size[0]}px`;
      grid.style.gridTemplateRows = `${top + above}px ${size[1]}px`;
      for (const header of [keyLabels, corner]) header.style.height = `${top}px`;
      grid.style.width = `${left + size[0] + right}px`;
      grid.setAttribute("aria-label", `${act.title()}: weights, a row for each query, a column for each key`);
      grid.setAttribute("aria-rowcount", group.queries.length + 1);
      grid.setAttribute("aria-colcount", group.keys.length + 1);
      canvas.style.width = `${size[0]}px`;
      canvas.style.height = `${size[1]}px`;
      paint(canvas, map);
      labels = { key: new Map(), query: new Map() };
      const shown = (tokens) => tokens.map((_, at) => at).filter((at) => at % stride === 0);
      const keys = shown(group.keys).map((at) => {
        const node = label(group.keys, "key", at, hidden);
        node.classList.add(flat ? "lta-flat" : "lta-slanted");
        node.style.left = `${(at + 0.5) * cell + (flat ? 0 : 5)}px`;
        if (act.picks) node.classList.add("lta-pickable");
        labels.key.set(at, node);
        return node;
      });
      const queries = shown(group.queries).map((at) => {
        const node = label(group.queries, "query", at);
        node.style.top = `${(at + 0.5) * cell - LABEL_HEIGHT / 2 - 1}px`;
        labels.query.set(at, node);
        return node;
      });
      keyLabels.replaceChildren(...keys);
      queryLabels.replaceChildren(...queries);
      const links = (group.gold ?? []).map(([source, target]) =>
        make("div", {
          class: "lta-link",
          style: `left:${source * cell}px;top:${target * cell}px;width:${cell}px;height:${cell}px`,
        }),
      );
      cells.replaceChildren(canvas, ...links, row);
      if (grid.parentNode !== frame) frame.replaceChildren(grid);
    },
    /** Show where the reader is, and colour the labels by the weights of that row or column. */
    light(point, weights, words, follow) {
      const [query, key] = point;
      const { cell } = layout;
      const inside = query >= 0 && key >= 0;
      cursor.setAttribute("role", inside ? "gridcell" : query < 0 ? "columnheader" : "rowheader");
      cursor.setAttribute("aria-label", words);
      cursor.setAttribute("aria-colindex", key + 2);
      row.setAttribute("aria-rowindex", query + 2);
      cursor.classList.toggle("lta-outside", !inside);
      Object.assign(cursor.style, {
        left: `${Math.max(0, key) * cell}px`, top: `${Math.max(0, query) * cell}px`,
        width: `${cell}px`, height: `${cell}px`,
      });
      for (const [side, here] of [["key", key], ["query", query]]) {
        for (const [at, node] of labels[side]) {
          const weight = weights?.[side]?.(at) ?? null;
          node.style.background = weight === null ? "" : colour(weight);
          node.style.color = weight === null ? "" : inkOn(weight);
          node.classList.toggle("lta-here", at === here);
        }
      }
      if (follow) cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    focus: () => cursor.focus({ preventScroll: true }),
    focused: () => document.activeElement === cursor,
  };
}
