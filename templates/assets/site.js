/* Progressive enhancement only: everything here works on top of readable HTML. */
(() => {
  "use strict";
  const d = document, root = d.documentElement;
  const $ = (selector, within = d) => within.querySelector(selector);
  const $$ = (selector, within = d) => [...within.querySelectorAll(selector)];
  const store = {
    get(key) { try { return localStorage.getItem(key); } catch { return null; } },
    set(key, value) { try { value ? localStorage.setItem(key, value) : localStorage.removeItem(key); } catch { /* a folder may refuse */ } },
  };

  /* Theme: system, light or dark. */
  const saved = store.get("pagecost-theme"), themes = $("#_theme");
  if (saved === "light" || saved === "dark") root.dataset.theme = saved;
  if (themes) {
    themes.hidden = false;
    for (const input of $$("input", themes)) {
      input.checked = input.value === (root.dataset.theme || "");
      input.addEventListener("change", () => {
        if (input.value) root.dataset.theme = input.value; else delete root.dataset.theme;
        store.set("pagecost-theme", input.value);
      });
    }
  }

  /* Contents: open on wide screens, follow the scroll. */
  const contents = $(".toc details");
  if (contents) {
    const wide = matchMedia("(min-width:68rem)"), set = () => { contents.open = wide.matches; };
    set();
    wide.addEventListener("change", set);
    const links = new Map($$("a[href^='#']", contents).map(a => [a.hash.slice(1), a]));
    for (const a of links.values()) a.addEventListener("click", () => { if (!wide.matches) contents.open = false; });
    const sections = $$("main section[id]").filter(section => links.has(section.id));
    /* Observed, not measured: to ask where a section is would lay the whole page out at once. */
    const near = new Set(), follow = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) isIntersecting ? near.add(target) : near.delete(target);
      const current = sections.filter(section => near.has(section)).pop();
      for (const [id, a] of links) id === current?.id ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current");
    }, { rootMargin: "0px 0px -70%" });
    for (const section of sections) follow.observe(section);
  }

  /* Copying: buttons a text, “Link” the address of its place, which it still goes to. “Copied” is seen and heard. */
  const heard = d.createElement("p");
  heard.className = "vh";
  heard.setAttribute("role", "status");
  heard.setAttribute("aria-live", "polite");
  d.body.append(heard);
  const tell = (label, usual, said) => {
    label.data = heard.textContent = said;
    clearTimeout(label.waiting);
    label.waiting = setTimeout(() => { label.data = usual; heard.textContent = ""; }, 1500);
  };
  for (const button of $$("[data-copy]")) {
    const from = button.dataset.copy && $(button.dataset.copy), label = button.firstChild, usual = label.data;
    button.hidden = !from && location.protocol === "file:"; /* a page without a text of its own gives its address */
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(from ? from.textContent.trim() : location.href.split("#")[0]);
        tell(label, usual, "Copied");
      } catch {
        if (from) getSelection().selectAllChildren(from);
        tell(label, usual, from ? "Selected: copy it" : "Copy it from the address bar");
      }
    });
  }
  for (const link of $$("a.lk, a.tl, .figfoot a[href^='#']")) {
    const label = link.firstChild, usual = label.data;
    link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      navigator.clipboard?.writeText(link.href).then(() => tell(label, usual, "Copied"), () => {});
    });
  }

  /* Tables sort by data-v where present, as numbers where numeric, what is not given last; a third press restores the order. */
  for (const table of $$("table[data-sort]")) {
    const bodies = [...table.tBodies], heads = [...table.tHead.rows].pop().cells;
    const rows = bodies.flatMap(body => [...body.rows].filter(row => !row.matches(".grp")).map(row => [row, body]));
    const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent.trim();
    [...heads].forEach((head, i) => {
      const button = d.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        table.classList.toggle("flat", next !== "");
        if (!next) { for (const [row, body] of rows) body.append(row); return; }
        head.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        const compare = (a, b) => {
          const x = value(a, i), y = value(b, i), n = x - y;
          return (x === "") - (y === "") || sign * (Number.isNaN(n) ? x.localeCompare(y, "en") : n);
        };
        rows.map(([row]) => row).sort(compare).forEach(row => bodies[0].append(row));
      });
    });
  }
})();
