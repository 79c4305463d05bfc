"use strict";
// The page: a table that sorts and filters, the chart of all kernels, and each kernel's figures with its sliders.

let data, byId, matching;
const hidden = new Set();
const PATH = [8, 32, 128, 512, 2048, 8192, 32768];
const href = (kernel) => `#${encodeURIComponent(kernel.id)}`;

const startOf = (kernel) => new Map(kernel.symbols.map(([name, , , value]) => [name, value ?? 1]));

function tipOf(kernel, machine, found) {
  return [kernel.name, machine.name, `AI ${digits(found.level.intensity)} FLOP/B at ${found.level.name}, ridge ${digits(found.level.ridge)}`,
    `${si(found.speed, "FLOP/s")} by the roofline`, machine.limit ? `expected: limited by ${machine.limit}` : ""].filter(Boolean).join("\n");
}

// -- overview -----------------------------------------------------------------------------------
const table = document.getElementById("overview");
const rows = table ? [...table.tBodies[0].rows] : [];

function sortBy(column, head) {
  const falling = head.getAttribute("aria-sort") === "descending" ? false : head.classList.contains("figure") || head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const key = (row) => { const cell = row.cells[column]; return head.classList.contains("figure") ? Number(cell.dataset.value ?? NaN) : cell.textContent; };
  const order = (a, b) => (typeof a === "number" ? (isNaN(a) ? 1 : isNaN(b) ? -1 : falling ? b - a : a - b) : (falling ? -1 : 1) * a.localeCompare(b, undefined, { numeric: true }));
  table.tBodies[0].append(...rows.sort((a, b) => order(key(a), key(b))));
}

function filter() {
  const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const machine = document.getElementById("machine")?.value;
  matching = new Set();
  for (const row of rows) {
    const found = words.every((word) => row.textContent.toLowerCase().includes(word) || row.dataset.bound.startsWith(word));
    row.hidden = !found || Boolean(machine && row.dataset.machine !== machine);
    if (found) matching.add(decodeURIComponent(row.querySelector("a").hash.slice(1)));
  }
  for (const section of document.querySelectorAll("section.kernel")) section.hidden = !matching.has(section.id);
  document.getElementById("count").textContent = `${matching.size} of ${data.kernels.length} kernels`;
  drawOverview();
}

function drawOverview() {
  const points = data.kernels.filter((kernel) => kernel.flops !== undefined && matching.has(kernel.id)).flatMap((kernel) => kernel.machines.flatMap((machine) => {
    if (machine.panel === null || hidden.has(data.panels[machine.panel].name)) return [];
    const found = figuresOf(kernel, machine, startOf(kernel));
    if (!found.level || !(found.level.intensity > 0) || !isFinite(found.speed)) return [];
    return [{ x: found.level.intensity, y: found.speed, bound: machine.bound, href: href(kernel), tip: tipOf(kernel, machine, found), id: kernel.id }];
  }));
  const host = document.getElementById("chart");
  drawRoofline(host, "roofline of all kernels", data.panels, points, [], hidden);
}

const kernelsOn = (panel) => data.kernels.filter((kernel) => kernel.machines?.some((machine) => data.panels[machine.panel] === panel)).length;

/** Of the chosen machine, or of each, the chart with the most kernels; the legend has the others. */
function showPanels() {
  const chosen = document.getElementById("machine")?.value;
  const offered = data.panels.filter((panel) => !chosen || panel.machine === chosen);
  const largest = new Map();
  for (const panel of offered) if (!largest.has(panel.machine) || kernelsOn(panel) > kernelsOn(largest.get(panel.machine))) largest.set(panel.machine, panel);
  for (const panel of data.panels) hidden[largest.get(panel.machine) === panel ? "delete" : "add"](panel.name);
  if (offered.length) legend(document.getElementById("chart"), offered);
}

function legend(host, panels) {
  const box = make("fieldset", { class: "legend" }, make("legend", {}, "shown"));
  const levels = new Set(panels.flatMap((panel) => panel.levels.map(([name]) => name)));
  for (const [name, count] of [...panels.map((panel) => [panel.name, ` (${kernelsOn(panel)})`]), ...[...levels].map((level) => [level, ""])]) {
    const input = make("input", { type: "checkbox" });
    input.checked = !hidden.has(name);
    input.addEventListener("change", () => { hidden[input.checked ? "delete" : "add"](name); drawOverview(); });
    box.append(make("label", {}, input, ` ${name}${count}`));
  }
  box.append(make("span", {}, "▲ memory-bound  ■ compute-bound  ◆ by size or data  ▸ beside a mark: it lies beyond the edge"));
  document.querySelector(".legend")?.remove();
  host.before(box);
}

// -- one kernel ---------------------------------------------------------------------------------
class KernelView {
  constructor(kernel, host) {
    this.kernel = kernel;
    this.at = startOf(kernel);
    this.way = make("figcaption");
    this.roofline = make("figure", {}, this.way);
    this.table = make("table");
    this.steps = make("figure");
    this.source = make("table", { class: "source" });
    const growing = kernel.symbols.length > 0;
    this.why = make("p", { class: "why", role: "status" });
    this.time = make("p", { class: "time", role: "status" });
    host.append(...(growing ? [this.sliders()] : []), this.time, this.table, this.why, this.roofline, make("details", {}, make("summary", {}, "traffic over the size of a cache"), this.steps));
    if (kernel.graph) host.append(this.graph());
    if (kernel.source) host.append(make("div", { class: "wide" }, this.source));
    this.show();
  }

  sliders() {
    const box = make("div", { class: "sliders" }), setters = new Map();
    for (const [name, meaning, kind, start, shown] of this.kernel.symbols) {
      setters.set(name, this.slider(box, shown, meaning, kind === "share", start, (value) => { this.at.set(name, value); this.show(); }));
    }
    const sizes = this.growing();
    if (sizes.length > 1) {
      const all = (value) => { for (const name of sizes) { setters.get(name)(value); this.at.set(name, value); } this.show(); };
      this.slider(box, "all sizes", "equal, and growing together", false, this.at.get(sizes[0]), all);
    }
    return box;
  }

  growing() { return this.kernel.symbols.filter(([, , kind]) => kind === "size").map(([name]) => name); }

  /** A slider and a number that follow each other; returns what sets both. */
  slider(box, shown, meaning, share, start, set) {
    const top = share ? 1 : Math.max(24, Math.ceil(Math.log2(start || 1)) + 1);
    const input = make("input", { type: "range", min: 0, max: top, step: share ? 0.05 : 0.25, "aria-label": `${shown}: ${meaning}` });
    const exact = make("input", { type: "number", min: share ? 0 : 1, step: share ? "any" : 1, "aria-label": shown, size: 12 });
    const show = (value) => { exact.value = value; input.value = share ? value : Math.log2(value || 1); };
    show(start);
    input.addEventListener("input", () => { const value = share ? Number(input.value) : Math.round(2 ** input.value); exact.value = value; set(value); });
    exact.addEventListener("change", () => { show(Number(exact.value)); set(Number(exact.value)); });
    box.append(make("code", {}, shown), input, exact, make("small", {}, meaning));
    return show;
  }

  show() {
    const kernel = this.kernel;
    const found = kernel.machines.map((machine) => [machine, figuresOf(kernel, machine, this.at)]);
    this.showTime(found);
    this.showTable(found);
    this.showRoofline(found);
    this.steps.parentNode.hidden = !drawSteps(this.steps, `traffic of ${kernel.name}`, kernel, kernel.machines[0], this.at);
    if (kernel.source) this.showSource();
  }

  showTime(found) {
    const sizes = this.growing(), growing = sizes.length > 1 ? "all sizes are equal and the others are" : "the others are";
    const known = found.filter(([machine]) => machine.times.length).map(([machine, { time }]) => `${found.length > 1 ? `${machine.name}: ` : ""}${
      time ? `${duration(time.seconds)}, limited by ${time.words}` : `not known at these sizes (it is where ${growing} as at first)`}`);
    this.time.textContent = known.length ? `Expected time: ${known.join("; ")}.` : "";
  }

  showTable(found) {
    const several = found.length > 1;
    const head = make("tr", {}, ...[...(several ? ["machine"] : []), "level"].map((name) => make("th", { scope: "col" }, name)),
      ...["bytes", "FLOP/B", "by roofline"].map((name) => make("th", { scope: "col", class: "figure" }, name)));
    const body = found.flatMap(([machine, figures]) => [...figures.levels.map((level) => make("tr", { class: level.name === figures.limit ? "binds" : null },
      ...(several ? [make("td", {}, machine.name)] : []), make("th", { scope: "row" }, level.name), make("td", { class: "figure" }, this.explained(si(level.bytes, "B"), `bytes at ${level.name}, at large sizes`, level.arrays)),
      make("td", { class: "figure" }, digits(level.intensity)), make("td", { class: "figure" }, si(Math.min(level.speed, machine.roof || Infinity), "FLOP/s")))), ...this.tableRows(machine, figures, several)]);
    const equal = new Map();
    for (const [name, , , , shown] of this.kernel.symbols) equal.set(this.at.get(name), [...(equal.get(this.at.get(name)) ?? []), shown]);
    const sizes = [...equal].map(([value, names]) => [...names, value].join(" = ")).join(", ");
    const terms = this.kernel.work.filter(([, , , expr]) => expr !== "0").map(([line, , , expr]) => ["", expr, line]);
    const flops = this.explained(si(found[0]?.[1].flops ?? NaN, "FLOP"), "FLOPs", terms);
    this.table.replaceChildren(make("caption", {}, sizes ? `At ${sizes}: ` : "", flops), make("thead", {}, head), make("tbody", {}, ...body));
  }

  /** The pages that miss in the table of address translations; their expression holds where the verdict's piece does. */
  tableRows(machine, { time }, several) {
    return machine.tables.map(([name, pages, expr]) => make("tr", { class: time?.limit === "tlb" ? "binds" : null }, ...(several ? [make("td", {}, machine.name)] : []),
      make("th", { scope: "row" }, name), make("td", { class: "figure" }, time?.atVerdict ? this.explained(si(valueOf(pages, this.at), "pages"), `pages that miss in the ${name}`, [["", expr]]) : "–"),
      make("td", { class: "figure" }, "–"), make("td", { class: "figure" }, "–")));
  }

  graph() {
    const graph = this.kernel.graph, figure = make("figure");
    drawGraph(figure, `dataflow of ${this.kernel.name}`, graph);
    return make("details", { class: "dataflow" }, make("summary", {}, "dataflow: what is made of what"), figure, ...[...graph.groups, ...graph.notes].map((text) => make("p", { class: "place" }, text)));
  }

  /** A figure as a button that tells which lines and terms make it. */
  explained(text, what, terms) {
    const button = make("button", { type: "button", class: "explain" }, text);
    withTip(button, "why this number");
    button.addEventListener("click", () => {
      this.why.textContent = `${what}: ${terms.map(([name, expr, ...lines]) => `${name} ${expr}${lines.length ? ` (line ${lines.join(", ")})` : ""}`).join("; ") || "not known by part"}`;
      this.marked = new Set(terms.flatMap(([, , ...lines]) => lines));
      this.markSource();
    });
    return button;
  }

  markSource() {
    for (const row of this.source.tBodies[0]?.rows ?? []) row.classList.toggle("why", this.marked?.has(Number(row.cells[0].textContent)) ?? false);
  }

  showRoofline(found) {
    const placed = found.filter(([machine, figures]) => machine.panel !== null && figures.flops > 0 && isFinite(figures.speed));
    const points = placed.flatMap(([machine, figures]) => figures.levels.filter((level) => level.intensity > 0 && isFinite(level.intensity)).map((level) => (
      { x: level.intensity, y: figures.speed, bound: level === figures.binding ? "memory" : figures.bound === "compute" ? "compute" : "none", label: level.name,
        tip: `${level.name}\n${si(level.bytes, "B")}, AI ${digits(level.intensity)} FLOP/B\n${si(figures.speed, "FLOP/s")} by the roofline` })));
    this.roofline.hidden = !points.length;
    const panels = [...new Set(placed.map(([machine]) => data.panels[machine.panel]))];
    const paths = placed.map(([machine]) => this.path(machine)).filter((path) => path.at.length > 1);
    const own = placed.filter(([machine]) => machine.roof).map(([machine]) => ({ flops: machine.roof, mine: true, widest: Infinity,
      what: `this kernel's arithmetic${placed.length > 1 ? ` on ${machine.name}` : ""}` }));
    const level = placed[0]?.[1].levels.at(-1).name;
    const growing = this.growing().length > 1 ? "all sizes grow together" : "the size grows";
    this.way.textContent = `Each mark is this kernel at one level.${paths.length ? ` Dashed: the kernel at ${level} while ${growing}; the numbers are sizes.` : ""}`;
    if (points.length) drawRoofline(this.roofline, `roofline of ${this.kernel.name}`, panels, points, paths, new Set(), own);
  }

  /** The kernel at the outermost level, all sizes growing together. */
  path(machine) {
    const growing = this.growing();
    const at = growing.length ? PATH.map((size) => {
      const figures = figuresOf(this.kernel, machine, new Map([...this.at, ...growing.map((name) => [name, size])]));
      return { x: figures.levels.at(-1).intensity, y: figures.speed, text: String(size) };
    }) : [];
    const known = at.filter((point) => point.x > 0 && isFinite(point.x) && point.y > 0 && isFinite(point.y));
    const moves = ["x", "y"].some((key) => Math.max(...known.map((p) => p[key])) > 1.05 * Math.min(...known.map((p) => p[key])));
    return { at: moves ? known : [] };
  }

  showSource() {
    const [first, ...lines] = this.kernel.source;
    const work = new Map(this.kernel.work.map(([line, flops, bytes]) => [line, [valueOf(flops, this.at), valueOf(bytes, this.at)]]));
    const most = [0, 1].map((column) => Math.max(1, ...[...work.values()].map((each) => each[column])));
    const head = make("tr", {}, ...["line", "FLOPs", "bytes", "code"].map((name) => make("th", { scope: "col", class: name === "code" ? null : "figure" }, name)));
    const rows = lines.map((text, position) => {
      const [flops, bytes] = work.get(first + position) ?? [0, 0];
      const row = make("tr", {}, make("td", { class: "number" }, String(first + position)), make("td", { class: "figure" }, flops ? si(flops, "") : ""),
        make("td", { class: "figure" }, bytes ? si(bytes, "B") : ""), make("td", {}, text));
      [flops, bytes].forEach((value, column) => { if (value > 0) row.cells[column + 1].style.backgroundColor = `rgba(var(--heat), ${(0.6 * value / most[column]).toFixed(3)})`; });
      return row;
    });
    this.source.replaceChildren(make("caption", {}, "Source, with the FLOPs of each line and its bytes between the core and the nearest cache"), make("thead", {}, head), make("tbody", {}, ...rows));
    this.markSource();
  }
}

function fill(section) {
  const kernel = byId.get(section.id), host = section.querySelector(".figures");
  if (kernel?.flops !== undefined && host && !host.hasChildNodes()) new KernelView(kernel, host);
}

// -- start --------------------------------------------------------------------------------------
async function readData() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (letter) => letter.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
}

function showOverview() {
  [...table.tHead.rows[0].cells].forEach((head, column) => head.firstElementChild.addEventListener("click", () => sortBy(column, head)));
  document.querySelector(".controls").hidden = false;
  document.getElementById("search").addEventListener("input", filter);
  document.getElementById("machine")?.addEventListener("input", () => { showPanels(); filter(); });
  showPanels();
  filter();
}

const theme = document.getElementById("theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

readData().then((found) => {
  data = found;
  if (data.sections) {
    document.querySelector("main").insertAdjacentHTML("beforeend", data.sections);
    if (location.hash) location.replace(location.hash);
  }
  byId = new Map(data.kernels.map((kernel) => [kernel.id, kernel]));
  matching = new Set(byId.keys());
  if (table) showOverview();
  const sections = [...document.querySelectorAll("section.kernel")];
  const seen = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => { seen.unobserve(target); fill(target); }), { rootMargin: "400px" });
  sections.forEach((section) => seen.observe(section));
  addEventListener("beforeprint", () => sections.forEach(fill));
  addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
  document.documentElement.dataset.ready = "";
});
