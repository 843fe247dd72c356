"""Data sets by name: where they are found, what comes with them, and the waveform model."""

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from stakes import datasets
from stakes.datasets import load, names, waveform
from stakes.table import Table

DATA = os.environ.get("STAKES_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="STAKES_DATA names no folder of data sets")


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("STAKES_DATA", raising=False)


@pytest.fixture
def offline(monkeypatch):
    """OpenML does not answer."""

    def refuse(**_):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)


def test_german_credit_is_in_the_package(no_folder, offline):
    german = load("german")
    assert german.name == "credit-g"
    assert german.X.shape == (1000, 20)
    assert (german.X.dtypes == "category").sum() == 13
    assert german.classes.tolist() == ["good", "bad"]
    assert {label: int((german.y == label).sum()) for label in german.classes} == {"good": 700, "bad": 300}
    assert german.X.credit_amount.iloc[0] == 1169
    assert german.X.checking_status.cat.categories.tolist() == ["<0", "0<=X<200", ">=200", "no_checking"]
    assert "1000 rows, 20 columns, 2 classes, published costs" in repr(german)
    # Rows are the actual class: a bad loan taken for good costs 5.
    good, bad = 0, 1
    assert german.cost_matrix.values[bad, good] == 5
    assert german.cost_matrix.values[good, bad] == 1
    assert list(german.cost_matrix.classes) == ["good", "bad"]


def test_attribution_lies_beside_the_bundled_file():
    folder = Path(datasets.__file__).parent / "data"
    text = (folder / "README.md").read_text()
    assert all(word in text for word in ("Hofmann", "10.24432/C5NC77", "CC BY 4.0"))
    # Written without a time stamp, so that the same data gives the same bytes.
    assert (folder / "credit-g.arff.gz").read_bytes()[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize("name", ["German", " credit-g ", "CREDIT_G", "german credit", "credit-g."])
def test_spellings(name):
    assert load(name).name == "credit-g"


def test_the_folder_is_searched_by_alias_and_suffix(tmp_path, monkeypatch, offline):
    monkeypatch.setenv("STAKES_DATA", str(tmp_path))
    text = (
        "@relation h\n@attribute a numeric\n@attribute class {present,absent}\n@data\n1,absent\n2,present\n"
    )
    (tmp_path / "heart-statlog.arff").write_text(text)
    (tmp_path / "own.arff.gz").write_bytes(gzip.compress(text.encode()))
    heart = load("heart_s")
    assert heart.classes.tolist() == ["present", "absent"]
    # The published matrix follows the order that this file declares.
    assert heart.cost_matrix.values.tolist() == [[0, 5], [1, 0]]
    assert load("own").cost_matrix is None
    assert load("own").y.tolist() == ["absent", "present"]
    assert names()["own"].endswith("own.arff.gz")
    assert names()["heart-statlog"].endswith("heart-statlog.arff")
    assert names()["credit-g"] == "package"
    assert names()["iris"] == "OpenML id 61"


def test_the_package_comes_before_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STAKES_DATA", str(tmp_path))
    (tmp_path / "credit-g.arff").write_text("@relation r\n@attribute class {a}\n@data\na\n")
    assert len(load("credit-g").X) == 1000


def iris_like(n_rows=150):
    X = pd.DataFrame(np.zeros((n_rows, 4)), columns=list("abcd"))
    y = pd.Series(pd.Categorical(["v"] * n_rows, categories=["u", "v"]), name="class")
    return Bunch(data=X, target=y)


def test_openml_is_asked_by_id_and_checked(no_folder, monkeypatch):
    asked = []

    def fetch(data_id, **_):
        asked.append(data_id)
        return iris_like()

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    iris = load("iris")
    assert asked == [61]
    assert iris.X.shape == (150, 4)
    assert iris.classes.tolist() == ["u", "v"]
    assert set(iris.y) == {"v"}
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: iris_like(149))
    with pytest.raises(ValueError, match="must have 150 rows and 4 columns, got 149 and 4"):
        load("iris")


def test_offline_says_what_was_tried(no_folder, offline):
    with pytest.raises(
        ValueError, match=r"'iris' is not available.*STAKES_DATA is not set.*id 61.*OSError: no network"
    ):
        load("iris")


BAD_NAMES = [
    (
        "no-such-set",
        ValueError,
        "no-such-set.arff.gz in the package.*the known names are .*'credit-g'",
    ),
    ("../credit-g", ValueError, "a name, not a path"),
    ("/etc/passwd", ValueError, "a name, not a path"),
    ("", ValueError, "must be letters"),
    (".", ValueError, "must be letters"),
    (3, TypeError, "name must be a string, got int"),
    (None, TypeError, "name must be a string"),
    (Path("iris"), TypeError, "name must be a string"),
]


@pytest.mark.parametrize(("name", "error", "sentence"), BAD_NAMES)
def test_bad_names(no_folder, offline, name, error, sentence):
    with pytest.raises(error, match=sentence):
        load(name)


def test_a_file_without_a_class(tmp_path, monkeypatch):
    monkeypatch.setenv("STAKES_DATA", str(tmp_path))
    (tmp_path / "plain.arff").write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    with pytest.raises(ValueError, match="'plain' must have an attribute named class"):
        load("plain")


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'stakes\[data\]'"):
        Table.from_data(np.eye(2)).to_frame()


def base_wave(i, peak):
    return max(6 - abs(i - peak), 0)


@pytest.mark.parametrize("n_features", [21, 40])
def test_waveform_moments(n_features):
    drawn = waveform(30_000, n_features=n_features, random_state=0)
    assert drawn.X.shape == (30_000, n_features)
    assert drawn.X.columns[0] == "x1"
    peaks = {"0": (7, 15), "1": (7, 11), "2": (15, 11)}
    for label, (first, second) in peaks.items():
        part = drawn.X.to_numpy()[drawn.y == label]
        assert len(part) / 30_000 == pytest.approx(1 / 3, abs=0.02)
        a = np.array([base_wave(i, first) if i <= 21 else 0 for i in range(1, n_features + 1)])
        b = np.array([base_wave(i, second) if i <= 21 else 0 for i in range(1, n_features + 1)])
        # u is uniform: mean 1/2, variance 1/12; the noise adds 1.
        np.testing.assert_allclose(part.mean(axis=0), (a + b) / 2, atol=0.1)
        np.testing.assert_allclose(part.var(axis=0), 1 + (a - b) ** 2 / 12, rtol=0.12)


def test_waveform_depends_on_the_seed_only():
    a, b, c = (waveform(50, random_state=seed) for seed in (1, 1, 2))
    assert a.X.equals(b.X)
    assert (a.y == b.y).all()
    assert not a.X.equals(c.X)


@pytest.mark.parametrize(
    "arguments", [{"n_samples": 0}, {"n_samples": 1.5}, {"n_samples": True}, {"n_features": 22}]
)
def test_waveform_refuses(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        waveform(**arguments)


@needs_data
@pytest.mark.parametrize("alias", sorted(datasets.ALIASES))
def test_every_alias_is_a_file(alias):
    assert datasets._find(Path(DATA), datasets._resolve(alias)) is not None


@needs_data
def test_published_costs_fit_their_files():
    for name in ("heart-statlog", "kddcup99-test-5c"):
        loaded = load(name)
        assert list(loaded.cost_matrix.classes) == loaded.classes.tolist()
    assert loaded.cost_matrix.values[4].tolist() == [4, 2, 2, 2, 0]


@needs_data
def test_pinned_shapes_agree_with_the_files():
    manifest = pd.read_csv(Path(DATA, "MANIFEST.csv")).set_index("name")
    for name, (_, n_rows, n_columns) in datasets.OPENML.items():
        assert (manifest.rows[name], manifest.attributes[name]) == (n_rows, n_columns), name


@needs_data
def test_the_bundled_file_is_the_same_data():
    from stakes.table import read_table

    ours = read_table(Path(datasets.__file__).parent / "data" / "credit-g.arff.gz")
    theirs = read_table(Path(DATA, "credit-g.arff.gz"))
    assert ours.schema == theirs.schema
    assert all(np.array_equal(a, b) for a, b in zip([*ours.columns, ours.y], [*theirs.columns, theirs.y]))


# What OpenML's catalogue calls its sets: a number that is off by one names other data.
OPENML_NAMES = {
    4: "labor", 6: "letter", 7: "audiology", 11: "balance-scale", 13: "breast-cancer", 15: "breast-w",
    21: "car", 23: "cmc", 24: "mushroom", 25: "colic", 29: "credit-approval", 30: "page-blocks",
    31: "credit-g", 36: "segment", 37: "diabetes", 40: "sonar", 41: "glass", 42: "soybean", 44: "spambase",
    51: "heart-h", 53: "heart-statlog", 54: "vehicle", 55: "hepatitis", 56: "vote", 57: "hypothyroid",
    59: "ionosphere", 60: "waveform-5000", 61: "iris", 187: "wine", 1590: "adult",
}  # fmt: skip
OTHER_NAMES = {
    "credit-a": "credit-approval",
    "heart-hungarian": "heart-h",
    "horse-colic": "colic",
    "hypothyroid-4c": "hypothyroid",
    "soybean-large": "soybean",
    "waveform-40": "waveform-5000",
}


def test_openml_numbers_are_those_of_its_catalogue():
    called = {name: OPENML_NAMES.get(number) for name, (number, _, _) in datasets.OPENML.items()}
    assert called == {name: OTHER_NAMES.get(name, name) for name in datasets.OPENML}


def test_published_costs_of_the_intrusions():
    # The scoring table of the KDD Cup 1999: normal, probe, DoS, U2R, R2L, rows actual.
    classes = ["r2l", "u2r", "dos", "probe", "normal"]
    for name in ("kddcup99-10pct-5c", "kddcup99-test-5c"):
        costs = datasets._published_costs(name, np.array(classes))
        assert costs.values[::-1, ::-1].tolist() == [
            [0, 1, 2, 2, 2],
            [1, 0, 2, 2, 2],
            [2, 1, 0, 2, 2],
            [3, 2, 2, 0, 2],
            [4, 2, 2, 2, 0],
        ]
        assert costs.values.dtype == np.float64
    assert datasets._published_costs("iris", np.array(["a"])) is None


def test_waveforms_row_by_row():
    drawn = waveform(6, n_features=40, random_state=4)
    rng = np.random.RandomState(4)
    codes, share, noise = rng.randint(3, size=6), rng.uniform(size=(6, 1)), rng.normal(size=(6, 40))
    peaks = [(7, 15), (7, 11), (15, 11)]
    for row, (code, u) in enumerate(zip(codes, share[:, 0])):
        first, second = peaks[code]
        waves = [u * base_wave(i, first) + (1 - u) * base_wave(i, second) for i in range(1, 22)]
        np.testing.assert_allclose(drawn.X.iloc[row], noise[row] + [*waves, *[0] * 19])
    assert drawn.y.tolist() == [str(code) for code in codes] and drawn.classes.tolist() == ["0", "1", "2"]
    assert list(drawn.X.columns) == [f"x{j}" for j in range(1, 41)]
    assert drawn.name == "waveform-40" and drawn.cost_matrix is None
    assert drawn.description == "6 rows drawn from Breiman's waveform model"
    assert repr(drawn) == "Dataset('waveform-40': 6 rows, 40 columns, 3 classes, no published costs)"
    assert waveform(1, random_state=np.random.RandomState(0)).X.shape == (1, 21)
    assert waveform(random_state=0).X.shape == (5000, 21)


def test_openml_sets_as_tables(no_folder, monkeypatch):
    asked = {}

    def fetch(**options):
        asked.update(options)
        return Bunch(data=iris_like().data, target=pd.Series([2, 10, 2] * 50, name="kind"))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    table, costs = datasets.load_table("iris")
    assert asked == {"data_id": 61, "as_frame": True, "parser": "auto"} and costs is None
    assert table.classes.tolist() == ["2", "10"] and table.y.tolist() == [0, 1, 0] * 50
    assert table.y.dtype == np.int32 and table.shape == (150, 4)
    found = load("iris")
    assert found.description == "iris: 150 rows, 4 columns, from OpenML, id 61."
    assert found.y.tolist() == ["2", "10", "2"] * 50


def test_a_compressed_file_comes_before_a_plain_one(tmp_path, monkeypatch):
    monkeypatch.setenv("STAKES_DATA", str(tmp_path))
    text = "@relation r\n@attribute a numeric\n@attribute class {u,v}\n@data\n1,v\n"
    (tmp_path / "own.arff").write_text(text)
    (tmp_path / "own.arff.gz").write_bytes(gzip.compress((text + "2,u\n").encode()))
    assert load("own").description == "own: 2 rows, 1 columns, read from own.arff.gz."
    assert names()["own"] == str(tmp_path / "own.arff.gz") and list(names()) == sorted(names())
    table, costs = datasets.load_table("own")
    assert table.labels().tolist() == ["v", "u"] and costs is None
    (tmp_path / "plain.arff").write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    with pytest.raises(ValueError, match="the file of data set 'plain' must have an attribute named class"):
        datasets.load_table("plain")
    monkeypatch.setenv("STAKES_DATA", str(tmp_path / "nowhere"))
    assert names()["credit-g"] == "package" and "own" not in names()
