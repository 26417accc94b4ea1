/* The table of all queries, live: filtered, sorted and paged from columns of data. The URL's fragment holds its state. */
(() => {
  "use strict";
  const d = document, source = d.currentScript.dataset.queries, $ = id => d.getElementById(id);
  const form = $("q-form"), table = $("t-queries"), count = $("q-count"), link = $("q-link");
  const SIZE = 25, PLAIN = "#queries", COUNTED = { pages: "outcome", searches: "proxy" }, body = table.tBodies[0], still = [...body.rows], said = count.textContent, controls = form.elements;
  const heads = [...table.querySelectorAll("[data-k]")], keys = heads.map(head => head.dataset.k), buttons = [...d.querySelectorAll("#q-pager button")];
  const fields = ["outcome", "proxy", "repo", "stratum", "q"].filter(name => controls[name]);
  const hide = off => { for (const one of d.querySelectorAll("#q-form, #q-pager")) one.hidden = off; };
  let sort = "", page = 1, pages = 1, data = null, loading = null, shown = String(still.map((_, i) => i));

  const element = (tag, children, properties) => {
    const made = Object.assign(d.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  /* What is searched is one text in lower case, a line break before each entry: one pass finds every entry that has it. */
  const lines = all => {
    let end = 0;
    const lower = all.map(text => text.toLowerCase()), starts = Uint32Array.from(lower, text => (end += text.length + 1) - text.length - 1);
    return { text: "\n" + lower.join("\n"), starts };
  };
  const hits = ({ text, starts }, q) => {
    const hit = new Uint8Array(starts.length);
    for (let k = 0, at; k < hit.length && (at = text.indexOf(q, starts[k])) >= 0; k++) {
      while (starts[k + 1] <= at) k++;
      hit[k] = 1;
    }
    return hit;
  };

  /* Data, once: columns become typed arrays. */
  const load = () => loading ??= new Promise((done, failed) => {
    d.head.append(element("script", [], { src: source, onload: () => done(window.pagecostQueries), onerror: failed }));
  }).then(({ ids, roots, ...given }) => {
    const n = ids.length, column = one => Array.isArray(one) ? Float64Array.from(one) : new Float64Array(n).fill(one);
    const each = (parts, make) => Object.fromEntries(Object.entries(parts).map(([key, one]) => [key, make(one)]));
    const texts = each(given.texts, ([all, at]) => ({ all, at: Uint32Array.from(column(at)), lines: lines(all) })), numbers = each(given.numbers, column);
    for (const key in COUNTED) if (texts[COUNTED[key]]) numbers[key + "-change"] = numbers[key].map((to, i) => to - numbers[key + "-from"][i]);
    for (const key of ["repo", "stratum"]) controls[key]?.append(...texts[key].all.map(text => new Option(text, text)));
    data = { n, ids, roots, texts, numbers, lines: lines(ids) };
  });

  /* State: the controls, the column to sort by, and the page. */
  const read = hash => {
    const given = new URLSearchParams(hash.slice(PLAIN.length));
    form.reset();
    for (const name of fields) {
      const value = given.get(name);
      if (value) controls[name].value = value;
      if (controls[name].selectedIndex < 0) controls[name].selectedIndex = 0; /* no such repository */
    }
    sort = given.get("sort") ?? "";
    if (!keys.includes(sort.replace(/^-/, ""))) sort = "";
    page = Math.floor(given.get("page")) || 1;
  };
  const written = () => {
    const state = [...fields.map(name => [name, controls[name].value.trim()]), ["sort", sort], ["page", page > 1 ? page : ""]];
    const parts = state.filter(([, value]) => value).map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2F/g, "/")}`);
    return parts.length ? `${PLAIN}?${parts.join("&")}` : PLAIN;
  };

  /* The places of the queries asked for, in order: each as a sort key, times n, plus the place. */
  const find = () => {
    const { n, texts, numbers, lines } = data, { name, path } = texts, keep = new Uint8Array(n).fill(1);
    for (const field of fields) {
      const value = controls[field].value, { at, all } = texts[field] ?? {}, wanted = all?.indexOf(value);
      if (at && value) for (let i = 0; i < n; i++) if (at[i] !== wanted) keep[i] = 0;
    }
    const q = controls.q.value.trim().toLowerCase();
    if (q) {
      const named = hits(name.lines, q), placed = hits(path.lines, q), begun = hits(lines, "\n" + q);
      for (let i = 0; i < n; i++) if (!(named[name.at[i]] || placed[path.at[i]] || begun[i])) keep[i] = 0;
    }
    const by = sort.replace(/^-/, ""), down = sort !== by, isRank = by.startsWith("rank"), found = new Float64Array(n);
    const column = by === "id" ? lines.starts : numbers[by] ?? texts[by]?.at ?? keep;
    let m = 0, low = Infinity, high = -Infinity;
    for (const value of column) { if (value < low) low = value; if (value > high) high = value; }
    for (let i = 0; i < n; i++) if (keep[i]) {
      const value = column[i], key = isRank && !value ? high - low + 1 : down ? high - value : value - low; /* not found: last */
      found[m++] = key * n + i;
    }
    const order = found.subarray(0, m);
    return by ? order.sort() : order;
  };

  /* Rows: copies of the first that stands in the page, with other values. */
  const number = value => String(Math.abs(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  const pieces = text => text.replace(/[/_.:]+(?=[^/_.:])|[a-z0-9](?=[A-Z])/g, "$&\0").split("\0").flatMap(piece => [d.createElement("wbr"), piece]).slice(1);
  const cell = (key, i) => {
    const { texts, numbers, ids, roots } = data, text = name => texts[name].all[texts[name].at[i]], value = numbers[key]?.[i];
    if (key === "id" || key === "name") {
      const name = pieces(key === "id" ? ids[i] : text(key)), path = text("path"), line = numbers.line[i], more = numbers.relevant[i] - 1;
      const root = roots[texts.repo.at[i]], href = `${root}${path.split("/").map(encodeURIComponent).join("/")}#L${line}`;
      const place = [...pieces(path), line ? ":" + line : "", more ? ` and ${number(more)} more` : ""];
      return [...(root ? [element("a", name, { href })] : name), element("small", place)];
    }
    if (value === undefined) return pieces(text(key));
    const [metric, what] = key.split("-"), sign = Math.sign(value) + 1, name = COUNTED[metric];
    if (what !== "change") return [value || metric !== "rank" ? number(value) : "not found"];
    const note = texts[name].at[i] !== sign; /* who found it counts as fewer, whatever the numbers */
    return [["\u2212", "", "+"][sign] + number(value), ...(note ? [element("small", ["counts as " + text(name)])] : [])];
  };
  const row = i => {
    const made = still[0].cloneNode(true);
    keys.forEach((key, c) => made.cells[c].replaceChildren(...cell(key, i)));
    return made;
  };

  const render = () => {
    const { n } = data, order = find(), m = order.length;
    pages = Math.max(1, Math.ceil(m / SIZE));
    page = Math.min(Math.max(page, 1), pages);
    const first = (page - 1) * SIZE, places = Array.from(order.subarray(first, first + SIZE), key => key % n), last = first + places.length;
    if (shown !== String(places)) {
      shown = String(places);
      body.replaceChildren(...(m ? places.map(row) : [element("tr", [element("td", ["No query matches."], { colSpan: keys.length })])]));
    }
    const range = number(first + 1) + (last > first + 1 ? " to " + number(last) : "");
    const now = m ? `${range} of ${number(m)}${m < n ? ` (of ${number(n)})` : ""}` : `None of ${number(n)}`;
    if (count.textContent !== now) count.textContent = now;
    for (const head of heads) {
      const key = head.dataset.k, way = { [key]: "ascending", ["-" + key]: "descending" }[sort];
      way ? head.setAttribute("aria-sort", way) : head.removeAttribute("aria-sort");
    }
    buttons.forEach((button, i) => button.setAttribute("aria-disabled", page === (i < 2 ? 1 : pages)));
    link.hash = written();
  };
  const giveUp = () => {
    hide(true);
    count.textContent = said;
    body.replaceChildren(...still);
    for (const { firstChild } of heads) firstChild.replaceWith(...firstChild.childNodes);
  };
  const safely = done => data ? done() : load().then(done).catch(giveUp);
  const update = change => safely(() => {
    change();
    render();
    try { history.replaceState(history.state, "", link.hash); } catch { /* asked too often, a browser refuses */ }
  });

  /* Controls, from the start, so that nothing shifts when the data arrive. */
  hide(false);
  for (const head of heads) {
    const key = head.dataset.k, button = element("button", head.childNodes, { type: "button" });
    head.append(button);
    button.onclick = () => update(() => { sort = { [key]: "-" + key, ["-" + key]: "" }[sort] ?? key; page = 1; });
  }
  form.oninput = () => update(() => { page = 1; });
  form.onsubmit = event => event.preventDefault();
  $("q-reset").onclick = () => update(() => read(""));
  buttons.forEach((button, i) => { button.onclick = () => update(() => {
    page = [1, page - 1, page + 1, pages][i];
    if (table.getBoundingClientRect().top < 0) table.scrollIntoView();
  }); });

  /* A fragment that asks for a view gets it; else the data come once the table is near. */
  const follow = scrolls => safely(() => {
    const section = $("queries");
    read(location.hash);
    render();
    if (!scrolls) return;
    section.scrollIntoView();
    section.tabIndex = -1; /* where the keyboard goes on from, as after any anchor */
    section.focus({ preventScroll: true });
    section.removeAttribute("tabindex");
  });
  const asks = () => location.hash.startsWith(PLAIN + "?");
  addEventListener("hashchange", () => { if (asks() || location.hash === PLAIN) follow(asks()); });
  if (asks()) follow(performance.getEntriesByType("navigation")[0]?.type === "navigate");
  const observer = new IntersectionObserver(entries => {
    if (entries.some(entry => entry.isIntersecting)) { observer.disconnect(); safely(() => {}); }
  }, { rootMargin: "600px" });
  observer.observe(table);
})();
