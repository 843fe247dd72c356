// Walks the tree of this report, one question at a time, exactly as stakes does in Python.
(() => {
  "use strict";
  const box = document.getElementById("ask-box");
  const tree = JSON.parse(document.getElementById("ask-tree").textContent);
  const shares = tree.shares || tree.values;
  const ROUNDING = 1e-12;
  const MISSING = null;
  const DAY = 86_400_000;
  // One entry per answer: column, encoded value, what was typed, price, columns ordered together.
  let answers = [];
  let budget = null;

  // ---- the tree --------------------------------------------------------------------------------------------

  function branchOf(node, value) {
    if (value === MISSING) return -1;
    if (tree.threshold[node] !== null) return value <= tree.threshold[node] ? 0 : 1;
    return tree.branch[tree.start[node] + value];
  }

  function places(values) {
    const found = [], stack = [[0, 1.0]];
    while (stack.length) {
      const [node, share] = stack.pop(), column = tree.feature[node];
      if (column < 0 || !values.has(column)) {
        found.push({ node, share, waiting: column >= 0 });
        continue;
      }
      const first = tree.first[node], n = tree.branches[node], branch = branchOf(node, values.get(column));
      if (branch >= 0) {
        stack.push([first + branch, share]);
        continue;
      }
      let spread = false;
      for (let child = first + n - 1; child >= first; child--) {
        if (tree.fraction[child] > 0) {
          stack.push([child, share * tree.fraction[child]]);
          spread = true;
        }
      }
      if (!spread) found.push({ node, share, waiting: false });
    }
    return found;
  }

  function mixture(where, table) {
    const sums = tree.classes.map(() => 0);
    for (const { node, share } of where) for (let k = 0; k < sums.length; k++) sums[k] += share * table[node][k];
    return sums;
  }

  function expectedCosts(p) {
    return p.map((_, predicted) => p.reduce((sum, share, actual) => sum + share * tree.cost_values[actual][predicted], 0));
  }

  function choose(p) {
    const scores = tree.minCost ? expectedCosts(p) : p.map((share) => -share);
    const best = Math.min(...scores);
    return scores.findIndex((score) => score <= best + ROUNDING * Math.abs(best));
  }

  function price(column, paid) {
    if (!tree.prices) return 0;
    const { price, later, group, needs } = tree.prices;
    const have = new Set(paid.flatMap((j) => needs[j]));
    const opened = new Set([...have].map((r) => group[r]).filter((g) => g >= 0));
    let sum = 0;
    for (const r of needs[column]) {
      if (have.has(r)) continue;
      sum += opened.has(group[r]) ? later[r] : price[r];
      if (group[r] >= 0) opened.add(group[r]);
    }
    return sum;
  }

  // Columns that may be asked for from these places on, whatever the answers are.
  function columnsBelow(where, values) {
    const below = new Set(), stack = where.filter((p) => p.waiting).map((p) => p.node);
    while (stack.length) {
      const node = stack.pop(), column = tree.feature[node];
      if (column < 0) continue;
      const children = Array.from({ length: tree.branches[node] }, (_, b) => tree.first[node] + b);
      const branch = values.has(column) ? branchOf(node, values.get(column)) : -1;
      if (!values.has(column)) below.add(column);
      if (branch >= 0) stack.push(children[branch]);
      else stack.push(...children.filter((child) => !values.has(column) || tree.fraction[child] > 0));
    }
    return below;
  }

  // Columns that are ordered together with one that is needed, itself included.
  function order(column, state) {
    if (state.ordered.includes(column)) return state.ordered;
    const below = columnsBelow(state.where, state.values);
    return (tree.together.find((group) => group.includes(column)) || []).filter((other) => below.has(other));
  }

  // What is known, paid and needed next, after the answers so far.
  function look() {
    const values = new Map(answers.map((a) => [a.column, a.value]));
    const paid = answers.filter((a) => a.value !== MISSING).map((a) => a.column);
    const spent = answers.reduce((sum, a) => sum + a.price, 0);
    const leftOut = [], ordered = answers.length ? answers[answers.length - 1].ordered : [];
    for (;;) {
      const where = places(values), waiting = new Map();
      for (const { node, share, waiting: open } of where) {
        if (open) waiting.set(tree.feature[node], (waiting.get(tree.feature[node]) || 0) + share);
      }
      const heaviest = [...waiting.keys()].sort((a, b) => waiting.get(b) - waiting.get(a));
      const state = { values, paid, spent, leftOut, where, ordered };
      const priced = [...ordered.filter((column) => !values.has(column)), ...heaviest]
        .map((column) => ({ column, share: waiting.get(column) || 0, price: price(column, paid) }));
      const next = priced.find((q) => budget === null || spent + q.price <= budget * (1 + ROUNDING));
      if (next) return { ...state, next };
      if (!heaviest.length) return state;
      const costly = priced.find((q) => q.column === heaviest[0]);
      leftOut.push(costly);
      values.set(costly.column, MISSING);
    }
  }

  // ---- in words --------------------------------------------------------------------------------------------

  const number = (x) => String(Number(x.toPrecision(7)));
  const money = numbers.money(tree.currency);
  const percent = (x) => `${Math.round(100 * x)}%`;

  // A number of days since 1970 as a date, with the time where there is one.
  function dayText(days) {
    const moment = new Date(Math.round(days * DAY));
    if (Number.isNaN(moment.getTime())) return `${number(days)} days after 1970-01-01`;
    const [day, time] = moment.toISOString().slice(0, -1).replace(/\.000$/, "").replace(/(T\d\d:\d\d):00$/, "$1").split("T");
    return time === "00:00" ? day : `${day} ${time}`;
  }

  function level({ dates, unit }, value) {
    const text = dates ? dayText(value) : number(value);
    return unit ? `${text} ${unit}` : text;
  }

  // Number that a text stands for, days for a date; NaN where it stands for none.
  function read({ dates }, text) {
    if (!dates) return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
    const match = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$/.exec(text);
    const moment = match ? Date.parse(`${match[1]}${(match[2] || "T00:00").replace(" ", "T")}Z`) : NaN;
    // 2020-02-30 may be read as the first of March
    return Number.isFinite(moment) && new Date(moment).toISOString().startsWith(match[1]) ? moment / DAY : NaN;
  }

  // What the answers to a question lead to: list of [condition, consequence].
  function outcomes(column, state) {
    const roots = state.where.filter((p) => p.waiting && tree.feature[p.node] === column);
    if (!roots.length) return [];
    const root = roots.reduce((a, b) => (b.share > a.share ? b : a)).node;
    const asked = tree.columns[column], { numeric, categories } = asked;
    const ends = [], stack = [{ node: root, low: -Infinity, high: Infinity, codes: categories.map((_, i) => i) }];
    while (stack.length) {
      const part = stack.pop(), test = tree.feature[part.node], first = tree.first[part.node];
      if (test < 0) ends.push([part, tree.classes[tree.decision[part.node]], true]);
      else if (test === column && numeric) {
        const cut = tree.threshold[part.node];
        const halves = [{ ...part, node: first, high: Math.min(part.high, cut) },
                        { ...part, node: first + 1, low: Math.max(part.low, cut) }];
        stack.push(...halves.filter((h) => h.low < h.high).reverse());
      } else if (test === column) {
        const to = (code) => tree.branch[tree.start[part.node] + code];
        for (let b = tree.branches[part.node] - 1; b >= 0; b--) {
          const codes = part.codes.filter((code) => to(code) === b);
          if (codes.length) stack.push({ ...part, node: first + b, codes });
        }
      } else if (!state.values.has(test)) ends.push([part, `then ${tree.columns[test].name}`, false]);
      else {
        const branch = branchOf(part.node, state.values.get(test));
        if (branch < 0) ends.push([part, "several ways on", false]);
        else stack.push({ ...part, node: first + branch });
      }
    }
    const merged = [];
    for (const [part, goal, decided] of ends) {
      const same = merged.find((m) => m.goal === goal && m.decided === decided && (!numeric || m.high === part.low));
      if (!same) merged.push({ ...part, goal, decided });
      else if (numeric) same.high = part.high;
      else same.codes = [...same.codes, ...part.codes].sort((a, b) => a - b);
    }
    return merged.map((m) => {
      if (!numeric) {
        const names = m.codes.slice(0, 4).map((code) => categories[code]).join(", ");
        return [m.codes.length > 4 ? `${names}, …` : names, m.goal, m.decided];
      }
      const ends = [m.low > -Infinity ? `> ${level(asked, m.low)}` : "", m.high < Infinity ? `≤ ${level(asked, m.high)}` : ""];
      return [ends.filter(Boolean).join(" and ") || "any number", m.goal, m.decided];
    });
  }

  // ---- the page --------------------------------------------------------------------------------------------

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "onclick" || name === "onsubmit") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  function give(question, value, shown) {
    const price = value === MISSING ? 0 : question.price;
    answers.push({ column: question.column, value, shown, price, ordered: order(question.column, look()) });
    draw(true);
  }

  function back() {
    answers.pop();
    draw(true);
  }

  function chances(p, costs, label) {
    const rows = p.map((share, k) => [share, k]);
    if (rows.length > 8) rows.sort((a, b) => b[0] - a[0]).splice(8);
    return make("table", { class: "chances" }, make("tbody", {}, ...rows.map(([share, k]) => {
      const bar = make("span", { class: "bar" });
      bar.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
      const row = make("tr", k === label ? { class: "best" } : {},
        make("th", { scope: "row" }, tree.classes[k]), make("td", { class: "n" }, percent(share)), make("td", {}, bar));
      if (costs) row.append(make("td", { class: "n" }, `would cost ${money(costs[k])}`));
      return row;
    })));
  }

  function input(question) {
    const column = tree.columns[question.column];
    const unknown = make("button", { type: "button", class: "quiet", onclick: () => give(question, MISSING, "unknown") },
      "I don’t know");
    if (!column.numeric) {
      const choices = column.categories.map((name, code) =>
        make("button", { type: "button", onclick: () => give(question, code, name) }, name || "(empty)"));
      return make("div", { class: "choices", role: "group", "aria-labelledby": "ask-question" }, ...choices, unknown);
    }
    const field = make("input", { type: "text", inputmode: column.dates ? "text" : "decimal", autocomplete: "off", id: "ask-number",
      "aria-labelledby": "ask-question", "aria-describedby": "ask-terms ask-wrong" });
    const wrong = make("p", { id: "ask-wrong", class: "wrong", role: "alert" });
    if (column.dates) field.setAttribute("placeholder", "YYYY-MM-DD");
    const submit = (event) => {
      event.preventDefault();
      const text = field.value.trim().replace("−", "-");
      if (text === "" || text === "?") return give(question, MISSING, "unknown");
      const value = read(column, text);
      if (!Number.isFinite(value)) {
        wrong.textContent = column.dates ? `A date such as 2020-01-31 is needed, got “${text}”.`
          : `A number is needed, with a point for decimals, got “${text}”.`;
        return field.focus();
      }
      if ((column.low !== null && value < column.low) || (column.high !== null && value > column.high)) {
        wrong.textContent = `The answer must be ${column.allowed}, got “${text}”.`;
        return field.focus();
      }
      return give(question, value, column.unit ? `${text} ${column.unit}` : text);
    };
    return make("form", { class: "choices", onsubmit: submit, novalidate: "" }, field,
      make("button", { type: "submit" }, "Answer"), unknown, wrong);
  }

  function bill(state) {
    const rows = answers.map((a) => make("tr", {}, make("th", { scope: "row" }, tree.columns[a.column].name),
      make("td", {}, a.shown), make("td", { class: "n" }, money(a.price))));
    for (const missed of state.leftOut) {
      rows.push(make("tr", { class: "note" }, make("th", { scope: "row" }, tree.columns[missed.column].name),
        make("td", {}, "not asked: too costly"), make("td", { class: "n" }, `(${money(missed.price)})`)));
    }
    const total = make("tr", {}, make("th", { scope: "row" }, "The bill"), make("td", {},
      budget === null ? "" : `of ${money(budget)}`), make("td", { class: "n", id: "ask-total" }, money(state.spent)));
    return make("table", { class: "bill" }, make("tbody", {}, ...rows), make("tfoot", {}, total));
  }

  function draw(focus) {
    const state = look(), left = make("div", { class: "ask-main" }), right = make("div", { class: "ask-side" });
    if (state.next) {
      const { column, share, price: cost } = state.next, { name, ask, allowed } = tree.columns[column];
      left.append(make("p", { class: "price" }, cost ? `costs ${money(cost)}` : tree.prices ? "free" : "",
        share > 0 && share < 1 - 1e-9 ? ` · ${percent(share)} of the case waits for it` : ""));
      left.append(make("h3", { id: "ask-question", tabindex: "-1" }, `${answers.length + 1}. ${ask || name}`));
      const terms = [ask ? name : "", allowed].filter(Boolean).join(", ");
      if (terms) left.append(make("p", { class: "note", id: "ask-terms" }, terms));
      left.append(input(state.next));
      const found = outcomes(column, state);
      const list = found.slice(0, 5).map(([condition, goal, decided]) =>
        make("li", {}, `${condition} → `, decided ? make("strong", {}, goal) : goal));
      if (found.length > 5) list.push(make("li", {}, `and ${found.length - 5} more`));
      if (list.length) left.append(make("p", { class: "note" }, "What the answer decides"), make("ul", { class: "decides" }, ...list));
      else left.append(make("p", { class: "note" }, `Ordered together with ${tree.columns[answers[answers.length - 1].column].name}`));
      right.append(make("p", { class: "note" }, "So far"), chances(mixture(state.where, shares)));
    } else {
      const p = mixture(state.where, shares), label = choose(mixture(state.where, tree.values));
      const costs = expectedCosts(p);
      left.append(make("p", { class: "price" }, "The answer"),
        make("h3", { id: "ask-answer", class: "answer", tabindex: "-1" }, tree.classes[label]),
        make("p", {}, `Expected cost ${money(costs[label])}.`), chances(p, costs, label));
    }
    right.append(bill(state));
    const buttons = make("div", { class: "choices" });
    if (answers.length) {
      buttons.append(make("button", { type: "button", class: "quiet", id: "ask-back", onclick: back }, "← Back"),
        make("button", { type: "button", class: "quiet", id: "ask-again", onclick: () => { answers = []; draw(true); } }, "Start again"));
    }
    left.append(buttons);
    box.replaceChildren(left, right);
    if (focus) (box.querySelector("#ask-number") || box.querySelector("h3")).focus({ preventScroll: true });
  }

  const limit = document.getElementById("ask-budget");
  if (limit) {
    limit.addEventListener("input", () => {
      const value = limit.value.trim() === "" ? null : Number(limit.value);
      limit.setAttribute("aria-invalid", String(value !== null && !(value >= 0)));
      if (value === null || value >= 0) {
        budget = value;
        answers = [];
        draw(false);
      }
    });
  }
  draw(false);
})();
