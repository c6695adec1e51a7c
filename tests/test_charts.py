"""The browser gets what the picture shows, and both survive any words and numbers."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from lib.plotting import BLUE
from lib.widgets.charts import LEVELS, Charts, axis, bars, image, line, lines, mark, picture
from lib.widgets.snapshot import png_of

UNIT = axis("x", 0, 1)
EVIL = "<img src=x onerror=alert(1)> $x^{"


def tables():
    numbers = st.floats(-5, 5, width=32)
    shapes = st.tuples(st.integers(1, 4), st.integers(1, 4))
    return shapes.flatmap(
        lambda shape: (
            st.lists(numbers, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
            .map(torch.tensor)
            .map(lambda flat: flat.reshape(shape))
        )
    )


@given(tables(), tables())
def test_matrices_travel_in_binary_and_lose_less_than_the_reader_sees(one, other):
    charts = Charts()
    charts.show([image("a", one, (-5, 5)), image("b", other, (-5, 5))], "")
    for spec, values in zip(charts.charts, (one, other), strict=True):
        assert spec["values"] is None
        rows, columns = spec["shape"]
        sent = np.frombuffer(charts.pixels, "<u2", rows * columns, spec["offset"])
        back = -5 + torch.tensor(sent / LEVELS * 10).reshape(rows, columns)
        torch.testing.assert_close(back.float(), values, atol=1e-4, rtol=0)


def test_numbers_travel_with_five_digits_only():
    assert line("", [1 / 3], [2e-9 / 3], "")["x"] == [0.33333]
    assert bars("", ["a"], [1 / 3])["values"] == [0.33333]


def test_the_picture_holds_words_of_any_kind_as_they_are(recwarn):
    words = [EVIL, "שלום", "🙂", "", "$"]
    drawn = bars(EVIL, words, [0.2] * 5, x=axis(EVIL, 0, 1), y=UNIT, colour=BLUE, note=EVIL)
    marked = lines(EVIL, line("$a$", [0, 1], [0, 1], BLUE), x=UNIT, y=UNIT, marks=[
        mark("x", 0.5, "$b$"), mark("y", 0.5, "c", BLUE, "7 4")])  # fmt: skip
    figure = picture([drawn, marked], 2)
    assert len(png_of(lambda: figure)) > 5000
    bar_chart, line_chart = figure.subfigs
    assert bar_chart.axes[0].get_yticklabels()[0].get_text().startswith("<img")
    assert [t.get_text() for t in line_chart.legends[0].get_texts()] == ["$a$", "$b$", "c"]
    assert not recwarn.list


def test_charts_stand_in_rows_and_a_wide_one_is_not_broken(tmp_path):
    narrow = lines("n", line("a", [0, 1], [0, 1], BLUE), x=UNIT, y=UNIT)
    wide = image("w", torch.eye(2), (0, 1), x=UNIT, y=UNIT, wide=2)
    figure = picture([narrow, narrow, wide], 3)
    path = tmp_path / "rows.png"
    path.write_bytes(png_of(lambda: figure))
    one, two, three = (part.axes[0].get_position() for part in figure.subfigs)
    tops = [part.bbox.y1 for part in figure.subfigs]
    assert tops[0] == tops[1] > tops[2]
    assert figure.subfigs[2].bbox.width > 1.9 * figure.subfigs[0].bbox.width
    assert one.width > 0 and two.width > 0 and three.width > 0  # noqa: PT018
    with Image.open(path) as drawn:
        assert min(drawn.size) > 400
