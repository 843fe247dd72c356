"""A model at work: fresh processes and inputs it has not seen, what users are told, and what watching costs.

    python benchmarks/clarify/deployed.py --cache FOLDER [--program pip] [--per-cause 4] [--rounds 40] [--counted FC+lines]

Learns from the runs in the cache (those of figure1.py), then starts the unmodified program on new inputs with the model watching, as
`stakes clarify run` does, also on failures that are none of the causes (others.py). CPU time is that of whole processes, watched and
not, in turns; best measured on a quiet machine. Writes results/clarify-deployed-PROGRAM.md, with "-merged" in its name where causes
were made one.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import statistics
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from others import others
from programs.collect import PROGRAMS, cases_of, collect, program_of
from programs.figure import KINDS
from programs.recorder import Case, Program, clean_environment, silenced
from programs.words import token

from stakes.forensics.host.model import ClarifyModel
from stakes.forensics.run import run
from stakes.forensics.runs import read_runs
from stakes.forensics.training import Settings, train
from stakes.forensics.validation import validate

#: Numbers of inputs that training never uses.
UNSEEN = 1000
RESULTS = Path(__file__).parents[1] / "results"


def explain(program: Program, model: ClarifyModel, case: Case, stderr: Path) -> str | None:
    """Run a case as a user would; return the cause that is told, None for "unknown"."""
    with silenced(stderr, case.cwd):
        status, verdict = run(program.command(case), model, env={**clean_environment(), **case.env})
    if verdict is None:
        raise RuntimeError(f"{case.name} did not fail: exit status {status}")
    return verdict.label


def cpu_seconds(program: Program, model: ClarifyModel | None, case: Case, stderr: Path) -> float:
    """CPU time of one run, its children included."""
    environment = {**clean_environment(), **case.env}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with silenced(stderr, case.cwd):
        if model is None:
            subprocess.run(program.command(case), env=environment, check=False)
        else:
            run(program.command(case), model, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@dataclass
class Overhead:
    """CPU seconds of whole runs, each round in a random order: alone, watched, and alone once more."""

    alone: list[float] = field(default_factory=list)
    watched: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)

    @classmethod
    def measure(
        cls, program: Program, model: ClarifyModel, case: Case, rounds: int, stderr: Path
    ) -> Overhead:
        one, rng = cls(), random.Random(0)
        for _ in range(rounds):
            turns = [(one.alone, None), (one.watched, model), (one.again, None)]
            for times, watching in rng.sample(turns, len(turns)):
                times.append(cpu_seconds(program, watching, case, stderr))
        return one

    def ratio(self, times: list[float]) -> str:
        """The median of the ratios to the runs alone, with its quartiles."""
        low, middle, high = statistics.quantiles([b / a for a, b in zip(self.alone, times, strict=True)], n=4)
        return f"{middle:.3f} (quartiles {low:.3f} and {high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder of figure1.py")
    parser.add_argument("--program", default="pip", choices=PROGRAMS)
    parser.add_argument("--inputs", type=int, default=30, help="inputs per cause to learn from")
    parser.add_argument("--per-cause", type=int, default=4, help="unseen inputs per cause to explain")
    parser.add_argument(
        "--rounds", type=int, default=40, help="rounds that CPU time is measured in; 0 for none"
    )
    parser.add_argument("--counted", default="FC+CTP", choices=KINDS, help="what the model may count")
    parser.add_argument("--merge", nargs="*", default=(), metavar="A+B", help="causes to take as one")
    parser.add_argument(
        "--max-wrong",
        type=float,
        default=0.02,
        help="share of wrong explanations that the purity is chosen by",
    )
    parser.add_argument("--python", help="interpreter of the programs; by default the newest found")
    args = parser.parse_args()
    cache, name = args.cache.resolve(), args.program
    program, cases = program_of(name, cache, args.python), cases_of(name)
    kinds = KINDS[args.counted]
    runs = read_runs(collect(name, cache, python=args.python, inputs=args.inputs)).relabel(args.merge)
    checked = validate(runs, Settings(kinds))
    settings = Settings(kinds, purity=checked.purity(args.max_wrong))
    model = train(runs, settings, texts=cases.CAUSES, program=name).model
    merged = {part: group for group in args.merge for part in group.split("+")}
    with tempfile.TemporaryDirectory() as folder:
        stderr = Path(folder) / "stderr"
        told: Counter[tuple[str, str]] = Counter()
        for label in cases.CAUSES:
            for number in range(UNSEEN, UNSEEN + args.per_cause):
                case = cases.make(label, number, Path(folder) / token(label, number))
                told[merged.get(label, label), explain(program, model, case, stderr) or "unknown"] += 1
        foreign = {
            case.label: explain(program, model, case, stderr)
            for case in others(name, Path(folder) / "others")
        }
        timed = Overhead.measure(program, model, case, args.rounds, stderr) if args.rounds else None
    target = RESULTS / f"clarify-deployed-{name}{'-merged' if args.merge else ''}.md"
    target.write_text(page(name, model, told, foreign, timed, args), encoding="utf-8")
    print(target.read_text())


def page(
    name: str,
    model: ClarifyModel,
    told: Counter,
    foreign: dict[str, str | None],
    timed: Overhead | None,
    args: argparse.Namespace,
) -> str:
    """The results as a page."""
    total = sum(told.values())
    right = sum(count for (cause, said), count in told.items() if cause == said)
    unknown = sum(count for (_, said), count in told.items() if said == "unknown")
    document = model.document
    lines = [
        f"# {name} explained in fresh processes",
        "",
        f"`benchmarks/clarify/deployed.py --program {name} --counted {args.counted}` on {document['interpreter']} ({', '.join(document['versions'].values())}),",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores. {total} runs on inputs that were not learnt from; {len(model.watched.functions)} functions",
        f"watched, {document['expected_events']:.1f} events per run. {document['purity']:.0%} of a leaf's runs must agree: the least with which at most",
        f"{args.max_wrong:.0%} of the recorded runs were explained wrongly when their inputs were left out.",
        *(f"Taken as one cause (--merge): {group.replace('+', ' and ')}." for group in args.merge),
        "",
        "| explained correctly | wrongly | unknown |",
        "|---|---|---|",
        f"| {right} of {total} ({right / total:.1%}) | {total - right - unknown} ({(total - right - unknown) / total:.1%}) | {unknown} ({unknown / total:.1%}) |",
        "",
    ]
    if timed is not None:
        alone, watched = (1000 * statistics.median(times) for times in (timed.alone, timed.watched))
        lines += [
            f"CPU time of a whole run, {args.rounds} rounds in random order: median {alone:.1f} ms alone, {watched:.1f} ms watched. Median of the",
            f"ratios watched to alone {timed.ratio(timed.watched)}; for comparison alone to alone {timed.ratio(timed.again)}.",
            "",
        ]
    mistaken = [
        f"- {cause}: told {said}, {count} times"
        for (cause, said), count in sorted(told.items())
        if said not in (cause, "unknown")
    ]
    lines += ["What was told wrongly:", "", *mistaken] if mistaken else ["Nothing was told wrongly."]
    silent = [label for label, said in foreign.items() if said is None]
    spoken = [f"- {label}: told {said}" for label, said in foreign.items() if said is not None]
    lines += [
        "",
        f'Of {len(foreign)} failures of other kinds (benchmarks/clarify/others.py) {len(silent)} were "unknown", as they should be: {", ".join(silent)}.',
        *(["", *spoken] if spoken else []),
    ]
    lines += ["", "Watched:", "", *(f"- `{feature}`" for feature in model.watch.features)]
    alike = ", ".join(f"`{feature}`" for feature in model.guard.features)
    lines += [
        "",
        f"Counted in all recorded failures alike, so that others are not explained: {alike or 'nothing'}.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
