"""Metrics: against values computed by hand, against sacrebleu, and by their own laws."""

import math
import random

import pandas as pd
import pytest
import sacrebleu
import torch
from conftest import build
from copying import copy_pairs, trained
from hypothesis import given
from hypothesis import strategies as st

from lib import metrics
from lib.decoding import Translation, translate
from lib.metrics import (
    Score,
    aer_by_head,
    alignment_error_rate,
    bleu,
    bleu_by_length,
    chrf,
    exact_match,
    links_from_attention,
    score,
    sentence_bleu,
)
from lib.text import detokenize
from lib.training import evaluate

FRENCH = ["va !", "j'ai perdu .", "il est calme .", "je suis chez moi ."]
WRONG = ["va !", "j'ai gagné .", "il est très calme .", "je suis là ."]
PAIRS = copy_pairs(40, seed=1, longest=11)

links = st.frozensets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8)
alignments = st.lists(st.tuples(links, links), min_size=1, max_size=6)


# ── text against text ────────────────────────────────────────────────────────────────────


def test_bleu_is_the_geometric_mean_of_the_precisions():
    assert bleu(["a b c d e"], ["a b c d f"]) == pytest.approx(
        100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4)
    )
    assert bleu(["a b c d"], ["a b c d e"]) == pytest.approx(100 * math.exp(1 - 5 / 4))


def test_bleu_and_chrf_are_sacrebleus():
    hypotheses, references = WRONG * 30, FRENCH * 30  # many lines in " .": no warning about it
    assert bleu(hypotheses, references) == sacrebleu.corpus_bleu(hypotheses, [references]).score
    assert chrf(hypotheses, references) == sacrebleu.corpus_chrf(hypotheses, [references]).score
    assert 0 < bleu(hypotheses, references) < chrf(hypotheses, references) < 100


@pytest.mark.parametrize("references", [FRENCH, FRENCH[:1], FRENCH[:2], ["mot"]])
def test_a_perfect_translation_scores_100_even_if_all_sentences_are_short(references):
    assert bleu(references, references) == pytest.approx(100)
    assert chrf(references, references) == pytest.approx(100)
    assert exact_match(references, references) == 1


def test_nothing_in_common_scores_zero():
    assert bleu(["", "x y z w"], ["a", "b c d e"]) == 0
    assert chrf(["xyz"], ["abc"]) == 0
    assert exact_match(WRONG, FRENCH) == 1 / 4


@pytest.mark.parametrize("metric", [bleu, chrf, exact_match])
@pytest.mark.parametrize("references", [[], ["a"], ["a", "b", "c"]])
def test_text_metrics_want_one_reference_for_each_hypothesis(metric, references):
    hypotheses = ["a", "b"] if references else []
    with pytest.raises(ValueError, match=f"{len(hypotheses)} hypotheses, {len(references)} ref"):
        metric(hypotheses, references)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "k", "expected"),
    [
        ("je suis chez moi .", "je suis chez moi .", 2, 1),
        ("A B B C D", "A B C D E F", 2, math.exp(1 - 6 / 5) * (4 / 5) ** 0.5 * (3 / 4) ** 0.25),
        ("A B B C D", "A B C D E F", 4, 0),  # no 4-gram in common
        ("A B", "A B C D E F", 2, math.exp(1 - 6 / 2)),
        ("A", "A B", 2, math.exp(1 - 2)),  # no bigram in the hypothesis: left out
        ("A A A", "A B", 1, (1 / 3) ** 0.5),  # each reference word counts once
        ("A B C D", "A B", 1, (2 / 4) ** 0.5),  # being too long costs precision alone
        ("", "A B", 2, 0),
        ("A", "", 2, 0),
        ("", "", 2, 0),
    ],
)
def test_sentence_bleu_is_the_textbooks(hypothesis, reference, k, expected):
    assert sentence_bleu(hypothesis, reference, k=k) == pytest.approx(expected)


@given(st.text("ab ", max_size=9), st.text("ab ", max_size=9), st.integers(1, 5))
def test_sentence_bleu_never_fails_and_stays_between_0_and_1(hypothesis, reference, k):
    assert 0 <= sentence_bleu(hypothesis, reference, k=k) <= 1
    if hypothesis.strip():
        assert sentence_bleu(hypothesis, hypothesis, k=k) == 1


def test_sentence_bleu_wants_n_grams_of_at_least_one_word():
    with pytest.raises(ValueError, match="k=0 must be at least 1"):
        sentence_bleu("a", "a", k=0)


# ── attention against gold alignment ─────────────────────────────────────────────────────


def test_links_go_from_each_target_word_to_its_largest_weight():
    weights = torch.tensor(
        [
            [0.1, 0.7, 0.2, 0.0],  # the second source word
            [0.4, 0.3, 0.2, 0.1],  # the first
            [0.2, 0.1, 0.1, 0.6],  # mostly <eos>: no link
            [0.9, 0.1, 0.0, 0.0],  # the query that predicts <eos>: left out
        ]
    )
    assert links_from_attention(weights, 3, 3) == {(1, 0), (0, 1)}


@given(links, st.integers(1, 4))
def test_links_read_from_a_map_that_shows_them_are_the_same(shown, padding):
    """One source word per target word, target words without any included; padding is harmless."""
    shown = {target: source for source, target in shown}
    weights = torch.zeros(6 + padding, 6 + padding)
    for target, source in shown.items():
        weights[target, source] = 1.0
    assert links_from_attention(weights, 6, 6) == {(s, t) for t, s in shown.items()}


@pytest.mark.parametrize(("num_source", "num_target"), [(5, 2), (2, 4)])
def test_a_map_too_small_for_its_words_is_refused(num_source, num_target):
    with pytest.raises(ValueError, match=r"shape \(3, 4\) are too few"):
        links_from_attention(torch.ones(3, 4), num_source, num_target)


def test_alignment_error_rate_counts_links_over_the_whole_corpus():
    predicted = [{(0, 0), (1, 1)}, {(0, 0)}]
    gold = [{(0, 0)}, {(0, 0), (1, 1), (2, 2)}]
    assert alignment_error_rate(predicted, gold) == pytest.approx(1 - 2 * (1 + 1) / (3 + 4))
    assert alignment_error_rate([set()], [set()]) == 0
    assert alignment_error_rate([set()], [{(0, 0)}]) == 1


@given(alignments, st.randoms())
def test_alignment_error_rate_obeys_its_laws(pairs, draw):
    """0 for equal, 1 for disjoint, never outside; order of sentences and sides does not matter."""
    predicted, gold = map(list, zip(*pairs, strict=True))
    rate = alignment_error_rate(predicted, gold)
    assert 0 <= rate <= 1
    assert alignment_error_rate(gold, gold) == 0
    assert alignment_error_rate(gold, predicted) == rate
    if any(gold):
        elsewhere = [{(source + 6, target) for source, target in one} for one in gold]
        assert alignment_error_rate(elsewhere, gold) == 1
    draw.shuffle(pairs)
    assert alignment_error_rate(*map(list, zip(*pairs, strict=True))) == pytest.approx(rate)


@pytest.mark.parametrize("gold", [[], [set(), set()]])
def test_alignment_error_rate_wants_one_gold_alignment_for_each_prediction(gold):
    with pytest.raises(ValueError, match=f"{min(len(gold), 1)} predicted .*, {len(gold)} gold"):
        alignment_error_rate([set()] if gold else [], gold)


def one_good_head(model, pairs, **_):
    """In place of `force`: layer 2, head 2 sees the alignment, all others mostly <eos>."""
    found = []
    for pair in pairs:
        weights = torch.zeros(2, 2, len(pair.target) + 1, len(pair.source) + 1)
        weights[..., 0] = 0.4
        weights[..., -1] = 0.6
        weights[1, 1] = torch.eye(len(pair.target) + 1)
        found.append(Translation(pair.source, pair.target, 0.0, {"cross": weights}))
    return found


def test_each_head_is_scored_by_itself_and_numbered_from_one(monkeypatch):
    monkeypatch.setattr(metrics, "force", one_good_head)
    expected = pd.DataFrame(
        {"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2], "aer": [1.0, 1.0, 1.0, 0.0]}
    )
    pd.testing.assert_frame_equal(aer_by_head(build("Transformer"), PAIRS), expected)


def test_pairs_without_gold_are_left_out_of_the_alignment_error_rate():
    model = trained("Transformer")
    mixed = [*PAIRS[:9], *(pair._replace(alignment=None) for pair in PAIRS[9:])]
    pd.testing.assert_frame_equal(aer_by_head(model, mixed), aer_by_head(model, PAIRS[:9]))


def test_heads_cannot_be_scored_without_gold_or_without_attention():
    without_gold = [pair._replace(alignment=None) for pair in PAIRS]
    for kind, pairs in (("plain GRU", PAIRS), ("additive", without_gold)):
        with pytest.raises(ValueError, match="without gold alignments and cross-attention"):
            aer_by_head(build(kind), pairs)


# ── models ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("beam", [1, 2])
@pytest.mark.parametrize("kind", ["additive", "Transformer"])
def test_a_score_is_made_of_translations_of_forced_attention_and_of_the_loss(kind, beam):
    model = trained(kind)
    found = score(model, PAIRS, beam=beam)
    texts = [t.text for t in translate(model, [pair.source for pair in PAIRS], beam=beam)]
    references = [detokenize(pair.target) for pair in PAIRS]
    assert found.bleu == bleu(texts, references) > 0
    assert found.chrf == chrf(texts, references)
    assert found.exact_match == exact_match(texts, references)
    assert found.loss == pytest.approx(evaluate(model, PAIRS))
    assert 0 < found.aer < 1
    if kind == "additive":  # one layer, one head
        assert found.aer == pytest.approx(aer_by_head(model, PAIRS)["aer"].item())


def test_the_order_of_the_pairs_does_not_change_the_score():
    model = trained("additive")
    shuffled = random.Random(0).sample(PAIRS, len(PAIRS))
    found, again = score(model, PAIRS), score(model, shuffled)
    assert vars(again) == pytest.approx(vars(found))


def test_the_mean_of_the_last_layers_heads_is_scored(monkeypatch):
    monkeypatch.setattr(metrics, "force", one_good_head)
    assert score(build("Transformer"), PAIRS).aer == 0  # the aligned word gets 0.5, <eos> 0.3


def test_there_is_no_alignment_error_rate_without_gold_or_without_attention():
    assert score(build("plain GRU"), PAIRS[:5]).aer is None
    without_gold = [pair._replace(alignment=None) for pair in PAIRS[:5]]
    assert score(build("additive"), without_gold).aer is None


def test_unknown_words_in_a_test_set_are_no_reason_to_warn():
    """They are part of the test, and there may be thousands."""
    strange = [pair._replace(source=("zebra", *pair.source[1:])) for pair in PAIRS[:5]]
    assert score(build("additive"), strange).loss > 0


def test_scores_are_shown_rounded():
    shown = str(Score(bleu=97.123, chrf=98.456, aer=0.2549, loss=0.03141, exact_match=0.9))
    assert shown == "BLEU 97.1, chrF 98.5, AER 0.25, loss 0.031"
    assert "AER" not in str(Score(1.0, 1.0, None, 1.0, 0.0))


def test_bleu_by_length_scores_every_sentence_in_one_group():
    model = trained("additive")
    table = bleu_by_length(model, PAIRS, (2, 5, 8, 30))
    assert list(table["words"]) == ["1–2", "3–5", "6–8", "9–11"]
    assert table["sentences"].sum() == len(PAIRS)
    for row in table.itertuples():
        group = [pair for pair in PAIRS if row.low <= len(pair.source) <= row.high]
        assert row.sentences == len(group)
        assert row.bleu == pytest.approx(score(model, group).bleu)
    beyond = bleu_by_length(model, PAIRS, (3,))
    assert list(beyond["words"]) == ["1–3", "4–11"]


def test_groups_without_sentences_are_left_out():
    pairs = [pair for pair in PAIRS if len(pair.source) not in (4, 5, 6)]
    assert list(bleu_by_length(build("additive"), pairs, (3, 6, 9))["low"]) == [1, 7, 10]


@pytest.mark.parametrize("edges", [(0, 4), (4, 4), (8, 4)])
def test_edges_must_rise(edges):
    with pytest.raises(ValueError, match="must rise, from 1 or more"):
        bleu_by_length(build("additive"), PAIRS, edges)


def test_nothing_to_score_is_refused():
    for scorer in (score, bleu_by_length):
        with pytest.raises(ValueError, match="no sentence pairs to score"):
            scorer(build("additive"), [])
