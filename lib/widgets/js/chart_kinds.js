// The kinds of chart: bars and lines in SVG, images on a canvas under it. Every range, colour and word
// comes from Python. A kind answers with what to draw, and where and what each of its points is.

/** A new SVG element; `undefined` attributes are left out. */
function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

let ruler;
/** How wide a chart draws `text`, in pixels. */
function textWidth(text) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = '12px system-ui, "DejaVu Sans", sans-serif';
  return ruler.measureText(text).width;
}

/** The label as a chart shows it: never nothing, never wider than `most` pixels. */
function fitted(label, most) {
  if (!label.trim()) return label === "" ? "∅" : "␣";
  if (textWidth(label) <= most) return label;
  const characters = Array.from(label);
  while (characters.length > 1 && textWidth(`${characters.join("")}…`) > most) characters.pop();
  return `${characters.join("")}…`;
}

/** A number as the reader sees it: three digits that count, or as many decimals as are asked for. */
function told(value, decimals) {
  const size = Math.abs(value);
  let text = String(+value.toPrecision(3));
  if (decimals !== undefined) text = value.toFixed(decimals);
  else if (size >= 1e5 || (size > 0 && size < 1e-3)) text = value.toExponential(1);
  return text.replaceAll("-", "−");
}

/** From a value on `axis` to a pixel between `from` and `to`. */
function scaleOf(axis, from, to) {
  const place = axis.log ? Math.log : (value) => value;
  const [low, high] = axis.range.map(place);
  return (value) => from + ((place(value) - low) / (high - low)) * (to - from);
}

/** Round values along `axis`, at most `most` of them; on a logarithmic axis powers of its base. */
function ticksOf(axis, most) {
  const [low, high] = axis.range;
  if (axis.log) {
    const power = (value) => Math.log(value) / Math.log(axis.log);
    const first = Math.ceil(power(low) - 1e-9);
    const last = Math.floor(power(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => axis.log ** (first + at * step));
  }
  const rough = (high - low) / Math.max(1, most - 1);
  const decade = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].find((factor) => factor * decade >= rough - 1e-12) * decade;
  if (axis.whole) step = Math.max(1, step);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => (first + at) * step);
}

const along = (name, at, from, to, look) =>
  shape("line", name === "x" ? { x1: at, x2: at, y1: from, y2: to, ...look } : { x1: from, x2: to, y1: at, y2: at, ...look });

/** How a line looks; without a colour it has that of the text. */
const strokeOf = ({ colour, dash }, width) => ({
  class: colour ? undefined : "lta-neutral", stroke: colour, fill: "none",
  "stroke-width": width, "stroke-dasharray": dash || undefined, "stroke-linejoin": "round",
});

/** The x axis under a plot: ticks with numbers, and what is measured, with its unit. */
function xAxis(axis, x, box, values) {
  const most = Math.max(2, Math.floor((box.right - box.left) / 48));
  const nodes = (values ?? ticksOf(axis, most)).flatMap((value) => [
    along("x", x(value), box.bottom, box.bottom + 4, { class: "lta-axis" }),
    shape("text", { x: x(value), y: box.bottom + 17, "text-anchor": "middle" }, told(value)),
  ]);
  const middle = (box.left + box.right) / 2;
  return [...nodes, shape("text", { x: middle, y: box.bottom + 33, "text-anchor": "middle" }, axis.label)];
}

/** The y axis left of a plot, its label above it. */
function yAxis(axis, y, box, values) {
  const nodes = values.flatMap((value) => [
    along("y", y(value), box.left - 4, box.left, { class: "lta-axis" }),
    shape("text", { x: box.left - 7, y: y(value) + 4, "text-anchor": "end" }, told(value)),
  ]);
  return [...nodes, shape("text", { x: 0, y: 12 }, axis.label)];
}

const marksOf = (spec, x, y, box) =>
  (spec.marks ?? []).map((mark) =>
    mark.axis === "x"
      ? along("x", x(mark.at), box.top, box.bottom, strokeOf(mark, 2))
      : along("y", y(mark.at), box.left, box.right, strokeOf(mark, 2)),
  );

/** A row for each label, its value as a bar and as a number. */
function barsChart(spec, width) {
  const rows = spec.labels.length;
  const high = Math.max(1, Math.min(24, 300 / rows));
  const labels = spec.labels.map((label) => fitted(label, 96));
  const stride = Math.ceil(13 / high);
  const left = Math.max(...labels.map(textWidth)) + 10;
  const box = { left, right: width - 44, top: 20, bottom: 20 + rows * high };
  const x = scaleOf(spec.x, box.left, box.right);
  const y = (at) => box.top + at * high;
  const nodes = [shape("text", { x: 0, y: 12 }, spec.y.label)];
  nodes.push(...ticksOf(spec.x, 3).map((value) => along("x", x(value), box.top, box.bottom, { class: "lta-grid-line" })));
  const numbers = [];
  spec.values.forEach((value, at) => {
    const bar = { x: box.left, y: y(at) + high / 8, width: Math.max(0, x(value) - box.left), height: (3 * high) / 4 };
    nodes.push(shape("rect", { ...bar, fill: spec.colour }));
    const middle = y(at) + high / 2 + 4;
    if (at % stride === 0) nodes.push(shape("text", { x: left - 6, y: middle, "text-anchor": "end" }, labels[at]));
    if (high >= 13) numbers.push(shape("text", { x: x(value) + 4, y: middle }, told(value, 3)));
  });
  nodes.push(along("x", box.left, box.top, box.bottom, { class: "lta-axis" }), ...xAxis(spec.x, x, box));
  nodes.push(...marksOf(spec, x, y, box), ...numbers);
  return {
    nodes,
    height: box.bottom + 38,
    counts: () => [1, rows],
    near: (_, py) => [0, Math.floor((py - box.top) / high)],
    spot: ([, at]) => [box.left, y(at), width - box.left, high],
    say: ([, at]) => `${spec.y.label} ${spec.labels[at]}: ${spec.x.label} ${told(spec.values[at], 3)}`,
  };
}

/** Where the plot of lines or of an image lies; the numbers of the y axis need their room. */
function boxOf(values, width, height) {
  const left = Math.max(...values.map((value) => textWidth(told(value)))) + 10;
  return { left, right: width - 12, top: 22, bottom: 22 + height };
}

/** Lines over a shared pair of axes; those without a label are scenery, and not read out. */
function linesChart(spec, width) {
  const values = ticksOf(spec.y, 5);
  const box = boxOf(values, width, 190);
  if (spec.equal) {
    const spare = box.right - box.left - 190;
    box.left += Math.max(0, spare / 2);
    box.right -= Math.max(0, spare / 2);
    box.bottom += Math.min(0, spare);
  }
  const x = scaleOf(spec.x, box.left, box.right);
  const y = scaleOf(spec.y, box.bottom, box.top);
  const nodes = values.map((value) => along("y", y(value), box.left, box.right, { class: "lta-grid-line" }));
  nodes.push(...marksOf(spec, x, y, box));
  for (const line of spec.lines) {
    const points = line.x.map((value, at) => `${x(value).toFixed(1)},${y(line.y[at]).toFixed(1)}`);
    nodes.push(shape("polyline", { points: points.join(" "), ...strokeOf(line, line.label ? 2.5 : 1) }));
    if (points.length > 16 || !line.label) continue;
    nodes.push(...line.x.map((value, at) => shape("circle", { cx: x(value), cy: y(line.y[at]), r: 3, fill: line.colour })));
  }
  nodes.push(along("x", box.left, box.top, box.bottom, { class: "lta-axis" }));
  nodes.push(along("y", box.bottom, box.left, box.right, { class: "lta-axis" }));
  nodes.push(...xAxis(spec.x, x, box, spec.equal ? values : undefined), ...yAxis(spec.y, y, box, values));
  const lines = spec.lines.filter(({ label }) => label);
  const point = ([at, which]) => [x(lines[which].x[at]), y(lines[which].y[at])];
  return {
    nodes,
    height: box.bottom + 38,
    counts: ([, which]) => [lines[which]?.x.length ?? 0, lines.length],
    near(px, py) {
      const weight = spec.equal ? 1 : 9; // the pointer's column counts more than its height
      const all = lines.flatMap((line, which) => line.x.map((_, at) => [at, which]));
      const distance = (at) => weight * (point(at)[0] - px) ** 2 + (point(at)[1] - py) ** 2;
      return all.reduce((best, at) => (distance(at) < distance(best) ? at : best));
    },
    spot: (at) => [point(at)[0] - 6, point(at)[1] - 6, 12, 12],
    say: ([at, which]) =>
      `${lines[which].label}: ${spec.x.label} ${told(lines[which].x[at])}, ${spec.y.label} ${told(lines[which].y[at])}`,
  };
}

/** A cell for each number, from dark = low to light = high. */
function imageChart(spec, width, pixels) {
  const [rows, columns] = spec.shape;
  const values = ticksOf(spec.y, 5);
  const box = boxOf(values, width, Math.min(230, Math.max(110, 12 * rows)));
  const across = (box.right - box.left) / columns;
  const high = (box.bottom - box.top) / rows;
  const level = (at) => pixels.getUint16(spec.offset + 2 * at, true) / 65535;
  const x = (column) => box.left + (column - spec.x.range[0] + 0.5) * across;
  const y = (row) => box.top + (row - spec.y.range[0] + 0.5) * high;
  const nodes = spec.marks.flatMap((mark) => {
    const [left, top, wide, tall] =
      mark.axis === "x"
        ? [x(mark.at) - across / 2, box.top, across, high * rows]
        : [box.left, y(mark.at) - high / 2, across * columns, high * (mark.count ?? 1)];
    const frame = { x: left - 2, y: top - 2, width: wide + 4, height: tall + 4 }; // the cells stay in sight
    const light = strokeOf({ colour: "#fff" }, 4);
    return [shape("rect", { ...frame, ...light }), shape("rect", { ...frame, ...strokeOf(mark, 2) })];
  });
  nodes.push(...xAxis(spec.x, x, box), ...yAxis(spec.y, y, box, values));
  const [low, top] = spec.range;
  return {
    nodes,
    height: box.bottom + 38,
    picture: { box, map: { rows, columns, weight: level } },
    counts: () => [columns, rows],
    near: (px, py) => [Math.floor((px - box.left) / across), Math.floor((py - box.top) / high)],
    spot: ([column, row]) => [box.left + column * across - 2, box.top + row * high - 2, across + 4, high + 4],
    say: ([column, row]) =>
      `${spec.x.label} ${column + spec.x.range[0]}, ${spec.y.label} ${row + spec.y.range[0]}: ` +
      told(low + level(row * columns + column) * (top - low), 3),
  };
}

const KINDS = { bars: barsChart, lines: linesChart, image: imageChart };
