// What the browser knows of the weights. Every map comes at once, as bytes: whole if all of them
// are small together, else coarse (each byte is the largest weight of a block of cells). The exact
// numbers of a map come from the kernel when the map is looked at.

function weightStore(model) {
  const exact = new Map();
  const name = (group, map) => `${group} ${map}`;

  const receive = (message, buffers) => {
    if (!message.map) return;
    const bytes = buffers[0];
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    exact.set(name(...message.map), new Float32Array(copy));
    if (exact.size > 64) exact.delete(exact.keys().next().value);
  };
  const forget = () => exact.clear();
  model.on("msg:custom", receive);
  model.on("change:coarse", forget);

  const bytesOf = (group, map) => {
    const all = model.get("coarse");
    const start = group.start + map * group.coarse[0] * group.coarse[1];
    return new Uint8Array(all.buffer, all.byteOffset + start, group.coarse[0] * group.coarse[1]);
  };

  return {
    close() {
      model.off("msg:custom", receive);
      model.off("change:coarse", forget);
    },
    /** Ask the kernel for the exact numbers, unless they are here. */
    want(index, map) {
      if (!exact.has(name(index, map))) tell(model, { want: [index, map] });
    },
    /** The small picture of a map. */
    small(group, map) {
      const bytes = bytesOf(group, map);
      const [rows, columns] = group.coarse;
      return { rows, columns, weight: (cell) => bytes[cell] / 255 };
    },
    /** The best that is known; `at` is null where only coarse weights are. */
    look(index, group, map) {
      const [rows, columns] = [group.queries.length, group.keys.length];
      const known = exact.get(name(index, map));
      if (known && known.length === rows * columns) {
        return {
          rows, columns, digits: 3, coarse: false,
          weight: (cell) => known[cell],
          at: (query, key) => known[query * columns + key],
        };
      }
      const small = this.small(group, map);
      const coarse = small.rows !== rows || small.columns !== columns;
      return {
        ...small, digits: 2, coarse,
        at: (query, key) => (coarse ? null : small.weight(query * columns + key)),
      };
    },
  };
}
