/* Figures that answer: the same drawings from the same numbers, once the one Vega bundle is here. */
(() => {
  "use strict";
  const d = document, script = d.currentScript, NEAR = 24, NARROW = matchMedia("(max-width: 45rem)"); /* as in the style sheet */
  const $ = (selector, within = d) => within.querySelector(selector);
  const $$ = (selector, within = d) => [...within.querySelectorAll(selector)];
  const made = (name, parts = {}) => Object.assign(d.createElement(name), parts);
  const loaded = new Map();
  const load = source => {
    if (!loaded.has(source)) loaded.set(source, new Promise((done, failed) => {
      d.head.append(made("script", { src: source, onload: done, onerror: () => failed(Error(source)) }));
    }));
    return loaded.get(source);
  };
  const dataOf = async ({ figure, source }) => {
    await load(source);
    return window.pagecost.figures[figure];
  };

  /* Exact values, for whatever points at a mark: one tip a page, said aloud where keys move it. */
  const tip = made("div", { className: "tip", hidden: true }), dot = made("span", { className: "dot", hidden: true });
  tip.setAttribute("role", "status");
  d.body.append(tip, dot);
  const hide = () => { tip.hidden = dot.hidden = true; };
  const show = (item, x, y) => {
    tip.replaceChildren(...Object.entries(item.tooltip).map(([name, value]) => {
      const line = made("p");
      line.append(made("span", { textContent: `${name} ` }), made("b", { textContent: value }));
      return line;
    }));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, x + width + 20 > innerWidth ? x - width - 14 : x + 14)}px`;
    tip.style.top = `${Math.max(4, y + height + 20 > innerHeight ? y - height - 14 : y + 14)}px`;
  };
  addEventListener("scroll", hide, { passive: true });

  /* Figures take the style sheet's colours, so that they follow the scheme without redrawing. */
  const themed = (value, colours) => Array.isArray(value) ? value.map(one => themed(one, colours))
    : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, colours)]))
    : Object.hasOwn(colours, value) ? `var(--${colours[value]})` : value;
  const whole = ({ colours, shared, specs }, key, off) => {
    const { datasets, config, ...rest } = specs[key];
    const rows = place => shared[place].map(row => ({ ...row, ...themed({ colour: row.colour, ink: row.ink }, colours) }));
    return {
      ...themed(rest, colours),
      config: { ...themed(shared[config], colours), aria: false },
      datasets: Object.fromEntries(Object.entries(datasets).map(([name, place]) => [name, rows(place)])),
      params: rest.params && [{ name: "off", value: [...off] }],
    };
  };

  /* The marks that have values, by panel, then what they are of, then from left to right. */
  const marksOf = plot => {
    const panels = $$("g.role-scope", plot), box = plot.getBoundingClientRect();
    return $$("path", plot).filter(path => path.__data__?.tooltip).map(path => {
      const { left, top, width, height } = path.getBoundingClientRect();
      const item = path.__data__;
      return {
        item, panel: panels.indexOf(path.closest("g.role-scope")), of: String(Object.values(item.tooltip)[0]),
        x: left + width / 2 - box.left, y: top + height / 2 - box.top,
      };
    }).sort((a, b) => a.panel - b.panel || a.of.localeCompare(b.of, "en", { numeric: true }) || a.x - b.x);
  };

  const live = plot => {
    const controls = $(".controls", plot.closest("figure")), still = [...plot.childNodes];
    const off = new Set();
    let shown = null, view = null, marks = [], at = -1, data = null;
    const keyNow = () => [
      ...$$("input:checked, select", controls ?? d.createElement("p")).map(one => one.value),
      NARROW.matches ? "narrow" : "wide",
    ].join("-");
    const draw = async () => {
      const key = keyNow();
      if (key === shown) return;
      shown = key;
      [, data] = await Promise.all([load(script.dataset.vega), data ?? dataOf(plot.dataset)]);
      const box = made("div", { className: "live", tabIndex: 0 });
      const drawn = await vegaEmbed(box, whole(data, key, off), { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: false });
      if (shown !== key) { drawn.finalize(); return; }
      view?.finalize();
      view = drawn;
      box.setAttribute("role", "application");
      box.setAttribute("aria-label", `${plot.dataset.said} Interactive: arrow keys go from value to value.`);
      $("svg", box).setAttribute("aria-hidden", "true");
      hide();
      plot.replaceChildren(box);
      marks = marksOf(plot);
      at = -1;
      plot.dataset.live = key;
    };
    const giveUp = () => { plot.replaceChildren(...still); if (controls) controls.hidden = true; shown = null; };
    const safely = () => draw().catch(giveUp);

    const point = place => {
      const mark = marks[place], box = plot.getBoundingClientRect();
      if (!mark) return;
      at = place;
      const x = box.left + mark.x, y = box.top + mark.y;
      show(mark.item, x, y);
      dot.style.left = `${x}px`;
      dot.style.top = `${y}px`;
      dot.hidden = false;
    };
    const beside = step => {
      const { panel, of, x } = marks[at], own = mark => mark.panel === panel && mark.of === of;
      let place = at;
      while (marks[place] && own(marks[place])) place += step;
      const next = marks[place];
      if (!next) return at;
      const series = marks.map((mark, i) => [mark, i]).filter(([mark]) => mark.panel === next.panel && mark.of === next.of);
      const far = ([mark]) => Math.abs(mark.x - (next.panel === panel ? x : -1e6));
      return series.reduce((best, one) => far(one) < far(best) ? one : best)[1];
    };
    plot.addEventListener("keydown", event => {
      const last = marks.length - 1, start = at < 0;
      const to = {
        ArrowRight: () => start ? 0 : Math.min(at + 1, last), ArrowLeft: () => start ? last : Math.max(at - 1, 0),
        ArrowDown: () => start ? 0 : beside(1), ArrowUp: () => start ? last : beside(-1),
        Home: () => 0, End: () => last,
      }[event.key];
      if (event.key === "Escape") hide();
      if (!to || last < 0) return;
      event.preventDefault();
      const box = plot.getBoundingClientRect(), place = to(), y = box.top + marks[place].y;
      if (y < 0 || y > innerHeight) plot.scrollIntoView({ block: "nearest" });
      point(place);
    });
    plot.addEventListener("focusout", hide);
    const under = event => {
      if (event.target.__data__?.tooltip) return show(event.target.__data__, event.clientX, event.clientY);
      const box = plot.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      const far = mark => Math.hypot(mark.x - x, mark.y - y);
      const nearest = marks.reduce((best, mark) => !best || far(mark) < far(best) ? mark : best, null);
      nearest && far(nearest) <= NEAR ? show(nearest.item, event.clientX, event.clientY) : hide();
    };
    plot.addEventListener("pointermove", under);
    plot.addEventListener("pointerdown", under);
    plot.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") hide(); });

    if (controls) {
      controls.hidden = false; /* at once, so that nothing shifts when the bundle arrives */
      controls.addEventListener("change", safely);
      for (const button of $$("[data-policy]", controls)) button.addEventListener("click", () => {
        const policy = button.dataset.policy, hidden = off.has(policy);
        hidden ? off.delete(policy) : off.add(policy);
        button.setAttribute("aria-pressed", String(hidden));
        view?.view.signal("off", [...off]).runAsync();
      });
    }
    let waiting;
    addEventListener("resize", () => { hide(); clearTimeout(waiting); waiting = setTimeout(() => view && safely(), 200); });
    addEventListener("beforeprint", () => { if (view) plot.replaceChildren(...still); });
    addEventListener("afterprint", () => { if (view) { shown = null; safely(); } });
    const observer = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) { observer.disconnect(); safely(); }
    }, { rootMargin: "400px" });
    observer.observe(plot);
  };
  for (const plot of $$("[data-figure]")) live(plot);
})();
