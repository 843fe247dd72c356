// Numbers as stakes writes them in Python: two or three digits, thousands apart.
const numbers = (() => {
  "use strict";
  // What lies exactly in the middle goes to the even digit.
  const fixed = (x, digits) => {
    const below = Math.floor(x * 10 ** digits), middle = x * 10 ** digits - below === 0.5;
    if (!middle || !Number.isInteger(x * 2 ** (digits + 1))) return x.toFixed(digits);
    return ((below + (below % 2 ? 1 : 0)) / 10 ** digits).toFixed(digits);
  };
  const amount = (x) => {
    const size = Math.abs(x);
    if (!(size < 1e15) || (size > 0 && size < 0.1)) return String(Number(x.toPrecision(2)));
    if (size >= 999.5) return fixed(x, 0).replace(/\B(?=(\d{3})+$)/g, ",");
    return String(Number(fixed(x, size >= 99.95 ? 1 : 2)));
  };
  // Writes amounts of money, with the currency behind them where one is known.
  const money = (currency) => (x) => currency ? `${amount(x)}\u00a0${currency}` : amount(x);
  return { fixed, amount, money };
})();
