// The same weights as lines: queries on the left, keys on the right, strong weights as strong lines.

const LINE = 24; // pixels from one word to the next
const FAINTEST = 0.03; // weights below are not drawn

function linesView(frame, act) {
  const lists = { query: make("ul", { role: "listbox" }), key: make("ul", { role: "listbox" }) };
  const canvas = make("canvas", { "aria-hidden": "true" });
  const whole = make("div", { class: "lta-lines" }, lists.query, canvas, lists.key);
  let group, map, nodes;

  const pointOf = (side, at) => (side === "query" ? [at, -1] : [-1, at]);
  const words = (side) => {
    const tokens = side === "query" ? group.queries : group.keys;
    return tokens.map((token, at) => {
      const choose = () => act.choose(pointOf(side, at));
      const node = make(
        "li",
        {
          role: "option", tabindex: at === 0 ? 0 : -1, "aria-selected": "false", dir: "auto", title: token,
          onpointerenter: () => act.hover(pointOf(side, at)), onfocus: choose,
          onclick: () => {
            choose();
            if (side === "key") act.pick(at);
          },
        },
        shortened(token),
      );
      return node;
    });
  };
  whole.addEventListener("pointerleave", () => act.hover(null));

  function drawLines([query, key]) {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [200, LINE * Math.max(group.queries.length, group.keys.length)];
    Object.assign(canvas, { width: width * scale, height: height * scale });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.strokeStyle = getComputedStyle(whole).color;
    for (const line of linesOf(group, map, query, key)) {
      pen.globalAlpha = line.weight;
      pen.lineWidth = 1 + 2.5 * line.weight;
      pen.beginPath();
      pen.moveTo(0, (line.query + 0.5) * LINE);
      pen.bezierCurveTo(80, (line.query + 0.5) * LINE, 120, (line.key + 0.5) * LINE, width, (line.key + 0.5) * LINE);
      pen.stroke();
    }
  }

  return {
    draw(newGroup, newMap, _zoom, hidden) {
      [group, map] = [newGroup, newMap];
      nodes = {};
      for (const side of ["query", "key"]) {
        nodes[side] = words(side);
        lists[side].replaceChildren(...nodes[side]);
        lists[side].setAttribute("aria-label", side === "query" ? "queries" : "keys");
        rove(nodes[side], 1, (at) => act.choose(pointOf(side, at)));
      }
      for (const at of hidden ?? []) nodes.key[at]?.classList.add("lta-hidden");
      if (whole.parentNode !== frame) frame.replaceChildren(whole);
    },
    light(point, weights) {
      for (const [side, here] of [["query", point[0]], ["key", point[1]]]) {
        nodes[side].forEach((node, at) => {
          const weight = weights?.[side]?.(at) ?? null;
          node.style.background = weight === null ? "" : colour(weight);
          node.style.color = weight === null ? "" : inkOn(weight);
          node.setAttribute("aria-selected", String(at === here));
        });
      }
      drawLines(point);
    },
    focus: () => nodes.query[0].focus({ preventScroll: true }),
    focused: () => whole.contains(document.activeElement),
  };
}

/** The lines worth drawing: all of them, or those of the word the reader is at. */
function linesOf(group, map, query, key) {
  const lines = [];
  for (let q = 0; q < group.queries.length; q++) {
    if (query >= 0 && q !== query) continue;
    for (let k = 0; k < group.keys.length; k++) {
      if (key >= 0 && k !== key) continue;
      const weight = map.at(q, k);
      if (weight !== null && weight >= FAINTEST) lines.push({ query: q, key: k, weight });
    }
  }
  return lines;
}
