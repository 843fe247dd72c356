// Moves the ratio of the costs: threshold, confusion matrix and bill follow. The same sums as stakes.report.ratio.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("ratio-data").textContent);
  const slider = document.getElementById("ratio");
  const marks = document.querySelectorAll(".ratio-mark");
  const [negatives, positives] = data.rows;
  const [rightNegative, alarm, rightPositive] = data.costs;
  const { fixed, amount } = numbers, money = numbers.money(data.currency);
  const put = (name, text) => {
    document.getElementById(`ratio-${name}`).textContent = text;
  };

  function counts(alarms, found, [negative, positive]) {
    return [[negatives - alarms - negative, alarms], [positives - found - positive, found]];
  }

  function bill(table, costs, [negative, positive]) {
    const mistakes = table.reduce((sum, row, i) => sum + row.reduce((part, n, j) => part + n * costs[i][j], 0), 0);
    return mistakes + data.tests + data.abstain * (negative + positive);
  }

  function show(place) {
    const ratio = data.ratios[place], rows = negatives + positives;
    const costs = [[rightNegative, alarm], [data.missed[place], rightPositive]];
    const undecided = data.undecided[place];
    const table = counts(data.alarms[place], data.found[place], undecided);
    const total = bill(table, costs, undecided);
    const own = bill(counts(...data.own, data.ownUndecided), costs, data.ownUndecided);
    const never = negatives * rightNegative + positives * data.missed[place];
    const always = negatives * alarm + positives * rightPositive;
    const constant = Math.min(never, always);
    put("value", `${amount(ratio)} : 1`);
    slider.setAttribute("aria-valuetext", `${amount(ratio)} to 1`);
    put("threshold", fixed(1 / (1 + ratio), 3));
    put("total", money(total));
    put("mean", money(total / rows));
    put("own", money(own));
    put("constant", money(constant));
    put("constant-label", data.labels[never <= always ? 0 : 1]);
    put("saved", constant > 0 ? `${Math.round(100 * (1 - total / constant))}%` : "–");
    const most = Math.max(...table.flatMap((row, i) => row.map((n, j) => n * costs[i][j])));
    for (const i of [0, 1]) {
      for (const j of [0, 1]) {
        const spent = table[i][j] * costs[i][j];
        put(`n${i}${j}`, amount(table[i][j]));
        put(`c${i}${j}`, `× ${amount(costs[i][j])} = ${amount(spent)}`);
        const heat = most > 0 && spent > 0 ? Math.round((100 * spent) / most) : 0;
        document.getElementById(`ratio-n${i}${j}`).parentElement.style.setProperty("--heat", `${heat}%`);
      }
    }
    const part = Math.log(ratio / data.ratios[0]) / Math.log(data.ratios.at(-1) / data.ratios[0]);
    for (const mark of marks) {
      const left = Number(mark.dataset.left), right = Number(mark.dataset.right);
      mark.setAttribute("transform", `translate(${(left + (right - left) * part).toFixed(1)} 0)`);
    }
  }

  slider.addEventListener("input", () => show(slider.valueAsNumber));
  const back = document.getElementById("ratio-back");
  back.addEventListener("click", () => {
    slider.value = String(data.start);
    show(data.start);
  });
  // A browser that is sent back may have kept the slider where it was.
  if (slider.valueAsNumber !== data.start) show(slider.valueAsNumber);
  for (const control of document.querySelectorAll(".ratio-control")) control.hidden = false;
})();
