"""pip: "No matching distribution found", for ten reasons, from an index in a folder."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

from .recorder import Case
from .words import names

SYMPTOM = "No matching distribution found"
PACKAGES = ("pip==24.3.1",)
TARGET = "module:pip"
SCRIPT = ""
PRELOAD = (
    "pip._internal.cli.main",
    "pip._internal.commands.download",
    "pip._vendor.truststore",
    "argparse",
    "pip._vendor.distro",
    "pip._internal.metadata.importlib",
    "pip._internal.metadata.pkg_resources",
    "pip._internal.resolution.resolvelib.resolver",
    "netrc",
)

_Links = list[tuple[str, dict[str, str]]]

CAUSES = {
    "no-such-project": "The index has no project of this name. Check the spelling, or the index URL.",
    "other-python": "There are wheels, but only for other versions of Python. Use one that they are built for.",
    "other-platform": "There are wheels, but only for other platforms. Look for a source distribution or build it.",
    "requires-python": "Your Python is outside Requires-Python. Try another version of Python or of the package.",
    "only-binary": "There are only source distributions, and --only-binary forbids them.",
    "no-binary": "There are only wheels, and --no-binary forbids them.",
    "no-such-version": "The project exists, but the version you pinned was not published.",
    "only-pre-releases": "Only pre-releases match. Pass --pre to accept them.",
    "only-yanked": "All matching releases were yanked by their authors. Pin one exactly to take it anyway.",
    "bad-file-names": "No file name on the project's page is that of a distribution. The index is broken.",
}


def make(label: str, number: int, folder: Path) -> Case:
    """Write an index and return a call of pip that fails for the reason named."""
    rng = random.Random(f"pip {label} {number}")
    folder.mkdir(parents=True, exist_ok=True)
    wanted, *others = names(rng, rng.randint(2, 6), "-")
    fine = others[: rng.choice((0, 0, 1, 1, 2))]
    for other in others:
        _page(
            folder,
            other,
            [(_wheel(folder, other, version), {}) for version in _versions(rng, rng.randint(1, 4))],
        )
    links, requirement, options = _CAUSES[label](rng, wanted)
    if label != "no-such-project":
        rng.shuffle(links)
        _page(folder, wanted, links)
    if rng.random() < 0.3:
        options = [
            *options,
            *rng.choice((["--prefer-binary"], ["--no-deps"], ["--timeout", "9"], ["--retries", "1"])),
        ]
    argv = [
        "download",
        "--no-cache-dir",
        "--disable-pip-version-check",
        "-q",
        "-d",
        str(folder / "got"),
        *options,
    ]
    index = ["--index-url", (folder / "simple").as_uri()]
    return Case(f"pip {label} {number}", label, [*argv, *index, *fine, requirement], str(folder))


def _versions(rng: random.Random, n: int) -> list[str]:
    """Different final versions, in order."""
    found = {(rng.randint(0, 6), rng.randint(0, 20), rng.choice((None, rng.randint(0, 9)))) for _ in range(n)}
    return [".".join(str(part) for part in version if part is not None) for version in sorted(found, key=str)]


def _page(folder: Path, project: str, links: _Links) -> None:
    page = folder / "simple" / project
    page.mkdir(parents=True, exist_ok=True)
    lines = []
    for file, attributes in links:
        extra = "".join(f' data-{key}="{value}"' for key, value in attributes.items())
        lines.append(f'<a href="../../files/{file}"{extra}>{file}</a><br/>')
    text = "\n".join(["<!DOCTYPE html>", "<html><body>", *lines, "</body></html>"])
    (page / "index.html").write_text(text, encoding="utf-8")


def _wheel(folder: Path, project: str, version: str) -> str:
    base = f"{project.replace('-', '_')}-{version}"
    path = folder / "files" / f"{base}-py3-none-any.whl"
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            f"{base}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{base}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{base}.dist-info/RECORD", "")
    return path.name


def _wheels(rng: random.Random, project: str, tags: list[str], n: int, **attributes: str) -> _Links:
    base = project.replace("-", "_")
    return [(f"{base}-{version}-{rng.choice(tags)}.whl", dict(attributes)) for version in _versions(rng, n)]


def _sdists(rng: random.Random, project: str, n: int, **attributes: str) -> _Links:
    ending = rng.choice((".tar.gz", ".zip", ".tar.gz"))
    return [(f"{project}-{version}{ending}", dict(attributes)) for version in _versions(rng, n)]


def _many(rng: random.Random) -> int:
    return rng.randint(1, 14)


def _asked(rng: random.Random, project: str) -> str:
    return project + rng.choice(("", "", ">=0", ">=0.0.0", "!=99", "<1000"))


def _no_such_project(rng, project):
    return [], _asked(rng, project), []


def _other_python(rng, project):
    tags = [
        "cp27-cp27mu-manylinux1_x86_64",
        "cp36-cp36m-manylinux1_x86_64",
        "cp37-cp37m-linux_x86_64",
        "py2-none-any",
    ]
    return _wheels(rng, project, tags, _many(rng)), _asked(rng, project), []


def _other_platform(rng, project):
    tags = ["win_amd64", "win32", "macosx_11_0_arm64", "macosx_10_9_x86_64", "manylinux2014_s390x"]
    tags = [f"{python}-{python}-{tag}" for tag in tags for python in ("cp311", "cp312", "cp313")]
    tags += [f"py3-none-{tag}" for tag in ("win_amd64", "macosx_11_0_arm64")]
    return _wheels(rng, project, tags, _many(rng)), _asked(rng, project), []


def _requires_python(rng, project):
    limits = ["&lt;3.8", "&gt;=4", "&lt;3", "&gt;=2.7,&lt;3.6", "&gt;=3.50"]
    kind = rng.random()
    found: _Links = []
    for one in range(_many(rng)):
        make_links = _sdists if kind < 0.3 or (kind < 0.6 and one % 2) else _plain_wheels
        found += make_links(rng, project, 1, **{"requires-python": rng.choice(limits)})
    return found, _asked(rng, project), []


def _plain_wheels(rng, project, n, **attributes):
    return _wheels(rng, project, ["py3-none-any", "py2.py3-none-any"], n, **attributes)


def _only_binary(rng, project):
    return (
        _sdists(rng, project, _many(rng)),
        _asked(rng, project),
        ["--only-binary", rng.choice((":all:", project))],
    )


def _no_binary(rng, project):
    return _plain_wheels(rng, project, _many(rng)), _asked(rng, project), ["--no-binary", project]


def _no_such_version(rng, project):
    n, kind = _many(rng), rng.random()
    links = _plain_wheels(rng, project, n) if kind < 0.6 else _sdists(rng, project, n)
    if kind > 0.8:
        links += _plain_wheels(rng, project, 2)
    return links, project + rng.choice(("==9.9.1", "==7.0", ">=8", "==8.*", "~=9.1")), []


def _only_pre_releases(rng, project):
    n, kind = _many(rng), rng.choice(("a", "b", "rc", ".dev"))
    target = rng.randint(7, 9)
    pre = [f"{target}.{minor}{kind}{rng.randint(1, 6)}" for minor in range(1 + n // 3)]
    base = project.replace("-", "_")
    links: _Links = [(f"{base}-{version}-py3-none-any.whl", {}) for version in pre]
    if rng.random() < 0.5:
        links += _plain_wheels(rng, project, rng.randint(1, 8))
    return links, f"{project}{rng.choice(('==', '>='))}{target}.{n // 3}", []


def _only_yanked(rng, project):
    n = _many(rng)
    make_links = _plain_wheels if rng.random() < 0.6 else _sdists
    return (
        make_links(rng, project, n, yanked=rng.choice(("", "broken", "wrong files"))),
        _asked(rng, project),
        [],
    )


def _bad_file_names(rng, project):
    base = project.replace("-", "_")
    shapes = [
        "{b}-{v}.whl",
        "{b}.tar.gz",
        "{b}-{v}.rpm",
        "{b}-{v}.exe",
        "{b}-{v}.egg",
        "{b}-{v}-py3.whl",
        "{b}_{v}.deb",
        "v{v}.zip",
        "{b}-{v}.tar.gz.asc",
    ]
    links: _Links = [
        (rng.choice(shapes).format(b=base, v=version), {}) for version in _versions(rng, _many(rng))
    ]
    return links, _asked(rng, project), []


_CAUSES = {
    "no-such-project": _no_such_project,
    "other-python": _other_python,
    "other-platform": _other_platform,
    "requires-python": _requires_python,
    "only-binary": _only_binary,
    "no-binary": _no_binary,
    "no-such-version": _no_such_version,
    "only-pre-releases": _only_pre_releases,
    "only-yanked": _only_yanked,
    "bad-file-names": _bad_file_names,
}
