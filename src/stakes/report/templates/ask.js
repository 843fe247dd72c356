// Walks the tree of this report, one question at a time, exactly as stakes does in Python.
(() => {
  "use strict";
  const box = document.getElementById("ask-box");
  const tree = JSON.parse(document.getElementById("ask-tree").textContent);
  const shares = tree.shares || tree.values;
  const ROUNDING = 1e-12;
  const MISSING = null;
  // One entry per answer: column, encoded value, what was typed, price.
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

  // What is known, paid and needed next, after the answers so far.
  function look() {
    const values = new Map(answers.map((a) => [a.column, a.value]));
    const paid = answers.filter((a) => a.value !== MISSING).map((a) => a.column);
    const spent = answers.reduce((sum, a) => sum + a.price, 0);
    const leftOut = [];
    for (;;) {
      const where = places(values), waiting = new Map();
      for (const { node, share, waiting: open } of where) {
        if (open) waiting.set(tree.feature[node], (waiting.get(tree.feature[node]) || 0) + share);
      }
      const order = [...waiting].sort((a, b) => b[1] - a[1]);
      const state = { values, paid, spent, leftOut, where };
      if (!order.length) return state;
      const priced = order.map(([column, share]) => ({ column, share, price: price(column, paid) }));
      const next = priced.find((q) => budget === null || spent + q.price <= budget * (1 + ROUNDING));
      if (next) return { ...state, next };
      leftOut.push(priced[0]);
      values.set(priced[0].column, MISSING);
    }
  }

  // ---- in words --------------------------------------------------------------------------------------------

  const number = (x) => String(Number(x.toPrecision(7)));
  const { amount } = numbers;
  const percent = (x) => `${Math.round(100 * x)}%`;

  // What the answers to a question lead to: list of [condition, consequence].
  function outcomes(column, state) {
    const root = state.where.filter((p) => p.waiting && tree.feature[p.node] === column)
      .reduce((a, b) => (b.share > a.share ? b : a)).node;
    const { numeric, categories } = tree.columns[column];
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
      const ends = [m.low > -Infinity ? `> ${number(m.low)}` : "", m.high < Infinity ? `≤ ${number(m.high)}` : ""];
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
    answers.push({ column: question.column, value, shown, price: value === MISSING ? 0 : question.price });
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
      if (costs) row.append(make("td", { class: "n" }, `would cost ${amount(costs[k])}`));
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
    const field = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", id: "ask-number",
      "aria-labelledby": "ask-question", "aria-describedby": "ask-wrong" });
    const wrong = make("p", { id: "ask-wrong", class: "wrong", role: "alert" });
    const submit = (event) => {
      event.preventDefault();
      const text = field.value.trim().replace("−", "-");
      if (text === "" || text === "?") return give(question, MISSING, "unknown");
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || !Number.isFinite(Number(text))) {
        wrong.textContent = `A number is needed, with a point for decimals, got “${text}”.`;
        return field.focus();
      }
      return give(question, Number(text), text);
    };
    return make("form", { class: "choices", onsubmit: submit, novalidate: "" }, field,
      make("button", { type: "submit" }, "Answer"), unknown, wrong);
  }

  function bill(state) {
    const rows = answers.map((a) => make("tr", {}, make("th", { scope: "row" }, tree.columns[a.column].name),
      make("td", {}, a.shown), make("td", { class: "n" }, amount(a.price))));
    for (const missed of state.leftOut) {
      rows.push(make("tr", { class: "note" }, make("th", { scope: "row" }, tree.columns[missed.column].name),
        make("td", {}, "not asked: too costly"), make("td", { class: "n" }, `(${amount(missed.price)})`)));
    }
    const total = make("tr", {}, make("th", { scope: "row" }, "The bill"), make("td", {},
      budget === null ? "" : `of ${amount(budget)}`), make("td", { class: "n", id: "ask-total" }, amount(state.spent)));
    return make("table", { class: "bill" }, make("tbody", {}, ...rows), make("tfoot", {}, total));
  }

  function draw(focus) {
    const state = look(), left = make("div", { class: "ask-main" }), right = make("div", { class: "ask-side" });
    if (state.next) {
      const { column, share, price: cost } = state.next;
      left.append(make("p", { class: "price" }, cost ? `costs ${amount(cost)}` : tree.prices ? "free" : "",
        share < 1 - 1e-9 ? ` · ${percent(share)} of the case waits for it` : ""));
      left.append(make("h3", { id: "ask-question", tabindex: "-1" }, `${answers.length + 1}. ${tree.columns[column].name}`));
      left.append(input(state.next));
      const found = outcomes(column, state);
      const list = found.slice(0, 5).map(([condition, goal, decided]) =>
        make("li", {}, `${condition} → `, decided ? make("strong", {}, goal) : goal));
      if (found.length > 5) list.push(make("li", {}, `and ${found.length - 5} more`));
      left.append(make("p", { class: "note" }, "What the answer decides"), make("ul", { class: "decides" }, ...list));
      right.append(make("p", { class: "note" }, "So far"), chances(mixture(state.where, shares)));
    } else {
      const p = mixture(state.where, shares), label = choose(mixture(state.where, tree.values));
      const costs = expectedCosts(p);
      left.append(make("p", { class: "price" }, "The answer"),
        make("h3", { id: "ask-answer", class: "answer", tabindex: "-1" }, tree.classes[label]),
        make("p", {}, `Expected cost ${amount(costs[label])}.`), chances(p, costs, label));
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
