"""Made-up runs of made-up programs, as profiles."""

from collections import Counter

from stakes.forensics.profile import Function, Profile, Symptom


def function(name, path="app.py"):
    return Function(path, name, len(name))


def profile_of(calls, *, label=None, input=None, path="app.py", lines=(), **more):
    """Profile of calls given as nested pairs: ("main", [("read", []), ...])."""
    names, counts, trees, tree_counts = {}, Counter(), {}, Counter()

    def visit(call):
        name, below = call
        place = names.setdefault(name, len(names))
        counts[place] += 1
        tree = (place, tuple(sorted({visit(child) for child in below})))
        number = trees.setdefault(tree, len(trees))
        tree_counts[number] += 1
        return number

    for call in calls:
        visit(call)
    return Profile(
        functions=tuple(function(name, path) for name in names),
        counts=tuple(counts[place] for place in range(len(names))),
        trees=tuple(trees),
        tree_counts=tuple(tree_counts[number] for number in range(len(trees))),
        lines=tuple((names[name], line, count) for name, line, count in lines),
        label=label,
        input=input,
        interpreter="cpython 3.12",
        **{"versions": {"app.py": "sha256:1"}, "symptom": Symptom(1, "ValueError", "ValueError: it failed")}
        | more,
    )


def run(cause, number, rng, repetition=0):
    """One run of a program that fails for one of four causes.

    "locked" and "missing" differ in what open_file calls, "full" in a function of its own, "slow" in nothing
    but how often retry is called. The hot function spin says as much as cheap ones, at a hundred times the
    price. Its log is written at random.
    """
    items = rng.randint(2, 9)
    spins = {"locked": 300, "missing": 400, "full": 500, "slow": 600}[cause]
    opening = {"locked": [("check", [])], "missing": [("search", [])]}.get(
        cause, [("check", []), ("search", [])]
    )
    body = [("parse", [])] * items
    body += [("spin", [])] * spins
    body.append(("open_file", opening))
    if cause == "full":
        body.append(("measure", []))
    body += [("retry", [])] * (rng.randint(8, 12) if cause == "slow" else rng.randint(0, 3))
    # check and search are called elsewhere too, so that their counts alone say little.
    body += [("check", [])] * rng.randint(0, 4) + [("search", [])] * rng.randint(0, 4)
    body += [("log", [])] * ((number * 7 + repetition) % 5)
    lines = [("parse", 10, items), ("parse", 11, items if cause in ("locked", "full") else 0)]
    return profile_of([("main", body)], label=cause, input=f"{cause} {number}", lines=lines)


def scanned(cause, scans, *, failing=True, caller="scan", marked=False):
    """A run that scans items and stops in the last; look digs in the cause "deep", else probe does."""
    dig, nothing = [("dig", [])], []
    items = [("scan", [("look", dig if cause == "deep" else nothing)])] * scans
    items += [("probe", nothing if cause == "deep" else dig)] * scans
    items.append((caller, [("stop", [])]) if failing else ("scan", []))
    marks = [("mark", [])] if marked and cause == "deep" else []
    lines = [("scan", 4, scans + 1), ("scan", 5, int(failing and caller == "scan"))]
    calls = [("main", [("start", []), *items, *marks, ("end", [])])]
    return profile_of(calls, label=cause, input=f"{cause} {scans}", lines=lines)
