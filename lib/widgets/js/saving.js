// The view as a file: SVG with text as text, or that SVG as a PNG of twice its size.

const xml = (text) =>
  Array.from(String(text))
    .filter((c) => c >= " " || c === "\t")
    .join("")
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function svgText(x, y, text, more = "") {
  return `<text x="${x}" y="${y}" font-size="12" ${more}>${xml(text)}</text>`;
}

function svgOfMap(group, map, title) {
  const size = 22;
  const left = Math.max(...group.queries.map((token) => widthOf(shortened(token)))) + 16;
  const slanted = Math.max(...group.keys.map((token) => widthOf(shortened(token)))) * SLANT + 20;
  const top = slanted + 24;
  const [width, height] = [size * group.keys.length, size * group.queries.length];
  const parts = [svgText(8, 18, title, 'font-weight="600"')];
  group.keys.forEach((token, k) => {
    const at = `${left + (k + 0.5) * size} ${top - 6}`;
    parts.push(`<g transform="translate(${at}) rotate(-45)">${svgText(0, 0, shortened(token))}</g>`);
  });
  group.queries.forEach((token, q) => {
    parts.push(svgText(left - 6, top + (q + 0.5) * size + 4, shortened(token), 'text-anchor="end"'));
  });
  parts.push(`<g shape-rendering="crispEdges"><rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${colour(0)}"/>`);
  for (let cell = 0; cell < map.rows * map.columns; cell++) {
    const level = map.weight(cell);
    if (level * 255 < 0.5) continue;
    const [x, y] = [cell % map.columns, Math.floor(cell / map.columns)];
    const [w, h] = [width / map.columns, height / map.rows];
    parts.push(
      `<rect x="${left + x * w}" y="${top + y * h}" width="${w}" height="${h}" fill="${colour(level)}"/>`,
    );
  }
  parts.push("</g>");
  for (const [source, target] of group.gold ?? []) {
    parts.push(
      `<rect x="${left + source * size + 2}" y="${top + target * size + 2}" width="${size - 4}" ` +
        `height="${size - 4}" fill="none" stroke="#d55e00" stroke-width="2.5"/>`,
    );
  }
  return svgOf(Math.max(left + width + slanted, widthOf(title) * 1.15 + 16), top + height + 12, parts);
}

function svgOfLines(group, map, title, point) {
  const left = Math.max(...group.queries.map((token) => widthOf(shortened(token)))) + 16;
  const right = Math.max(...group.keys.map((token) => widthOf(shortened(token)))) + 16;
  const y = (at) => 44 + at * LINE;
  const parts = [svgText(8, 18, title, 'font-weight="600"')];
  group.queries.forEach((token, q) => parts.push(svgText(left - 6, y(q) + 4, shortened(token), 'text-anchor="end"')));
  group.keys.forEach((token, k) => parts.push(svgText(left + 206, y(k) + 4, shortened(token))));
  for (const { query, key, weight } of linesOf(group, map, ...point)) {
    parts.push(
      `<path d="M${left} ${y(query)}C${left + 80} ${y(query)} ${left + 120} ${y(key)} ${left + 200} ${y(key)}" ` +
        `fill="none" stroke="#000" stroke-width="${1 + 2.5 * weight}" opacity="${weight}"/>`,
    );
  }
  const rows = Math.max(group.queries.length, group.keys.length);
  return svgOf(Math.max(left + 200 + right, widthOf(title) * 1.15 + 16), y(rows), parts);
}

function svgOf(width, height, parts) {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" ` +
    `font-family="system-ui, 'DejaVu Sans', 'Noto Sans', sans-serif">` +
    `<rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`
  );
}

async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas");
  Object.assign(canvas, { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
