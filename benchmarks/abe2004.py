"""Tables 2 and 3 of Abe et al. (2004): what multi-class cost-sensitive methods cost, and how many rows they learn from.

    STAKES_DATA=folder python benchmarks/abe2004.py [--runs 20] [--only NAME ...] [--seed 0]

The paper's protocol: two thirds of the rows, drawn at random, to train; costs uniform between 0 and 2000 P(predicted) / P(actual),
0 for a hit, drawn anew for each split; 30 rounds; means of 20 runs. Every method sees the same splits and costs. Finished runs
are kept in results/abe2004.tmp and not repeated; delete it to start again. Writes results/abe2004.md.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from stakes import (
    GBSE,
    GBSET,
    AverageCost,
    CostBagging,
    Costing,
    DataSpaceExpansion,
    IterativeWeighting,
    MetaCost,
    datasets,
)  # fmt: skip
from stakes.costs import abe_costs
from stakes.decision import expected_costs, min_cost_class, most_probable_class

RESULTS = Path(__file__).parent / "results"
SETS = {
    "anneal-orig": "Annealing",
    "solar-flare": "Solar flare",
    "kdd-99": "KDD-99",
    "letter": "Letter",
    "splice": "Splice",
    "satellite": "Satellite",
}
SIX = ("Bagging", "AvgCost", "MetaCost", "IW", "DSE", "GBSE")
MORE = (
    "GBSE least cost",
    "GBSE stochastic",
    "GBSE, no factor",
    "GBSE-T",
    "Costing",
    "MetaCost, leaf shares",
    "MetaCost relearnt",
    "best constant",
)
#: Table 2 of the paper, mean cost of SIX.
PAPER_COST = {
    "Annealing": (1059, 127.4, 206.8, 67.38, 127.1, 33.72),
    "Solar flare": (5403, 237.8, 5317, 174.2, 110.9, 48.17),
    "KDD-99": (319.4, 42.43, 49.39, 50.43, 46.68, 1.69),
    "Letter": (151.0, 91.90, 129.6, 247.7, 114.0, 84.63),
    "Splice": (64.19, 60.78, 49.95, 67.26, 135.5, 57.50),
    "Satellite": (189.9, 107.8, 104.4, 140.1, 116.8, 93.05),
}
#: Table 3 of the paper, rows used in 30 rounds; none for IW.
PAPER_SIZE = {
    "Annealing": (11991, 1002.8, 11987, None, 3795.5, 1260.2),
    "Solar flare": (18499, 334.8, 18510, None, 2112.8, 486.45),
    "KDD-99": (395310, 2551.9, 395580, None, 12512, 4181),
    "Letter": (40037, 159720, 40052, None, 479130, 363001),
    "Splice": (42515, 33658, 42501, None, 52123, 50284),
    "Satellite": (86136, 60876, 85984, None, 218870, 140810),
}
#: Factors of the probability to be drawn that the paper's Table 3 implies; 2/3 for bagging and 1 for others where nothing
#: is said here.
SHARES = {
    "KDD-99": {"Bagging": 0.1},
    "Letter": {"Bagging": 0.1, "AvgCost": 0.5, "DSE": 0.1, "GBSE": 0.1, "IW": 0.1, "Costing": 0.1},
}


def load(name, seed):
    """The rows of the paper: no class of a single row; of KDD-99 40 %."""
    table, _ = datasets.load_table(name)
    rows = np.flatnonzero(np.bincount(table.y)[table.y] > 1)
    if name == "kdd-99":
        rows = np.sort(np.random.default_rng(seed).choice(rows, 197_710, replace=False))
    table = table.take(rows)
    return table, table.labels()


def split(labels, rng):
    """Two thirds and one third at random, drawn again where a class would be missing from the first."""
    while True:
        order = rng.permutation(len(labels))
        train, test = np.sort(order[: 2 * len(labels) // 3]), np.sort(order[2 * len(labels) // 3 :])
        if len(np.unique(labels[train])) == len(np.unique(labels)):
            return train, test


def run(title, table, labels, seed):
    """Cost, sample size and seconds of each method on one split."""
    rng = np.random.default_rng(seed)
    train, test = split(labels, rng)
    classes, counts = np.unique(labels[train], return_counts=True)
    costs = abe_costs(classes, counts, rng)
    bill = costs.values[costs.codes(labels[test])]
    learn, X, y = table.take(train), table.take(test), labels[train]
    found = {}

    def bought(codes):
        return float(bill[np.arange(len(bill)), codes].mean())

    def fitted(name, cls, share=None, **settings):
        factor = SHARES.get(title, {}).get(share or name)
        begin = time.process_time()
        model = cls(cost_matrix=costs, max_samples=factor, random_state=seed, **settings).fit(learn, y)
        seconds = time.process_time() - begin
        shares = model.predict_proba(X)
        found[name] = (bought(model._choose(shares)), sum(model.sample_counts_), seconds)
        return shares

    bagged = fitted("MetaCost", CostBagging, "Bagging", use_proba=False)
    found["Bagging"] = (bought(most_probable_class(bagged)), *found["MetaCost"][1:])
    fitted("AvgCost", AverageCost)
    fitted("IW", IterativeWeighting)
    fitted("DSE", DataSpaceExpansion)
    mixture = fitted("GBSE", GBSE)
    _, size, seconds = found["GBSE"]
    cheapest = min_cost_class(expected_costs(mixture, costs.values))
    found["GBSE least cost"] = (bought(cheapest), size, seconds)
    found["GBSE stochastic"] = (float((mixture * bill).sum(axis=1).mean()), size, seconds)
    if "GBSE" in SHARES.get(title, {}):
        fitted("GBSE, no factor", GBSE)
    else:
        found["GBSE, no factor"] = found["GBSE"]
    fitted("GBSE-T", GBSET, "GBSE")
    fitted("Costing", Costing)
    fitted("MetaCost, leaf shares", CostBagging, "Bagging")
    fitted("MetaCost relearnt", MetaCost, "Bagging")
    constant = int(costs.values[costs.codes(y)].sum(axis=0).argmin())
    found["best constant"] = (bought(constant), 0, 0.0)
    return found


def finished(path):
    """Runs of earlier calls, by data set and seed."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {(unit["set"], unit["seed"]): unit["found"] for unit in map(json.loads, lines)}


def measure(options):
    path = RESULTS / "abe2004.tmp"
    done = finished(path)
    for name, title in SETS.items():
        missing = [
            seed for seed in range(options.seed, options.seed + options.runs) if (title, seed) not in done
        ]
        if not missing or (options.only and name not in options.only):
            continue
        table, labels = load(name, options.seed)
        for seed in missing:
            found = run(title, table, labels, seed)
            with path.open("a") as file:
                file.write(json.dumps({"set": title, "seed": seed, "found": found}) + "\n")
            print(title, seed, {method: round(cost, 2) for method, (cost, *_) in found.items()}, flush=True)
    return finished(path)


def stacked(units, title, methods):
    """Array of shape (runs, methods, 3): cost, size and seconds."""
    of_title = [found for (name, _), found in units.items() if name == title]
    return np.array([[found[m] for m in methods] for found in of_title if set(methods) <= set(found)])


def figure(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"


def mean_and_error(values):
    error = f" ± {figure(values.std(ddof=1) / np.sqrt(len(values)))}" if len(values) > 1 else ""
    return figure(values.mean()) + error


def margin(units, title):
    """GBSE's cost less that of the cheapest other of the six, run by run."""
    cost = stacked(units, title, SIX)[:, :, 0]
    rival = int(cost[:, :-1].mean(axis=0).argmin())
    return f"{title} {mean_and_error(cost[:, -1] - cost[:, rival])} ({SIX[rival]})"


def cost_table(units, titles, methods):
    lines = ["| data set | runs | " + " | ".join(methods) + " |", "|---" * (len(methods) + 2) + "|"]
    for title in titles:
        cost = stacked(units, title, methods)[:, :, 0]
        cells = [mean_and_error(column) for column in cost.T]
        lines.append(f"| {title} | {len(cost)} | " + " | ".join(cells) + " |")
        if methods == SIX:
            lines.append("| (paper) | 20 | " + " | ".join(figure(v) for v in PAPER_COST[title]) + " |")
    return "\n".join(lines)


def size_table(units, titles):
    methods = ("Bagging", "AvgCost", "DSE", "GBSE", "IW")
    lines = ["| data set | " + " | ".join(methods) + " |", "|---" * (len(methods) + 1) + "|"]
    for title in titles:
        size = stacked(units, title, methods)[:, :, 1].mean(axis=0)
        paper = dict(zip(SIX, PAPER_SIZE[title], strict=True))
        cells = [
            f"{s:.0f}" + (f" ({paper[m]:.0f}, ratio {s / paper[m]:.2f})" if paper[m] else "")
            for m, s in zip(methods, size, strict=True)
        ]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ranks(units, titles, gbse):
    """Place of one of the GBSE columns among the six, per data set."""
    places = {}
    for title in titles:
        means = stacked(units, title, (*SIX[:-1], gbse))[:, :, 0].mean(axis=0)
        places[title] = int((means < means[-1]).sum()) + 1
    return places


def claims(units, titles):
    """What the paper says, and whether it holds here."""
    mean = {
        title: dict(zip(SIX + MORE, stacked(units, title, SIX + MORE)[:, :, 0].mean(axis=0), strict=True))
        for title in titles
    }
    place = ranks(units, titles, "GBSE")
    best = [title for title in titles if place[title] == 1]
    skewed = [title for title in titles if title in ("Annealing", "Solar flare", "KDD-99")]
    sizes = stacked_sizes(units, titles)

    def says(holds):
        return "yes" if holds else "no"

    def where(holds):
        names = [title for title in titles if holds(mean[title])]
        return f"{len(names)} of {len(titles)}" + (f" ({', '.join(names)})" if names else "")

    rows = [
        ("GBSE is the cheapest of the six everywhere but on Splice, where it is second", f"cheapest on {len(best)} of "
         f"{len(titles)} ({', '.join(best)}); places {', '.join(f'{t} {p}' for t, p in place.items())}"),
        ("(the same) GBSE less the cheapest other of the six, run by run", "; ".join(margin(units, t) for t in titles)),
        ("GBSE is the cheapest of the paper's own methods (IW, DSE, GBSE)",
         where(lambda m: m["GBSE"] < min(m["IW"], m["DSE"]))),
        ("GBSE is cheaper than MetaCost and AvgCost on Annealing and KDD-99",
         says(all(mean[t]["GBSE"] < min(mean[t]["MetaCost"], mean[t]["AvgCost"])
                  for t in ("Annealing", "KDD-99") if t in mean))),
        ("on skewed sets the weighting methods need far fewer rows than bagging",
         says(all(sizes[t]["GBSE"] < sizes[t]["Bagging"] / 5 for t in skewed))),
        ("(asked here) GBSE is first or second of the six on at least four sets",
         f"argmax: {sum(p <= 2 for p in place.values())} of {len(titles)}; least expected cost: "
         f"{sum(p <= 2 for p in ranks(units, titles, 'GBSE least cost').values())} of {len(titles)}"),
        ("(not in the paper) GBSE beats the best constant", where(lambda m: m["GBSE"] < m["best constant"])),
        ("(not in the paper) GBSE beats MetaCost by leaf shares",
         where(lambda m: m["GBSE"] < m["MetaCost, leaf shares"])),
    ]  # fmt: skip
    return "\n".join(["| claim | here |", "|---|---|", *(f"| {claim} | {found} |" for claim, found in rows)])


def stacked_sizes(units, titles):
    return {t: dict(zip(SIX, stacked(units, t, SIX)[:, :, 1].mean(axis=0), strict=True)) for t in titles}


def page(units):
    titles = [title for title in SETS.values() if len(stacked(units, title, SIX))]
    seconds = sum(entry[2] for found in units.values() for entry in found.values())
    return f"""# Abe et al. 2004, Tables 2 and 3

Mean cost per test row and standard error; a new split (two thirds to train) and a new cost matrix per run, 30 rounds, C4.5 as
the component, rejection sampling. All methods see the same splits and costs. {seconds / 60:.0f} minutes of processor time for
fitting in all.

## Table 2

Bagging, AvgCost, IW, DSE and GBSE predict the class with the largest share of the mixture. MetaCost predicts the class of least
expected cost without learning again, as in the paper.

{cost_table(units, titles, SIX)}

More columns, same splits:

{cost_table(units, titles, MORE)}

## Table 3

Rows, or pairs of a row and a class, that the components learnt from in 30 rounds (paper, ratio). MetaCost has Bagging's.

{size_table(units, titles)}

## What holds

{claims(units, titles)}

- The sizes say how the paper sampled. Bagging took two thirds of the rows, but a tenth on Letter and KDD-99; on Letter DSE and
  GBSE took a tenth of what the weights give, AvgCost a half. These factors (`max_samples`) are used here, and a tenth for IW.
- The paper's MetaCost seems to have taken class probabilities from votes. On Solar flare pruned trees mostly vote for one class,
  and its 5317 next to bagging's 5403 is what votes give here too. By the leaves' class shares ("MetaCost, leaf shares") it is far
  cheaper on the three skewed sets; see the last line of the table for the rest.
- On those three a constant is hard to beat. The published 33.72 (Annealing), 48.17 (Solar flare) and 1.69 (KDD-99) of GBSE are
  near or above it.
- "GBSE least cost" takes the mixture's shares for probabilities. That is safe on skewed sets, where it mostly ends as the best
  constant, and dear on the others, where the costs count twice. "GBSE stochastic" is the expected cost of drawing the answer
  from the mixture, which the theory speaks of.
- "GBSE, no factor" is GBSE with all that the weights give, also on Letter. There the paper's sample sizes do not give the paper's
  costs of GBSE and DSE; ten times the rows do nearly, for GBSE.
- "MetaCost relearnt" is Domingos' method: one tree on all rows, relabelled.
- Annealing has its missing values as missing; Solar flare is without its one row of an eighth class; KDD-99 is one sample of
  197,710 rows. A split that leaves a class without training rows is drawn again, since the cost model divides by its share.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=SETS, help="data sets to run; all are reported")
    text = page(measure(parser.parse_args()))
    (RESULTS / "abe2004.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
