// The files of this folder are joined into one ES module for each widget (lib/widgets/snapshot.py):
// no imports, no build, nothing fetched. Text from outside only ever becomes text nodes.

/** A new element; attributes named "on…" are listeners, strings among the children become text. */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Move focus among `nodes` with the arrow keys, Home and End; only one of them is in tab order. */
function rove(nodes, columns, choose) {
  nodes.forEach((node, at) => {
    node.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
      let next = at + (step[event.key] ?? NaN);
      if (event.key === "Home") next = 0;
      if (event.key === "End") next = nodes.length - 1;
      if (!(next in nodes)) return;
      event.preventDefault();
      nodes[next].focus();
      choose(next);
    });
  });
}

/** Offer `blob` to the reader as a file. */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Send the kernel a message, if it lives; what the browser knows by itself goes on working. */
function tell(model, message) {
  try {
    model.send?.(message);
    return true;
  } catch {
    return false;
  }
}

/** JupyterLab has commands for arrow keys and letters; inside `root` they are the widget's own. */
function keepKeys(root) {
  root.dataset.lmSuppressShortcuts = "true";
  root.addEventListener("keydown", (event) => event.stopPropagation());
}
