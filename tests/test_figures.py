"""The committed pictures are what the code draws, and nothing in them is cut off or covered."""

import json
from itertools import combinations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image, ImageDraw

from figures import FOLDER, __main__, bleu_by_length, cover, diagram, pictures, save

PICTURES = pictures()
TOLERANCE = 12  # grey levels of 255
BLOCK = 8  # pixels: smaller than a letter


def difference(one: Image.Image, other: Image.Image) -> float:
    """How far two pictures differ, 0 to 255, where they differ most.

    Means over small blocks of pixels are compared, so that a hair's breadth at an edge (another
    processor, another rounding) counts little and a changed letter counts much.
    """
    if one.size != other.size:
        return 255.0
    blocks = [np.asarray(picture.convert("RGB").reduce(BLOCK), int) for picture in (one, other)]
    return float(np.abs(blocks[0] - blocks[1]).max())


@pytest.mark.parametrize("name", PICTURES)
def test_the_committed_picture_is_what_its_code_draws(name, tmp_path):
    figure = PICTURES[name]()
    committed = FOLDER / f"{name}.png"
    if figure is None:
        assert not committed.exists(), f"{committed.name} has no data to be drawn from"
        return
    save(figure, tmp_path / "drawn.png")
    with Image.open(committed) as stored, Image.open(tmp_path / "drawn.png") as drawn:
        assert difference(stored, drawn) < TOLERANCE, f"look at `make figures ARGS={name}`"


def test_every_picture_has_its_code():
    assert {path.stem for path in FOLDER.glob("*.png")} <= set(PICTURES)


def test_a_picture_drawn_twice_is_the_same_to_the_byte(tmp_path):
    for name in ("one", "two"):
        save(PICTURES["lookup"](), tmp_path / f"{name}.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_one_changed_letter_or_another_size_is_seen_and_noise_at_the_edges_is_not():
    with Image.open(FOLDER / "lookup.png") as stored:
        picture = stored.convert("RGB")
    doctored = picture.copy()
    ImageDraw.Draw(doctored).text((600, 480), "x", fill="black")
    assert difference(picture, doctored) > TOLERANCE
    array = np.asarray(picture, int)
    noisy = array + np.random.default_rng(0).integers(-9, 9, array.shape)
    assert difference(picture, Image.fromarray(noisy.clip(0, 255).astype(np.uint8))) < TOLERANCE
    assert difference(picture, picture) == 0
    assert difference(picture, picture.crop((0, 0, 1000, 500))) == 255


def words(figure: Figure) -> list[tuple[Text, Bbox]]:
    """Every text of a diagram and the place it takes, in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    return [(text, text.get_window_extent(renderer)) for text in figure.axes[0].texts]


DIAGRAMS = ["bahdanau", "encoder_decoder", "lookup", "multi_head", "transformer"]


@pytest.mark.parametrize("name", DIAGRAMS)
def test_text_is_inside_the_figure_large_enough_and_overlaps_no_other_text(name):
    figure = PICTURES[name]()
    texts = words(figure)
    assert figure.get_size_inches()[0] == 7  # so that points are points at 700 pixels
    for text, extent in texts:
        assert text.get_size() >= 9, text
        assert extent.x0 >= 0, text
        assert extent.y0 >= 0, text
        assert extent.x1 <= figure.bbox.x1, text
        assert extent.y1 <= figure.bbox.y1, text
    for (one, first), (other, second) in combinations(texts, 2):
        assert not first.overlaps(second), f"{one} covers {other}"


@pytest.mark.parametrize("name", DIAGRAMS)
def test_text_that_stands_in_a_box_fits_into_it(name):
    figure = PICTURES[name]()
    for text, extent in words(figure):
        centre = ((extent.x0 + extent.x1) / 2, (extent.y0 + extent.y1) / 2)
        for patch in figure.axes[0].patches:
            frame = patch.get_window_extent()
            if isinstance(patch, FancyBboxPatch) and frame.contains(*centre):
                assert frame.x0 < extent.x0, text
                assert extent.x1 < frame.x1, text
                assert frame.y0 <= extent.y0 + 1, text
                assert extent.y1 <= frame.y1 + 1, text


def crossings(figure: Figure) -> list[str]:
    """Texts that an arrow runs through."""
    texts = words(figure)
    crossed = []
    for patch in figure.axes[0].patches:
        if not isinstance(patch, FancyArrowPatch):
            continue
        for line in patch.get_path().to_polygons(patch.get_transform(), closed_only=False):
            steps = np.linspace(line[:-1], line[1:], 200).reshape(-1, 2)
            for text, extent in texts:
                inside = (steps > extent.min).all(1) & (steps < extent.max).all(1)
                crossed += [text.get_text()] if inside.any() else []
    return crossed


@pytest.mark.parametrize("name", DIAGRAMS)
def test_no_arrow_runs_through_words(name):
    assert crossings(PICTURES[name]()) == []


def test_an_arrow_through_words_would_be_seen():
    figure, ax = diagram.page(20)
    diagram.write(ax, 35, 10, "in the way")
    diagram.arrow(ax, (10, 5), (60, 5))
    assert crossings(figure) == []
    diagram.arrow(ax, (10, 10), (60, 10))
    assert "in the way" in crossings(figure)


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Files as the pictures of measurements want them."""
    alignment = {
        "source": ["he", "'s", "calm", "."],
        "target": ["il", "est", "calme", "."],
        "weights": np.eye(4).tolist(),
        "gold": [[0, 0], [1, 1], [2, 2], [3, 3]],
    }
    (tmp_path / "cover.json").write_text(json.dumps(alignment))
    columns = ["model", "words", "low", "high", "sentences", "bleu"]
    rows = [("with", "1–5", 1, 5, 9, 90.0), ("without", "1–5", 1, 5, 9, 60.0)]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "bleu.csv", index=False)
    monkeypatch.setattr(cover, "DATA", tmp_path / "cover.json")
    monkeypatch.setattr(bleu_by_length, "DATA", tmp_path / "bleu.csv")


@pytest.mark.usefixtures("measured")
def test_pictures_of_measurements_are_drawn_from_their_files():
    ax = cover.draw().axes[0]
    np.testing.assert_array_equal(ax.images[0].get_array(), np.eye(4))
    assert len(ax.patches) == 4
    ax = bleu_by_length.draw().axes[0]
    assert [line.get_ydata()[0] for line in ax.lines] == [90, 60]
    assert plt.get_fignums() == []


def test_pictures_of_measurements_are_never_drawn_without_their_files(tmp_path, monkeypatch):
    for module in (cover, bleu_by_length):
        monkeypatch.setattr(module, "DATA", tmp_path / "absent")
        assert module.draw() is None


def test_the_command_draws_the_pictures_named_and_refuses_unknown_names(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(__main__, "FOLDER", tmp_path)
    __main__.main(["lookup"])
    assert capsys.readouterr().out == "lookup.png\n"
    assert [path.name for path in tmp_path.iterdir()] == ["lookup.png"]
    with pytest.raises(SystemExit, match="no picture seq2seq; there are: bahdanau"):
        __main__.main(["seq2seq"])


def test_the_pictures_stay_small_and_tell_nothing_of_where_they_were_made():
    for path in FOLDER.glob("*.png"):
        assert path.stat().st_size < 60_000, path
        with Image.open(path) as picture:
            assert picture.info.keys() <= {"dpi", "transparency"}, path
