"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  /** Make an element; text goes in as text, never as markup. */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // ---- pages ---------------------------------------------------------------------------

  const pages = new Map(all(".page").map((page) => [page.id.slice("page-".length), page]));
  let current = null;

  const showPage = (name, place) => {
    const moved = name !== current;
    current = name;
    for (const [key, page] of pages) page.hidden = key !== name;
    for (const link of all(".top nav a")) {
      if (decodeURIComponent(link.hash.slice(1)) === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `recoco: ${pages.get(name).dataset.title}`;
    const target = place && byId(`at-${place}`);
    if (target) target.scrollIntoView();
    else if (moved) window.scrollTo(0, 0);
  };

  const route = () => {
    let hash;
    try {
      hash = decodeURIComponent(location.hash.slice(1));
    } catch {
      hash = "";
    }
    if (hash.startsWith("cell=")) {
      if (!current) showPage("overview");
      openCell(hash.slice("cell=".length));
      return;
    }
    if (dialog.open) dialog.close();
    const slash = hash.indexOf("/");
    const name = slash < 0 ? hash : hash.slice(0, slash);
    if (pages.has(name)) {
      showPage(name, slash < 0 ? "" : hash.slice(hash.indexOf("=") + 1));
    } else {
      showPage("overview");
    }
  };

  // ---- the dialog of a cell --------------------------------------------------------------

  const dialog = byId("cell");
  const body = byId("cell-body");
  let shown = null;

  /** Make the square and the label of a verdict; what is from the reference run says so. */
  const chip = (verdict, origin = "") => {
    const { letter, label } = data.verdicts[verdict];
    const mark = make("span", { class: `sq v-${verdict}`, "aria-hidden": "true" }, letter);
    mark.classList.toggle("known", origin !== "");
    return make("p", { class: "chip" }, mark, origin ? `${label}, ${origin}` : label);
  };

  const openCell = (id) => {
    const cell = data.cells[id];
    if (!cell) {
      location.replace("#overview");
      return;
    }
    shown = id;
    byId("cell-where").textContent = `${cell.paper}, ${cell.item}`;
    byId("cell-name").textContent = cell.name;
    const known = root.classList.contains("only-here") ? null : cell.known;
    const parts = known ? [...fromReference(cell, known), make("h3", {}, "Not computed here")] : [];
    parts.push(chip(cell.verdict));
    const versus = make("div", { class: "versus" }, figure("printed", cell.printed));
    if (!known) parts.push(versus);
    if (cell.cause) {
      parts.push(make("p", { class: "cause" }, make("b", {}, `Cause: ${cell.cause}. `), cell.evidence));
    }
    if (cell.reason) parts.push(make("p", {}, cell.reason));
    if (cell.about) parts.push(make("p", { class: "note" }, cell.about));
    if (cell.note) parts.push(make("p", { class: "note" }, `In the paper: ${cell.note}`));
    if (cell.facts) {
      versus.append(figure("measured", cell.facts[0][1]));
      parts.push(facts(cell.facts.slice(1)));
      if (cell.curve) parts.push(make("p", {}, `Best of n starts by the criterion: ${cell.curve}`));
      if (cell.measures.length) parts.push(...measures(cell));
    } else {
      parts.push(make("p", {}, "This report has no result for this cell."));
    }
    body.replaceChildren(...parts);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  const fromReference = (cell, known) => [
    chip(known.verdict, data.label),
    make("div", { class: "versus" }, figure("printed", cell.printed), figure("measured", known.facts[0][1])),
    make("p", {}, known.reason),
    facts(known.facts.slice(1)),
  ];

  const facts = (rows) => {
    const filled = rows.filter(([, value]) => value);
    const terms = filled.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
    return make("dl", { class: "facts" }, ...terms);
  };

  const figure = (name, value) => make("div", {}, make("span", {}, name), make("b", {}, value));

  /** Link each trial to its runs: seeds, parameters, data, code. */
  const trials = (names) =>
    names.split(" | ").flatMap((name, i) => {
      const [dataset, ...rest] = name.split("/");
      const code = make("code", {}, name);
      if (!data.trials.includes(dataset)) return [i ? " | " : "", code];
      const href = `data/trials_${dataset}.html#${encodeURIComponent(rest.join("/"))}`;
      return [i ? " | " : "", make("a", { href }, code)];
    });

  const measures = (cell) => {
    const combinations = data.combinations[cell.among] || {};
    const rows = cell.measures.map((row, i) => {
      const [text, printed, best] = combinations[row[0]] || [row[0], false, false];
      const name = make("td", { class: "key text" }, text);
      if (printed) name.append(" ", make("span", { class: "tag" }, "as printed"));
      if (best) name.append(" ", make("span", { class: "tag best" }, "best"));
      const status = row[5] === "ok" ? "" : row[5];
      const line = make("tr", row[0] === cell.used ? { class: "used" } : {});
      line.append(make("td", { class: "num" }, String(i + 1)), name);
      line.append(make("td", { class: "num" }, row[1] || status));
      line.append(...[row[2], row[3], row[4]].map((t) => make("td", { class: "num" }, t)));
      line.append(make("td", { class: "key" }, ...trials(row[6])));
      return line;
    });
    const heads = ["", "Combination", "Measured", "95 % interval", "Runs", "Within", "Trial"];
    const head = make("tr", {}, ...heads.map((t) => make("th", { scope: "col" }, t)));
    const table = make("table", { class: "combinations measures" }, make("thead", {}, head));
    table.append(make("tbody", {}, ...rows));
    const box = make("div", { class: "scroll", tabindex: "0", role: "region" }, table);
    box.setAttribute("aria-label", "Measured under every combination");
    const parts = [make("h3", {}, "Under every combination")];
    if (cell.plot) parts.push(...plot(cell));
    return [...parts, box];
  };

  const SVG = "http://www.w3.org/2000/svg";
  const draw = (parent, tag, attributes, text) => {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    parent.append(element);
    return element;
  };

  /** Draw measured values and intervals of all combinations against printed and tolerance. */
  const plot = (cell) => {
    const rows = cell.measures.map((row, i) => [i + 1, ...row.slice(7)]).filter((r) => r[1] !== null);
    if (!rows.length || cell.value === null) return [];
    const band = cell.band || 0;
    const ends = rows.flatMap((r) => r.slice(1)).filter((x) => x !== null);
    ends.push(cell.value - band, cell.value + band);
    const low = Math.min(...ends);
    const room = (Math.max(...ends) - low || 1) * 0.06;
    const span = Math.max(...ends) - low + 2 * room || 1;
    const width = Math.max(260, Math.min(560, document.documentElement.clientWidth - 60));
    const step = 17;
    const height = rows.length * step + 26;
    const x = (value) => 26 + ((value - low + room) / span) * (width - 40);
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("class", "plot");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Measured values against the printed one and its tolerance");
    const bottom = rows.length * step + 4;
    draw(svg, "rect", { x: x(cell.value - band), y: 0, width: Math.max(1, x(cell.value + band) - x(cell.value - band)), height: bottom, fill: "var(--soft-good)" });
    draw(svg, "line", { x1: x(cell.value), x2: x(cell.value), y1: 0, y2: bottom, stroke: "currentColor", "stroke-dasharray": "3 3" });
    const middle = Math.min(Math.max(x(cell.value), 80), width - 80); // keeps the words inside
    draw(svg, "text", { x: middle, y: bottom + 14, "text-anchor": "middle" }, `printed ${cell.printed}`);
    rows.forEach(([number, value, from, to], i) => {
      const y = i * step + step / 2 + 2;
      const used = cell.measures[number - 1][0] === cell.used;
      draw(svg, "text", { x: 14, y: y + 4, "text-anchor": "end" }, String(number));
      if (from !== null && to !== null) {
        draw(svg, "line", { x1: x(from), x2: x(to), y1: y, y2: y, stroke: "currentColor", "stroke-width": 1.5 });
      }
      draw(svg, "circle", { cx: x(value), cy: y, r: used ? 5 : 3.5, fill: used ? "var(--link)" : "currentColor" });
    });
    return [svg];
  };

  /** Go to another cell or page without adding entries to the history. */
  const replace = (hash) => location.replace(`#${hash}`);

  const neighbour = (step) => {
    const ids = squares.filter((s) => !s.classList.contains("dim")).map((s) => s.dataset.cell);
    const at = ids.indexOf(shown);
    const next = at < 0 ? ids[0] : ids[(at + step + ids.length) % ids.length];
    if (next) replace(`cell=${encodeURIComponent(next)}`);
  };

  byId("cell-close").addEventListener("click", () => dialog.close());
  byId("cell-previous").addEventListener("click", () => neighbour(-1));
  byId("cell-next").addEventListener("click", () => neighbour(1));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#cell=")) replace(encodeURIComponent(current).replace("%3D", "="));
  });

  // ---- the map ---------------------------------------------------------------------------

  const map = byId("map");
  const squares = all(".sq", map);
  const filters = all(".filter[data-verdict]");
  const visible = () => squares.filter((s) => !s.classList.contains("dim"));

  const stopAt = (target) => {
    for (const s of squares) if (s.tabIndex === 0) s.tabIndex = -1;
    if (target) target.tabIndex = 0;
  };
  stopAt(squares[0]);

  const applyFilters = () => {
    const wanted = filters.filter((f) => f.getAttribute("aria-pressed") === "true");
    const verdicts = new Set(wanted.map((f) => f.dataset.verdict));
    for (const s of squares) s.classList.toggle("dim", verdicts.size > 0 && !verdicts.has(s.dataset.verdict));
    byId("all").hidden = verdicts.size === 0;
    stopAt(visible()[0]);
  };
  for (const filter of filters) {
    filter.addEventListener("click", () => {
      filter.setAttribute("aria-pressed", String(filter.getAttribute("aria-pressed") !== "true"));
      applyFilters();
    });
  }
  byId("only-here")?.addEventListener("change", applyFilters);
  byId("all").addEventListener("click", () => {
    for (const filter of filters) filter.setAttribute("aria-pressed", "false");
    applyFilters();
    filters[0].focus();
  });

  /** Find the nearest square in the next line of squares above or below. */
  const vertical = (from, down) => {
    const here = from.getBoundingClientRect();
    const lines = visible()
      .map((s) => [s, s.getBoundingClientRect()])
      .filter(([, box]) => (down ? box.top > here.top + 2 : box.top < here.top - 2));
    if (!lines.length) return null;
    const tops = lines.map(([, box]) => box.top);
    const line = down ? Math.min(...tops) : Math.max(...tops);
    const near = lines.filter(([, box]) => Math.abs(box.top - line) < 3);
    return near.reduce((a, b) => (Math.abs(b[1].left - here.left) < Math.abs(a[1].left - here.left) ? b : a))[0];
  };

  map.addEventListener("keydown", (event) => {
    const from = event.target.closest(".sq");
    if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
    const list = visible();
    const at = list.indexOf(from);
    const targets = {
      ArrowRight: () => list[at + 1],
      ArrowLeft: () => list[at - 1],
      ArrowDown: () => vertical(from, true),
      ArrowUp: () => vertical(from, false),
      Home: () => list[0],
      End: () => list[list.length - 1],
      " ": () => from,
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    const target = targets[event.key]();
    if (!target) return;
    stopAt(target);
    target.focus();
    if (event.key === " ") target.click();
  });
  map.addEventListener("focusin", (event) => {
    if (event.target.matches(".sq")) stopAt(event.target);
  });

  // ---- tables ----------------------------------------------------------------------------

  /** Read "0.91 ± 0.006", "< 0.001", "−3", "1,234" as numbers; anything else is text. */
  const numberIn = (text) => {
    const match = /^([<>]?)\s*([-−+]?)(\d[\d,]*\.?\d*(?:e[-+]?\d+)?)/i.exec(text);
    if (!match) return null;
    const size = Number(match[3].replaceAll(",", "")) * (match[2] === "-" || match[2] === "−" ? -1 : 1);
    if (match[1] === "<") return size - 1e-9;
    return match[1] === ">" ? size + 1e-9 : size;
  };

  const sortBy = (table, column, direction) => {
    const tbody = table.tBodies[0];
    const rows = [...tbody.rows];
    rows.forEach((row, i) => { row.dataset.at ??= String(i); });
    const keyed = rows.map((row) => {
      const cell = row.cells[column]; // one from the reference holds two texts and shows one
      const text = (cell.matches(".known") ? cell.innerText : cell.textContent).trim();
      return { row, text, number: numberIn(text), at: Number(row.dataset.at) };
    });
    const numeric = table.tHead.rows[table.tHead.rows.length - 1].cells[column].classList.contains("num");
    const empty = (k) => (numeric ? k.number === null : k.text === "");
    keyed.sort((a, b) => {
      if (direction === 0) return a.at - b.at;
      if (empty(a) || empty(b)) return empty(a) - empty(b) || a.at - b.at;
      const order = numeric ? a.number - b.number : a.text.localeCompare(b.text, "en", { numeric: true });
      return direction * order || a.at - b.at;
    });
    tbody.append(...keyed.map((k) => k.row));
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".sort");
    if (!button) return;
    const head = button.closest("th");
    const table = head.closest("table");
    const before = head.getAttribute("aria-sort");
    for (const th of all("th[aria-sort]", table)) th.removeAttribute("aria-sort");
    // Ascending, descending, then the original order.
    const direction = before === "ascending" ? -1 : before === "descending" ? 0 : 1;
    if (direction) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    sortBy(table, head.cellIndex, direction);
  });

  // ---- leaderboards ------------------------------------------------------------------------

  /** Show what belongs to the chosen ranking, and only rows that contain the search words. */
  const applyBoard = (board) => {
    const wanted = all("select[data-key]", board).map((s) => [s.dataset.key, s.value]);
    const words = board.querySelector(".find").value.trim().toLowerCase();
    let shown = 0;
    for (const element of all("[data-weighting]", board)) {
      const row = element.tagName === "TR";
      const other = wanted.some(
        ([key, value]) => value !== "" && element.dataset[key] !== undefined && element.dataset[key] !== value,
      );
      element.hidden = other || (row && words !== "" && !element.textContent.toLowerCase().includes(words));
      if (!element.hidden && element.dataset.status) shown += 1;
    }
    board.querySelector(".count").textContent = `${shown} shown`;
  };
  for (const board of all(".board")) {
    if (!board.querySelector(".find")) continue;
    for (const name of ["input", "change"]) board.addEventListener(name, () => applyBoard(board));
    board.addEventListener("click", (event) => {
      const button = event.target.closest(".trace");
      if (!button) return;
      // A rank links to the scores behind it, and these link to their runs.
      board.querySelector('select[data-key="method"]').value = button.dataset.method;
      applyBoard(board);
      board.querySelector(".every").closest(".scroll").scrollIntoView({ block: "center" });
    });
    applyBoard(board); // a browser may have kept what was chosen before
  }

  // ---- light and dark --------------------------------------------------------------------

  const root = document.documentElement;
  const themeButton = byId("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const nameTheme = () => { themeButton.textContent = isDark() ? "Light" : "Dark"; };
  try {
    const kept = localStorage.getItem("recoco-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch {
    // Pages opened from a file may have no storage; the system's theme then applies.
  }
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("recoco-theme", root.dataset.theme);
    } catch {
      // As above: the choice lasts until the page is closed.
    }
    nameTheme();
  });
  system.addEventListener("change", nameTheme);
  nameTheme();

  window.addEventListener("hashchange", route);
  route();
})();
