"""Pictures show what they are given, refuse what they cannot show, and stay readable."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import itertools

import matplotlib.pyplot as plt
import nbclient
import nbformat
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import Rectangle

from lib.plotting import (
    COLOURS,
    WEIGHTS,
    bleu_by_length,
    heatmap,
    heatmaps,
    loss_curves,
    printable,
    use_style,
)

KEYS = ["i", "'m", "home", ".", "<eos>"]
QUERIES = ["je", "suis", "chez", "moi", ".", "<eos>"]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def weights(*leading: int, queries: int = len(QUERIES), keys: int = len(KEYS)) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*leading, queries, keys, generator=generator).softmax(-1)


def texts(labels) -> list[str]:
    return [label.get_text() for label in labels]


def outlined(ax) -> set[tuple[int, int]]:
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return {(round(box.get_center()[0]), round(box.get_center()[1])) for box in boxes}


def history(epochs: int = 3) -> pd.DataFrame:
    loss = np.linspace(2, 1, epochs)
    return pd.DataFrame(
        {"epoch": range(1, epochs + 1), "train_loss": loss, "validation_loss": loss + 0.1}
    )


def test_a_heatmap_shows_each_weight_in_the_row_of_its_query_and_the_column_of_its_key():
    given_weights = weights()
    ax = heatmap(given_weights, KEYS, QUERIES, title="alignment")
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), given_weights)
    assert texts(ax.get_xticklabels()) == KEYS
    assert texts(ax.get_yticklabels()) == QUERIES
    assert ax.get_title() == "alignment"


def test_colours_always_stand_for_0_to_1():
    ax = heatmap(weights() * 0.1, KEYS, QUERIES)
    assert ax.images[0].get_clim() == (0, 1)
    assert ax.images[0].get_cmap().name == WEIGHTS


def test_gold_links_are_outlined_at_source_column_and_target_row():
    ax = heatmap(weights(), KEYS, QUERIES, gold={(0, 0), (2, 3), (3, 4)})
    assert outlined(ax) == {(0, 0), (2, 3), (3, 4)}


def test_a_heatmap_is_drawn_on_the_axes_given_and_on_no_other():
    figure, axes = plt.subplots(1, 2)
    assert heatmap(weights(), KEYS, QUERIES, ax=axes[1]) is axes[1]
    assert not axes[0].images
    assert plt.get_fignums() == [figure.number]


def test_annotations_are_the_weights_with_two_digits():
    ax = heatmap([[0.25, 0.75]], ["a", "b"], ["c"], annotate=True)
    assert texts(ax.texts) == ["0.25", "0.75"]


def test_a_colorbar_is_added_only_when_asked_for():
    assert len(heatmap(weights(), KEYS, QUERIES).figure.axes) == 1
    assert len(heatmap(weights(), KEYS, QUERIES, colorbar=True).figure.axes) == 2


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_any_kind_of_float_is_drawn_even_one_that_still_requires_a_gradient(kind):
    one = weights().to(kind).requires_grad_()
    np.testing.assert_allclose(
        heatmap(one, KEYS, QUERIES).images[0].get_array(), one.detach().float()
    )


NAN = torch.tensor([[0.5, float("nan")]])


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (lambda: heatmap(weights(1), KEYS, QUERIES), r"\(1, 6, 5\); needed: \(query, key\)"),
        (lambda: heatmap(torch.zeros(0, 2), "ab", ""), "none of them empty"),
        (lambda: heatmap(weights(), KEYS[:-1], QUERIES), "5 keys, but .* 4 key labels"),
        (lambda: heatmap(weights(), QUERIES, KEYS), "6 queries × 5 keys, but 5 query labels"),
        (lambda: heatmap(NAN, "ab", "c"), "NaN"),
        (lambda: heatmap(weights() * 9, KEYS, QUERIES), "after the softmax"),
        (lambda: heatmap(-weights(), KEYS, QUERIES), "after the softmax"),
        (lambda: heatmap(weights(), KEYS, QUERIES, gold={(5, 0)}), "gold link .source 5"),
        (lambda: heatmap(weights(), KEYS, QUERIES, gold={(0, -1)}), "target -1"),
        (lambda: heatmaps(weights(), KEYS, QUERIES), "needed: .layer, head, query, key"),
        (lambda: heatmaps(weights(1, 2), KEYS, QUERIES, titles=["a"]), "1 titles for 1 × 2"),
        (lambda: loss_curves({}), "at least one"),
        (lambda: loss_curves(pd.DataFrame({"epoch": [1]})), "missing: train_loss"),
        (lambda: bleu_by_length({"x": history()}), "'x' .* missing: low, high, bleu"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence_and_leaves_no_figure_behind(bad, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        bad()
    assert "\n" not in str(error.value)
    assert plt.get_fignums() == []


def test_a_grid_has_a_panel_per_layer_and_head_one_scale_and_one_colorbar():
    given_weights = weights(2, 4)
    figure = heatmaps(given_weights, KEYS, QUERIES, gold={(1, 1)})
    *panels, bar = figure.axes
    assert len(panels) == 8
    assert bar.get_ylabel() == "attention weight"
    assert not bar.images
    for ax, panel in zip(panels, given_weights.reshape(8, 6, 5), strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), panel)
        assert ax.images[0].get_clim() == (0, 1)
        assert outlined(ax) == {(1, 1)}
    assert [ax.get_title() for ax in panels][3:5] == ["layer 1, head 4", "layer 2, head 1"]


def test_only_the_outer_panels_of_a_grid_carry_labels():
    figure = heatmaps(weights(2, 3), KEYS, QUERIES)
    panels = np.array(figure.axes[:-1]).reshape(2, 3)
    for (row, column), ax in np.ndenumerate(panels):
        assert texts(ax.get_xticklabels()) == (KEYS if row == 1 else [])
        assert texts(ax.get_yticklabels()) == (QUERIES if column == 0 else [])


def test_one_layer_with_one_head_is_one_panel_without_a_title():
    figure = heatmaps(weights(1, 1), KEYS, QUERIES)
    assert len(figure.axes) == 2
    assert figure.axes[0].get_title() == ""


def test_a_figure_grows_with_its_tokens_and_panels():
    small, large = ([f"w{i}" for i in range(n)] for n in (5, 12))
    one = heatmaps(weights(1, 1, queries=5, keys=5), small, small).get_size_inches()
    longer = heatmaps(weights(1, 1, queries=12, keys=12), large, large).get_size_inches()
    grid = heatmaps(weights(2, 4, queries=12, keys=12), large, large).get_size_inches()
    assert (one < longer).all()
    assert (longer < grid).all()
    assert grid[0] <= 11  # inches: two layers of four heads still fit a notebook's column


def test_labels_of_a_full_grid_are_at_least_9_points_and_do_not_cover_each_other():
    words = [f"word{i}" for i in range(12)]
    figure = heatmaps(weights(2, 4, queries=12, keys=12), words, words)
    figure.canvas.draw()
    labels = figure.axes[0].get_yticklabels()
    boxes = [label.get_window_extent() for label in labels]
    assert all(label.get_size() >= 9 for label in labels)
    assert all(above.y0 >= below.y1 - 1 for above, below in itertools.pairwise(boxes))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_text_can_be_a_token_without_crash_or_warning(tokens):
    size = len(tokens)
    ax = heatmap(torch.full((size, size), 1 / size), tokens, tokens, title=tokens[0])
    ax.figure.canvas.draw()
    plt.close(ax.figure)


@pytest.mark.parametrize(
    "token", ["$x$", "$5", r"\frac{1}{2}$", "a_b^c", "%", "שלום", "été", "<eos>"]
)
def test_tokens_are_drawn_letter_by_letter_never_as_formulas(token):
    ax = heatmap([[1.0]], [token], [token], title=token)
    ax.figure.canvas.draw()
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels(), ax.title):
        assert label.get_text() == token
        assert not label.get_parse_math()


def test_missing_characters_become_boxes_and_very_long_tokens_end_in_dots():
    assert printable("a\x00日b\n") == "a□□b□"
    assert printable("extraordinairement") == "extraordinairement"
    assert printable("x" * 50) == "x" * 19 + "…"


def test_loss_curves_differ_in_line_as_well_as_colour():
    ax = loss_curves({"plain": history(), "attention": history()})
    looks = [(line.get_color(), line.get_linestyle()) for line in ax.lines]
    assert looks == [(COLOURS[i], style) for i in (0, 1) for style in ("-", "--")]
    assert texts(ax.get_legend().get_texts())[0] == "plain, training"
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), history()["validation_loss"])


def test_a_history_without_validation_gives_one_line():
    assert len(loss_curves(history().drop(columns="validation_loss")).lines) == 1
    assert len(loss_curves(history().assign(validation_loss=float("nan"))).lines) == 1


def test_bleu_stands_at_the_middle_of_each_group_and_empty_groups_are_left_out():
    table = pd.DataFrame({"low": [1, 4, 7], "high": [3, 6, 9], "bleu": [90.0, float("nan"), 40.0]})
    ax = bleu_by_length({"with": table, "without": table})
    assert ax.lines[0].get_xydata().tolist() == [[2, 90], [8, 40]]
    assert ax.lines[0].get_marker() != ax.lines[1].get_marker()
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert texts(ax.get_legend().get_texts()) == ["with", "without"]
    assert bleu_by_length(table).get_legend() is None


def test_drawing_leaves_the_readers_own_settings_alone():
    with plt.rc_context({"font.size": 7.0}):
        heatmap(weights(), KEYS, QUERIES)
        assert plt.rcParams["font.size"] == 7.0


def test_the_house_style_can_be_put_on_for_the_readers_own_pictures():
    with plt.rc_context():
        use_style()
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == list(COLOURS)


@pytest.mark.slow
def test_in_a_notebook_each_figure_is_shown_once_by_the_cell_that_draws_it():
    cells = [
        "import torch\nfrom lib.plotting import heatmap, heatmaps, loss_curves",
        "_ = heatmaps(torch.ones(1, 1, 1, 1), ['a'], ['b'])",
        "_ = heatmap(torch.ones(1, 1), ['a'], ['b'])",
        "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    root = Path(__file__).parent.parent
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": root}}).execute()
    shown = [[output.output_type for output in cell.outputs] for cell in notebook.cells]
    assert shown == [[], ["display_data"], ["display_data"], ["display_data"]]
    assert all("image/png" in cell.outputs[0].data for cell in notebook.cells[1:])


def test_of_many_words_every_second_or_third_is_named_and_the_picture_stays_small():
    words = [f"w{i}" for i in range(128)]
    ax = heatmap(torch.eye(128), words, words)
    assert [label.get_text() for label in ax.get_yticklabels()] == words[::3]
    assert [label.get_text() for label in ax.get_xticklabels()] == words[::3]
    assert max(ax.figure.get_size_inches()) < 12
