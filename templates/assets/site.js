/* Progressive enhancement only: everything here works on top of readable HTML. */
(() => {
  "use strict";
  const d = document, root = d.documentElement, script = d.currentScript;
  const $ = (selector, within = d) => within.querySelector(selector);
  const $$ = (selector, within = d) => [...within.querySelectorAll(selector)];
  const store = {
    get(key) { try { return localStorage.getItem(key); } catch { return null; } },
    set(key, value) { try { value ? localStorage.setItem(key, value) : localStorage.removeItem(key); } catch { /* a folder may refuse */ } },
  };
  const chosen = (name, within) => $(`input[name=${name}]:checked`, within)?.value;

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
    const follow = () => {
      const current = sections.filter(s => s.getBoundingClientRect().top < innerHeight * .3).pop();
      for (const [id, a] of links) id === current?.id ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current");
    };
    if (sections.length) { addEventListener("scroll", follow, { passive: true }); follow(); }
  }

  /* Copy buttons. */
  for (const button of $$("[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText($(button.dataset.copy).textContent.trim()); button.textContent = "Copied"; }
      catch { button.textContent = "Select and copy"; }
      setTimeout(() => { button.textContent = label; }, 1500);
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

  /* Figure 1, live: the same figure from the same numbers, once the one Vega bundle is here. */
  const plot = $("#plot-cost");
  if (plot && script.dataset.vega) {
    const controls = $("#ctl-cost"), still = [...plot.childNodes], off = new Set();
    let shown = null, view = null, loading = null;
    const load = source => new Promise((done, failed) => {
      const element = d.createElement("script");
      element.src = source;
      element.onload = done;
      element.onerror = () => failed(Error(source));
      d.head.append(element);
    });
    /* Figures take the style sheet's colours, so that they follow the scheme without redrawing. */
    const themed = value => Array.isArray(value) ? value.map(themed)
      : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v)]))
      : Object.hasOwn(window.pagecost.colours, value) ? `var(--${window.pagecost.colours[value]})` : value;
    const draw = async () => {
      const scale = chosen("scale", controls) ?? plot.dataset.scale;
      const key = [chosen("metric", controls), scale, plot.clientWidth < 640 ? "narrow" : "wide"].join("-");
      if (key === shown) return;
      shown = key;
      await (loading ??= Promise.all([load(script.dataset.vega), load(script.dataset.figures)]));
      const data = window.pagecost, given = data.figures["fig-cost"][key], box = d.createElement("div");
      const datasets = Object.fromEntries(Object.entries(given.datasets).map(([name, place]) => [name, data.datasets[place]]));
      const spec = { ...themed(given), datasets };
      spec.params = [{ name: "off", value: [...off] }];
      const made = await vegaEmbed(box, spec, { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true } });
      if (shown !== key) { made.finalize(); return; }
      view?.finalize();
      view = made;
      plot.replaceChildren(box);
      plot.dataset.live = key;
      const svg = $("svg", box);
      svg?.setAttribute("role", "img");
      svg?.setAttribute("aria-label", "Interactive version of figure 1; its values stand in table 1.");
    };
    const giveUp = () => { plot.replaceChildren(...still); controls.hidden = true; shown = null; };
    const safely = () => draw().catch(giveUp);
    controls.hidden = false; /* at once, so that nothing shifts when the bundle arrives */
    controls.addEventListener("change", safely);
    let waiting;
    addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => view && safely(), 200); });
    for (const button of $$("[data-policy]", controls)) button.addEventListener("click", () => {
      const name = button.dataset.policy, hidden = off.has(name);
      hidden ? off.delete(name) : off.add(name);
      button.setAttribute("aria-pressed", String(hidden));
      view?.view.signal("off", [...off]).runAsync();
    });
    const observer = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) { observer.disconnect(); safely(); }
    }, { rootMargin: "600px" });
    observer.observe(plot);
  }
})();
