"use strict";
// Expressions, figures at given sizes, and the two charts. Text of the source reaches the page by textContent alone.

/** The value of an expression: a number, a symbol's name, or [operator, operand, …]. `at` is a Map of sizes. */
function valueOf(tree, at) {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return at.has(tree) ? at.get(tree) : NaN;
  const [operator, ...operands] = tree;
  if (operator === "sum") return sumOf(operands, at);
  const values = operands.map((operand) => valueOf(operand, at));
  switch (operator) {
    case "+": return values.reduce((a, b) => a + b, 0);
    case "*": return values.reduce((a, b) => a * b, 1);
    case "^": case "pow": return values[0] ** values[1];
    case "min": return Math.min(...values);
    case "max": return Math.max(...values);
    case "floor": return Math.floor(values[0] / values[1]);
    case "and": return values[0] & values[1];
    case "ilog2": return Math.floor(Math.log2(values[0]));
    case "log2": return Math.log2(values[0]);
    case "pow2": return 2 ** values[0];
    default: return NaN;
  }
}

function sumOf([body, name, low, high], at) {
  const first = Math.floor(valueOf(low, at)), last = Math.floor(valueOf(high, at));
  if (!(last - first < 1e5)) return NaN;
  const inner = new Map(at);
  let total = 0;
  for (let index = first; index <= last; index++) total += valueOf(body, inner.set(name, index));
  return total;
}

/** The bytes of a level: of the first piece whose conditions hold. */
function bytesOf(level, at) {
  const piece = level[4].find(([when]) => when.every((condition) => valueOf(condition, at) >= 0));
  return piece ? valueOf(piece[1], at) : NaN;
}

/** The expected time: of the piece whose conditions hold; null where none does. The first is at the sizes of the verdict,
 *  the last is that of the verdict. */
function timeOf(machine, at) {
  const position = machine.times.findIndex(([when]) => when.every((condition) => valueOf(condition, at) >= 0));
  if (position < 0) return null;
  const [, expected, limit, memory, words] = machine.times[position];
  return { seconds: valueOf(expected, at), limit, bound: memory ? "memory" : "compute", words, atVerdict: position === 0 || position === machine.times.length - 1 };
}

/** FLOPs, and by level bytes, intensity and the speed that the roofline allows. What takes the expected time binds; where
 *  that is not known, the least of the speeds. */
function figuresOf(kernel, machine, at) {
  const flops = valueOf(kernel.flops, at);
  const levels = machine.levels.map((level) => {
    const bytes = bytesOf(level, at), intensity = flops / bytes;
    return { name: level[0], bytes, intensity, ridge: level[3], arrays: level[5], speed: level[2] ? level[2] * intensity : Infinity };
  });
  const known = levels.filter((level) => level.speed > 0 && isFinite(level.speed));
  const tightest = known.reduce((a, b) => (a && a.speed <= b.speed ? a : b), null);
  const roof = machine.roof || Infinity;
  const byMemory = tightest !== null && tightest.speed < roof;
  const time = timeOf(machine, at), bound = time?.bound ?? (byMemory ? "memory" : "compute");
  const binding = levels.find((level) => level.name === time?.limit) ?? (time ? levels.at(-1) : tightest);
  return { flops, levels, speed: byMemory ? tightest.speed : roof, level: byMemory ? tightest : known.at(-1) ?? null,
    bound, time, limit: time?.limit ?? (byMemory ? tightest.name : ""), binding: bound === "memory" ? binding : null };
}

const PREFIXES = [[1e24, "Y"], [1e21, "Z"], [1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

function si(number, unit) {
  if (!isFinite(number)) return "–";
  const [scale, prefix] = PREFIXES.find(([least]) => Math.abs(number) >= least) ?? [1, ""];
  const scaled = number / scale;
  const digits = Number.isInteger(scaled) && scaled < 1000 ? String(scaled) : scaled.toPrecision(3);
  return `${digits} ${prefix}${unit}`.trim();
}

function duration(seconds) {
  const [scale, unit] = [[3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([least]) => seconds >= least) ?? [1e-9, "ns"];
  return isFinite(seconds) ? `${Number((seconds / scale).toPrecision(3))} ${unit}` : "–";
}

const digits = (number) => (isFinite(number) ? Number(number.toPrecision(3)).toString() : "–");

/** An element with attributes and text; what is null is left out. */
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

const SIZE = { width: 860, height: 430, top: 16, right: 16, bottom: 44, left: 70 };

/** An SVG with two logarithmic axes; `drawn` gets the group and the scales. */
function axes(host, label, [x0, x1], [y0, y1], xTitle, yTitle) {
  const x = d3.scaleLog([x0, x1], [SIZE.left, SIZE.width - SIZE.right]);
  const y = d3.scaleLog([y0, y1], [SIZE.height - SIZE.bottom, SIZE.top]);
  d3.select(host).selectAll("svg").remove();
  const svg = d3.select(host).append("svg").attr("viewBox", `0 0 ${SIZE.width} ${SIZE.height}`).attr("role", "group")
    .attr("aria-label", label);
  const few = (scale) => scale.ticks(8).filter((tick) => Number.isInteger(Math.round(Math.log10(tick) * 1e9) / 1e9));
  const ticks = [few(x), few(y)];
  svg.selectAll("line.grid.x").data(ticks[0]).join("line").attr("class", "grid x").attr("x1", x).attr("x2", x)
    .attr("y1", SIZE.top).attr("y2", SIZE.height - SIZE.bottom);
  svg.selectAll("line.grid.y").data(ticks[1]).join("line").attr("class", "grid y").attr("y1", y).attr("y2", y)
    .attr("x1", SIZE.left).attr("x2", SIZE.width - SIZE.right);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${SIZE.height - SIZE.bottom})`)
    .call(d3.axisBottom(x).tickValues(ticks[0]).tickFormat((tick) => (tick < 1 ? String(tick) : si(tick, ""))));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${SIZE.left},0)`)
    .call(d3.axisLeft(y).tickValues(ticks[1]).tickFormat((tick) => (tick < 1 ? String(tick) : si(tick, ""))));
  svg.append("text").attr("class", "faint").attr("x", SIZE.width - SIZE.right).attr("y", SIZE.height - 8)
    .attr("text-anchor", "end").text(xTitle);
  svg.append("text").attr("class", "faint").attr("x", 8).attr("y", SIZE.top - 3).text(yTitle);
  return { svg, x, y };
}

function around(values, least, factor) {
  const known = values.filter((value) => value > 0 && isFinite(value));
  const [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [1, 1];
  return [Math.min(low / factor, high / least), high * factor];
}

const FAR = 1e3; // how far beyond the ridge points a point lies at most; those farther sit at the edge

/** The point where it is drawn: `far` is the turn of its arrow where it would lie beyond an edge. */
function within(point, [x0, x1], [y0, y1]) {
  const [x, y] = [Math.min(Math.max(point.x, x0), x1), Math.min(Math.max(point.y, y0), y1)];
  const far = x > point.x ? 180 : x < point.x ? 0 : y > point.y ? 90 : y < point.y ? -90 : null;
  return { ...point, x, y, far };
}

const LETTER = 6.6; // the width of a letter, and a little more

/** Places of labels that meet neither each other nor the points. */
class Labels {
  constructor(svg) {
    this.svg = svg;
    this.taken = [];
  }

  isFree(x, y, width = 12, height = 12) {
    return !this.taken.some(([left, top, right, bottom]) => x - width / 2 < right && left < x + width / 2 && y - height / 2 < bottom && top < y + height / 2);
  }

  take(x, y, width = 12, height = 12) { this.taken.push([x - width / 2, y - height / 2, x + width / 2, y + height / 2]); }

  takeLine([x0, y0], [x1, y1]) {
    const steps = Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 6);
    for (let step = 0; step <= steps; step += 1) this.take(x0 + ((x1 - x0) * step) / steps, y0 + ((y1 - y0) * step) / steps, 2, 2);
  }

  /** Writes a text at the first free of some places of its middle, or else at the `last` (null: not at all). */
  write(text, kind, places, last = places[0]) {
    const half = (LETTER * text.length) / 2;
    const free = ([x, y]) => x - half >= SIZE.left && x + half <= SIZE.width && y < SIZE.height - SIZE.bottom
      && !this.taken.some(([left, top, right, bottom]) => x - half < right && left < x + half && y - 11 < bottom && top < y + 3);
    const place = places.find(free) ?? last;
    if (!place) return;
    this.take(place[0], place[1] - 4, 2 * half + 8, 14);
    this.svg.append("text").attr("class", kind).attr("text-anchor", "middle").attr("x", place[0]).attr("y", place[1]).text(text);
  }
}

/** Slopes and ceilings, each once, named by what tells the panels apart. */
function roofsOf(panels, hidden) {
  const several = (here, key) => new Set(here.map((panel) => panel[key])).size > 1;
  const beside = (panel, key) => (key === "machine" ? panels : panels.filter((other) => other.machine === panel.machine));
  const named = (panel, keys) => keys.filter((key) => several(beside(panel, key), key)).map((key) => `, ${panel[key]}`).join("");
  const roofs = new Map(), ceilings = new Map();
  for (const panel of panels) {
    const top = Math.max(...panel.ceilings.map(([, flops]) => flops)), widest = Math.max(...panel.levels.map(([, bandwidth]) => bandwidth));
    for (const [name, bandwidth] of panel.levels.filter(([level]) => !hidden.has(level))) {
      const text = `${name} ${si(bandwidth, "B/s")}${named(panel, ["machine", "scope"])}`;
      roofs.set(text, { text, bandwidth, top: Math.max(top, roofs.get(text)?.top ?? 0) });
    }
    for (const [name, flops] of panel.ceilings) {
      const text = `${name} ${si(flops, "FLOP/s")}${named(panel, ["machine", "scope", "precision"])}`;
      ceilings.set(text, { text, flops, widest });
    }
  }
  return { roofs: [...roofs.values()], ceilings: [...ceilings.values()] };
}

/** Roofs of the panels that are shown, points, paths over sizes, and the `own` ceilings of a kernel. */
function drawRoofline(host, label, panels, points, paths, hidden, own = []) {
  const shown = panels.filter((panel) => !hidden.has(panel.name));
  const { roofs, ceilings } = roofsOf(shown, hidden);
  for (const mine of own) {
    const same = ceilings.some((ceiling) => Math.abs(ceiling.flops / mine.flops - 1) < 0.02);
    ceilings.push({ ...mine, text: same ? mine.what : `${mine.what} ${si(mine.flops, "FLOP/s")}` });
  }
  const far = [roofs.map((roof) => roof.top / roof.bandwidth), ceilings.map((ceiling) => ceiling.flops)]
    .map((values) => (values.length ? [Math.min(...values) / FAR, Math.max(...values) * FAR] : [0, Infinity]));
  points = points.map((point) => within(point, ...far));
  paths = paths.map((path) => ({ at: path.at.map((point) => within(point, ...far)) }));
  const ends = [...points, ...paths.flatMap((path) => path.at)];
  const xs = around([...ends.map((p) => p.x), ...roofs.map((r) => r.top / r.bandwidth)], 100, 6);
  const ys = around([...ends.map((p) => p.y), ...ceilings.map((c) => c.flops)], 100, 2);
  const { svg, x, y } = axes(host, label, xs, ys, "arithmetic intensity, FLOP/B", "FLOP/s");
  const labels = new Labels(svg);
  for (const p of ends) labels.take(x(p.x), y(p.y), ...(p.far === null ? [] : [40, 40]));
  for (const { flops } of ceilings) labels.take(SIZE.width / 2, y(flops), SIZE.width, 2);
  const turn = Math.atan2(y(10) - y(1), x(10) - x(1));
  for (const { bandwidth, top, text } of roofs) {
    const low = Math.max(xs[0], ys[0] / bandwidth), ridge = Math.min(top / bandwidth, xs[1]);
    if (low >= ridge) continue;
    svg.append("path").attr("class", "roof").attr("d", d3.line()([[x(low), y(low * bandwidth)], [x(ridge), y(ridge * bandwidth)]]));
    const long = LETTER * text.length, reach = (x(ridge) - x(low)) / Math.cos(turn) - long;
    const boxes = (from) => { const at = []; for (let along = from; along < from + long; along += 8) at.push([x(low) + along * Math.cos(turn), y(low * bandwidth) + along * Math.sin(turn) - 8]); return at; };
    let from = 14;
    while (from < reach && !boxes(from).every((box) => labels.isFree(...box))) from += 8;
    if (from >= reach) from = 14;
    svg.append("text").attr("class", "faint along").attr("dx", from).attr("dy", -4).text(text)
      .attr("transform", `translate(${x(low)},${y(low * bandwidth)}) rotate(${(turn * 180) / Math.PI})`);
    for (const box of boxes(from)) labels.take(...box);
  }
  for (const { bandwidth, top } of roofs) labels.takeLine([x(xs[0]), y(xs[0] * bandwidth)], [x(top / bandwidth), y(top)]);
  for (const { flops, widest, mine } of ceilings) svg.append("path").attr("class", mine ? "roof mine" : "roof")
    .attr("d", d3.line()([[x(Math.max(xs[0], flops / widest)), y(flops)], [x(xs[1]), y(flops)]]));
  for (const { flops, widest, text } of ceilings.filter((ceiling) => ceiling.text)) {
    const half = (LETTER * text.length) / 2, right = x(xs[1]) - 4 - half, left = x(Math.max(xs[0], flops / widest)) + 8 + half;
    const along = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((part) => right - ((right - left) * part) / 8).filter((at) => at >= left);
    labels.write(text, "faint", [...along.map((at) => [at, y(flops) - 4]), ...along.map((at) => [at, y(flops) + 13])], [right, y(flops) - 4]);
  }
  for (const { x: at, y: above, text } of together(points.filter((p) => p.label), x, y)) {
    const aside = 10 + (LETTER * text.length) / 2;
    labels.write(text, "name", [[at, above - 10], [at, above - 24], [at, above + 20], [at + aside, above + 4], [at + aside, above + 20],
      [at - aside, above + 4], [at - aside, above - 10], [at, above + 34], [at, above - 38]]);
  }
  for (const path of paths) {
    svg.append("path").attr("class", "path").attr("d", d3.line()(path.at.map((p) => [x(p.x), y(p.y)])));
    svg.append("g").selectAll("circle").data(path.at).join("circle").attr("class", "size").attr("r", 2.5).attr("cx", (p) => x(p.x)).attr("cy", (p) => y(p.y));
    const marks = path.at.filter((p, at) => at === 0 || at === path.at.length - 1 || at % 2 === 0);
    for (const p of marks) {
      const [at, level, off] = [x(p.x), y(p.y), 8 + (LETTER * p.text.length) / 2];
      labels.write(p.text, "faint", [[at + off, level + 16], [at, level + 20], [at - off, level - 8], [at, level - 10]], null);
    }
  }
  const symbols = { memory: "M0,-6L6,5L-6,5Z", compute: "M-5,-5H5V5H-5Z" };
  const dots = svg.append("g").selectAll("a").data(points).join("a").attr("href", (p) => p.href ?? null)
    .attr("aria-label", (p) => p.tip.replaceAll("\n", ", ")).attr("tabindex", (p) => (p.href ? null : 0)).attr("role", (p) => (p.href ? null : "img"))
    .attr("transform", (p) => `translate(${x(p.x)},${y(p.y)})`);
  dots.append("path").attr("class", (p) => `dot ${p.bound ?? "none"}`).attr("d", (p) => symbols[p.bound] ?? "M0,-6L6,0L0,6L-6,0Z");
  dots.filter((p) => p.far !== null).append("path").attr("class", "far").attr("d", "M9,-4L17,0L9,4Z").attr("transform", (p) => `rotate(${p.far})`);
  dots.on("pointerenter focus", (event, p) => showTip(event.currentTarget, p.tip)).on("pointerleave blur", hideTip);
}

/** Traffic over the capacity of a cache: one step for each distance of reuse. */
function drawSteps(host, label, kernel, machine, at) {
  const steps = kernel.steps.map((step) => step.map((tree) => valueOf(tree, at))).filter((step) => step.every((v) => v > 0));
  steps.sort((a, b) => b[0] - a[0]);
  if (!steps.length) { d3.select(host).selectAll("svg").remove(); return false; }
  const caches = machine.levels.flatMap((level, number) => (level[1] ? [{ name: machine.levels[number - 1]?.[0] ?? "", capacity: level[1] }] : []));
  const xs = around([...steps.map((s) => s[0]), ...caches.map((c) => c.capacity)], 10, 4);
  const ys = around(steps.flatMap((s) => [s[1], s[2]]), 10, 2);
  const { svg, x, y } = axes(host, label, xs, ys, "capacity of the cache, B", "traffic, B");
  const corners = [[xs[1], steps[0][1]], [steps[0][0], steps[0][1]]];
  steps.forEach((step, number) => corners.push([step[0], step[2]], [steps[number + 1]?.[0] ?? xs[0], step[2]]));
  svg.append("path").attr("class", "steps").attr("d", d3.line()(corners.map(([a, b]) => [x(a), y(b)])));
  for (const { name, capacity } of caches) {
    svg.append("line").attr("class", "capacity").attr("x1", x(capacity)).attr("x2", x(capacity)).attr("y1", SIZE.top).attr("y2", SIZE.height - SIZE.bottom);
    svg.append("text").attr("class", "faint").attr("x", x(capacity) + 4).attr("y", SIZE.top + 12).text(name);
  }
  return true;
}

/** The labels of points, in pixels: one where they meet. */
function together(points, x, y) {
  const labels = [];
  for (const point of points) {
    const here = { x: x(point.x), y: y(point.y), text: point.label };
    const near = labels.find((other) => Math.hypot(other.x - here.x, other.y - here.y) < 12);
    if (near) near.text += `, ${here.text}`;
    else labels.push(here);
  }
  return labels;
}

const BOX = { width: 230, height: 58, across: 24, down: 34 };

/** The dataflow graph: operations as boxes, arrays as arrows. */
function drawGraph(host, label, graph) {
  const [columns, rows] = graph.size, step = [BOX.width + BOX.across, BOX.height + BOX.down];
  const at = ([x, y]) => [(x + 0.5) * step[0], (y + 0.5) * step[1]];
  const svg = d3.select(host).append("svg").attr("viewBox", `0 0 ${columns * step[0]} ${rows * step[1]}`).attr("role", "img").attr("aria-label", label)
    .attr("width", Math.min(1100, columns * step[0]));
  const high = (lines) => (lines > 1 ? BOX.height : 26);
  const tops = new Map(graph.boxes.map(([x, y, , ...lines]) => [`${x},${y}`, high(lines.length) / 2]));
  for (const [style, ...points] of graph.arrows) {
    const [x, y] = at(points.at(-1)), before = at(points.at(-2)), top = y - tops.get(points.at(-1).join());
    svg.append("path").attr("class", `arrow ${style}`).attr("d", d3.line()([...points.slice(0, -1).map(at), [x, top]]));
    const turn = (-Math.atan2(x - before[0], top - before[1]) * 180) / Math.PI;
    svg.append("path").attr("class", "head").attr("d", "M-4,-8L0,0L4,-8").attr("transform", `translate(${x},${top}) rotate(${turn})`);
  }
  for (const [x, y, group, ...lines] of graph.boxes) {
    const [cx, cy] = at([x, y]), box = svg.append("g").attr("transform", `translate(${cx},${cy})`);
    const height = high(lines.length);
    box.append("rect").attr("class", group < 0 ? "box" : `box group${group % 4}`).attr("x", -BOX.width / 2).attr("y", -height / 2).attr("width", BOX.width).attr("height", height).attr("rx", lines.length > 1 ? 4 : 13);
    lines.forEach((text, line) => box.append("text").attr("text-anchor", "middle").attr("y", (line - (lines.length - 1) / 2) * 16 + 4).attr("class", line ? "small" : null).text(text));
  }
}

function showTip(target, text) {
  const tip = document.getElementById("tip") ?? document.body.appendChild(make("div", { id: "tip", role: "tooltip" }));
  const box = target.getBoundingClientRect();
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.min(box.right + 8, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(box.bottom + 8, innerHeight - tip.offsetHeight - 8)}px`;
}

/** A tooltip for the pointer and the keyboard, which a screen reader says as a description. */
function withTip(element, text) {
  element.setAttribute("aria-description", text);
  for (const event of ["pointerenter", "focus"]) element.addEventListener(event, () => showTip(element, text));
  for (const event of ["pointerleave", "blur"]) element.addEventListener(event, hideTip);
}

function hideTip() {
  const tip = document.getElementById("tip");
  if (tip) tip.hidden = true;
}
