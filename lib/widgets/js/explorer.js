// The attention explorer: an overview of all maps, one of them large, and what the reader asks of it.

function overview(act) {
  const box = make("div", { class: "lta-overview" });
  const table = make("div", { role: "radiogroup", "aria-label": "which map to see large" });
  const caption = make("div", { class: "lta-hint" });
  let buttons = [];
  let shown;

  function build(group) {
    const across = Math.min(box.parentNode.clientWidth || 600, 640);
    const rows = group.maps.length / group.columns;
    const side = Math.max(18, Math.min(76, Math.floor((across - 60) / group.columns) - 13));
    const high = Math.max(14, Math.min(1.5 * side, (side * group.queries.length) / group.keys.length));
    buttons = group.maps.map(({ label, aer }) => {
      const canvas = make("canvas", { style: `width:${side}px;height:${high}px`, "aria-hidden": "true" });
      const rate = aer === null ? "" : `, alignment error rate ${aer.toFixed(2)}`;
      const button = make("button", { type: "button", role: "radio", "aria-label": label + rate, title: label + rate });
      button.append(canvas);
      if (aer !== null && side >= 30) button.append(make("span", { "aria-hidden": "true" }, aer.toFixed(2)));
      return button;
    });
    buttons.forEach((button, at) => button.addEventListener("click", () => act.show(at)));
    rove(buttons, group.columns, act.show);
    const names = (count, word) => Array.from({ length: count }, (_, i) => `${word} ${i + 1}`);
    const short = (name) => (side >= 44 ? name : name.replace(/^\D+/, ""));
    const head = names(group.columns, "head").map((name) =>
      make("span", { "aria-hidden": "true", title: name }, short(name)),
    );
    const lines = names(rows, "layer").flatMap((name, row) => [
      make("span", { "aria-hidden": "true" }, name),
      ...buttons.slice(row * group.columns, (row + 1) * group.columns),
    ]);
    table.style.gridTemplateColumns = `auto repeat(${group.columns}, auto)`;
    table.replaceChildren(make("span", { "aria-hidden": "true" }, side >= 44 ? "" : "head"), ...head, ...lines);
    const rated = group.maps.some(({ aer }) => aer !== null) && side >= 30;
    caption.textContent = rated ? "Numbers: alignment error rate, 0 is perfect." : "";
    box.replaceChildren(table, caption);
  }

  return {
    box,
    draw(group, store) {
      box.hidden = group.maps.length === 1;
      if (box.hidden) return;
      build(group);
      buttons.forEach((button, at) => paint(button.firstChild, store.small(group, at)));
    },
    mark(map) {
      shown = map;
      buttons.forEach((button, at) => {
        button.setAttribute("aria-checked", String(at === shown));
        button.tabIndex = at === shown ? 0 : -1;
      });
    },
  };
}

/** Steps of training instead of layers and heads: a slider and a button that plays them. */
function timeline(act) {
  const range = make("input", { type: "range", min: 0, "aria-label": "training step" });
  const play = make("button", { type: "button" }, "Play");
  const text = make("span", {});
  const box = make("div", { class: "lta-bar" }, make("span", {}, play, range, text));
  let group, timer;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  range.addEventListener("input", () => {
    stop();
    act.show(+range.value);
  });
  play.addEventListener("click", () => {
    if (timer) return stop();
    play.textContent = "Stop";
    if (+range.value === group.maps.length - 1) act.show(0);
    timer = setInterval(() => {
      const next = +range.value + 1;
      if (next >= group.maps.length || !box.isConnected) return stop();
      act.show(next);
    }, 150);
  });
  return {
    box,
    stop,
    draw(newGroup) {
      group = newGroup;
      range.max = group.maps.length - 1;
    },
    mark(map) {
      range.value = map;
      range.setAttribute("aria-valuetext", group.maps[map].label);
      text.textContent = group.maps[map].label;
    },
  };
}

function render({ model, el }) {
  const store = weightStore(model);
  const frame = make("div", { class: "lta-frame" });
  const status = make("div", { class: "lta-status", role: "status", "aria-live": "polite" });
  const facts = make("div", { class: "lta-facts" });
  const title = make("div", { class: "lta-title" });
  let zoom = 0;
  let hovered = null;
  let drawings = 0;
  let kept = {};

  const group = () => model.get("groups")[model.get("group")];
  const map = () => Math.min(model.get("map"), group().maps.length - 1);
  const look = () => store.look(model.get("group"), group(), map());
  const name = () => [model.get("groups").length > 1 ? group().name : "", group().maps[map()].label].filter(Boolean).join(", ");
  const set = (values) => {
    for (const [trait, value] of Object.entries(values)) model.set(trait, value);
    try {
      model.save_changes();
    } catch {
      // The kernel is gone: the view goes on without it.
    }
  };

  const act = {
    picks: model.get("picks"),
    title: () => [model.get("title"), name()].filter(Boolean).join(": "),
    cursor: () => (model.get("cursor").length ? model.get("cursor") : [0, 0]),
    show: (at) => set({ map: at }),
    hover(point) {
      if (String(point) === String(hovered)) return;
      hovered = point;
      light();
    },
    choose(point) {
      hovered = null; // whoever uses the keys has left the mouse
      set({ cursor: point });
    },
    pick: (key) => act.picks && tell(model, { pick: key }),
  };
  const views = { map: mapView(frame, act), lines: linesView(frame, act) };
  const view = () => views[model.get("view")];
  const chooser = { maps: overview(act), steps: timeline(act) };
  const choosing = () => chooser[group().steps ? "steps" : "maps"];

  // ── what the reader is told ──────────────────────────────────────────────────────────────

  function weightsAround([query, key]) {
    const known = look();
    if (known.coarse) return null;
    return {
      key: query >= 0 ? (at) => known.at(query, at) : null,
      query: key >= 0 && query < 0 ? (at) => known.at(at, key) : null,
    };
  }

  function wordsFor([query, key]) {
    const { keys, queries, gold } = group();
    const known = look();
    const say = (weight) => (weight === null ? "not here yet" : weight.toFixed(known.digits));
    const quote = (token) => `“${token}”`;
    if (query >= 0 && key >= 0) {
      const right = gold?.some(([source, target]) => source === key && target === query);
      const link = gold ? (right ? ", a gold link" : ", no gold link") : "";
      return `${quote(queries[query])} looks at ${quote(keys[key])} with weight ${say(known.at(query, key))}${link}`;
    }
    const row = query >= 0;
    const others = row ? keys : queries;
    const ranked = others
      .map((token, at) => [row ? known.at(query, at) : known.at(at, key), token])
      .filter(([weight]) => weight !== null)
      .sort((a, b) => b[0] - a[0])
      .slice(0, 4);
    const list = ranked.map(([weight, token]) => `${quote(token)} ${say(weight)}`).join(", ") || "not here yet";
    const pick = act.picks && !row ? " (Enter or a click hides it or shows it again)" : "";
    return row ? `${quote(queries[query])} looks at ${list}` : `${quote(keys[key])} is looked at by ${list}${pick}`;
  }

  function light(follow = false) {
    const chosen = model.get("cursor");
    const point = hovered ?? (chosen.length ? chosen : null);
    const safe = point && point[0] < group().queries.length && point[1] < group().keys.length ? point : null;
    const words = safe ? wordsFor(safe) : "Point at a cell or a word, or use the arrow keys.";
    view().light(safe ?? [-1, -1], safe && weightsAround(safe), words, follow);
    if (status.textContent !== words) status.textContent = words;
  }

  // ── drawing ──────────────────────────────────────────────────────────────────────────────

  function draw() {
    const known = look();
    const { keys, queries, maps, gold } = group();
    title.textContent = model.get("title");
    title.hidden = !model.get("title");
    const { aer } = maps[map()];
    facts.textContent = [
      name(),
      `${queries.length} queries × ${keys.length} keys`,
      gold ? "gold outlined" : "",
      aer === null ? "" : `alignment error rate ${aer.toFixed(2)}`,
      known.coarse ? "coarse, until the kernel sends the exact weights" : "",
    ].filter(Boolean).join(" · ");
    const focused = Object.values(views).some((one) => one.focused());
    view().draw(group(), known, zoom, model.get("hidden"));
    if (focused) view().focus();
    for (const [button, pressed] of toggles) button.setAttribute("aria-pressed", String(pressed()));
    for (const button of zooming) button.disabled = model.get("view") !== "map";
    choosing().mark(map());
    if (known.coarse || !group().steps) store.want(model.get("group"), map());
    light();
    root.dataset.ltaReady = ++drawings;
    root.dataset.ltaExact = String(!known.coarse && known.digits === 3);
  }

  function drawAll() {
    const [shown, other] = group().steps ? [chooser.steps, chooser.maps] : [chooser.maps, chooser.steps];
    other.box.hidden = true;
    shown.box.hidden = false;
    shown.draw(group(), store);
    drawMenu();
    draw();
  }

  // ── controls ─────────────────────────────────────────────────────────────────────────────

  const press = (text, label, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
  const file = () => act.title().replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60) || "attention";
  const svg = () =>
    model.get("view") === "map" ? svgOfMap(group(), look(), act.title()) : svgOfLines(group(), look(), act.title(), hovered ?? (model.get("cursor").length ? model.get("cursor") : [-1, -1]));
  const askForPage = () => {
    if (!tell(model, { save: "html" })) status.textContent = "The kernel is not there: run the cell again, then save.";
  };
  const zoomTo = (steps) => () => {
    zoom = steps === 0 ? 0 : zoom + steps;
    draw();
  };
  const menu = make("select", { "aria-label": "which attention", onchange: () => set({ group: +menu.value, map: 0, cursor: [] }) });
  const which = make("span", {}, menu);
  const toggles = ["map", "lines"].map((value) => {
    const words = value === "map" ? "Map" : "Lines";
    return [press(words, `show the weights as ${value === "map" ? "a map" : "lines"}`, () => set({ view: value })), () => model.get("view") === value];
  });
  const zooming = [press("−", "smaller", zoomTo(-1)), press("Fit", "as large as the page allows", zoomTo(0)), press("+", "larger", zoomTo(1))];
  const saving = [
    press("PNG", "save as PNG", async () => download(await pngOf(svg()), `${file()}.png`)),
    press("SVG", "save as SVG", () => download(new Blob([svg()], { type: "image/svg+xml" }), `${file()}.svg`)),
  ];
  if (model.send) saving.push(press("HTML", "save as an interactive page", askForPage));

  function drawMenu() {
    const names = model.get("groups").map(({ name: text }, at) => make("option", { value: at }, text));
    menu.replaceChildren(...names);
    menu.value = model.get("group");
    which.hidden = names.length === 1;
  }

  const legend = make("span", { class: "lta-legend", "aria-label": "colours: dark is weight 0, light is weight 1", role: "img" }, "0", make("i", { style: `background:linear-gradient(90deg,${[0, 0.25, 0.5, 0.75, 1].map(colour).join()})` }), "1");
  const bar = make("div", { class: "lta-bar" }, which, make("span", {}, ...toggles.map(([button]) => button)), make("span", {}, ...zooming), make("span", {}, "Save", ...saving), legend);
  const body = make("div", { class: "lta-body" }, chooser.maps.box, make("div", { class: "lta-main" }, facts, frame, status));
  const root = make("section", { class: "lta", "aria-label": model.get("title") || "attention" }, title, bar, chooser.steps.box, body);
  keepKeys(root);
  el.append(root);

  // ── what happens ─────────────────────────────────────────────────────────────────────────

  let due = new Set();
  const later = (task) => () => {
    if (!due.size) {
      queueMicrotask(() => {
        const tasks = due;
        due = new Set();
        if (tasks.has("all")) drawAll();
        else if (tasks.has("one")) draw();
        else light(true);
      });
    }
    due.add(task);
  };
  const heard = {
    "change:groups": later("all"), "change:coarse": later("all"), "change:group": later("all"), "change:title": later("all"),
    "change:map": later("one"), "change:hidden": later("one"),
    "change:view": () => {
      hovered = null;
      later("one")();
    },
    "change:cursor": later("light"),
    "msg:custom": (message, buffers) => {
      if (message.map) later("one")();
      if (message.html !== undefined) download(new Blob([buffers[0]], { type: "text/html" }), `${file()}.html`);
    },
  };
  for (const [event, listener] of Object.entries(heard)) model.on(event, listener);
  const watcher = new ResizeObserver(() => {
    if (kept.width !== root.clientWidth && root.clientWidth) {
      kept = { width: root.clientWidth };
      drawAll();
    }
  });
  watcher.observe(root);

  return () => {
    watcher.disconnect();
    chooser.steps.stop();
    store.close();
    for (const [event, listener] of Object.entries(heard)) model.off(event, listener);
  };
}

export default { render };
