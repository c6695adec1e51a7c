"""How good is a translation, and does attention look where the words came from?"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd
from jaxtyping import Float
from sacrebleu.metrics import BLEU, CHRF
from torch import Tensor

from lib.decoding import force, translate
from lib.text import Pair, detokenize
from lib.training import evaluate
from lib.translator import Translator

Links = Collection[tuple[int, int]]  # (source index, target index)


# ── text against text ────────────────────────────────────────────────────────────────────


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of a corpus, 0 to 100 (Papineni et al. 2002), as sacrebleu computes it (Post 2018).

    Give text as one writes it, not tokens: sacrebleu has its own tokenizer. Its signature is
    nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp. ("eff:yes" counts n-grams as far as there are
    any: sentences of three words have no 4-gram, and would score 0 even if they were perfect.
    As soon as one hypothesis has four words, it changes nothing.)

    Raises:
        ValueError: there is nothing to score, or not one reference for each hypothesis.
    """
    _require_one_each("hypotheses", hypotheses, "references", references)
    # force: do not suspect text of being tokenised because it ends in " ."
    metric = BLEU(tokenize="13a", force=True, effective_order=True)
    return metric.corpus_score(hypotheses, [references]).score


def chrf(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """chrF of a corpus, 0 to 100: agreement in runs of up to 6 characters (Popović 2015).

    A wrong ending costs part of a word here, and in BLEU the whole word.

    Raises:
        ValueError: as for `bleu`.
    """
    _require_one_each("hypotheses", hypotheses, "references", references)
    return CHRF().corpus_score(hypotheses, [references]).score


def exact_match(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Share of hypotheses that equal their reference, 0 to 1.

    Raises:
        ValueError: as for `bleu`.
    """
    _require_one_each("hypotheses", hypotheses, "references", references)
    pairs = zip(hypotheses, references, strict=True)
    return sum(hypothesis == reference for hypothesis, reference in pairs) / len(hypotheses)


def sentence_bleu(hypothesis: str, reference: str, k: int = 2) -> float:
    """BLEU of one sentence, 0 to 1, as *Dive into Deep Learning* (§10.7) defines it.

    With p_n the share of the hypothesis's n-grams that the reference holds (each reference n-gram
    counts once) and words as spaces separate them:

        exp(min(0, 1 - len(reference) / len(hypothesis))) · ∏ p_n^(1/2^n),  n = 1 … k

    It is not the BLEU of Papineni et al. (2002), who count n-grams over a whole corpus, take
    n = 1 … 4 with the same weight each, and weights that sum to one. Here they sum to 1 - 1/2^k,
    so numbers come out higher. Like the book's code, it leaves out n-grams longer than the
    hypothesis. An empty hypothesis scores 0.

    Raises:
        ValueError: k is less than 1.
    """
    if k < 1:
        raise ValueError(f"k={k} must be at least 1, the length of the longest n-gram")
    words, expected = hypothesis.split(), reference.split()
    if not words:
        return 0.0
    score = math.exp(min(0, 1 - len(expected) / len(words)))
    for n in range(1, min(k, len(words)) + 1):
        found, wanted = _ngrams(words, n), _ngrams(expected, n)
        score *= ((found & wanted).total() / found.total()) ** (0.5**n)
    return score


def _ngrams(words: Sequence[str], n: int) -> Counter:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


# ── attention against gold alignment ─────────────────────────────────────────────────────


def links_from_attention(
    weights: Float[Tensor, "query key"], num_source: int, num_target: int
) -> frozenset[tuple[int, int]]:
    """Each target word linked to the source word it attends to most, as (source, target).

    A target word that attends most to <eos>, the key after the words, or to nothing at all
    has no link; <eos> as a query is left out.

    Args:
        weights: of one head, or a mean over heads; queries are what the decoder predicts.
        num_source: number of source words, without <eos>.
        num_target: number of target words, without <eos>.

    Raises:
        ValueError: there are fewer queries or keys than words.
    """
    if weights.shape[0] < num_target or weights.shape[1] < num_source:
        raise ValueError(
            f"weights of shape {tuple(weights.shape)} are too few for {num_target} target words "
            f"and {num_source} source words"
        )
    largest, place = weights[:num_target].max(dim=-1)
    return frozenset(
        (source, target)
        for target, (weight, source) in enumerate(
            zip(largest.tolist(), place.tolist(), strict=True)
        )
        if source < num_source and weight > 0
    )


def alignment_error_rate(predicted: Sequence[Links], gold: Sequence[Links]) -> float:
    """1 - 2 |A ∩ G| / (|A| + |G|), links counted over all sentences; 0 is perfect, 1 the worst.

    That is Och and Ney's (2003, eq. 34) where every gold link is sure.

    Raises:
        ValueError: there are no sentences, or not one gold alignment for each prediction.
    """
    _require_one_each("predicted alignments", predicted, "gold alignments", gold)
    common = links = 0
    for a, g in zip(predicted, gold, strict=True):
        common += len(set(a) & set(g))
        links += len(set(a)) + len(set(g))
    return 1 - 2 * common / links if links else 0.0


def aer_by_head(model: Translator, pairs: Sequence[Pair]) -> pd.DataFrame:
    """Alignment error rate of each head of cross-attention: columns layer, head (from 1), aer.

    Attention is that of predicting the reference word by word, so that its links can be laid
    beside the gold ones. Pairs without gold are left out.

    Raises:
        ValueError: no pair has a gold alignment, or the model has no cross-attention.
    """
    maps = _cross_attention(model, pairs)
    if not maps:
        raise ValueError("no alignment error rate without gold alignments and cross-attention")
    layers, heads = maps[0][1].shape[:2]
    rows = [
        (layer + 1, head + 1, _aer([(pair, weights[layer, head]) for pair, weights in maps]))
        for layer, head in product(range(layers), range(heads))
    ]
    return pd.DataFrame(rows, columns=["layer", "head", "aer"])


def _cross_attention(
    model: Translator, pairs: Sequence[Pair]
) -> list[tuple[Pair, Float[Tensor, "layer head _ _"]]]:
    """Pairs that have gold, each with the attention paid while predicting its target."""
    aligned = [pair for pair in pairs if pair.alignment is not None]
    return [
        (pair, forced.attention["cross"])
        for pair, forced in zip(aligned, force(model, aligned), strict=True)
        if "cross" in forced.attention
    ]


def _aer(maps: Sequence[tuple[Pair, Float[Tensor, "_ _"]]]) -> float:
    predicted = [
        links_from_attention(weights, len(pair.source), len(pair.target)) for pair, weights in maps
    ]
    return alignment_error_rate(predicted, [pair.alignment for pair, _ in maps])


# ── models ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Score:
    """What a model scores on sentence pairs.

    Attributes:
        bleu: 0 to 100.
        chrf: 0 to 100.
        aer: alignment error rate, 0 to 1, of cross-attention averaged over the heads of the
            last layer; None without gold alignments or without cross-attention.
        loss: cross-entropy per target token, in nats.
        exact_match: share of translations that equal the reference.
    """

    bleu: float
    chrf: float
    aer: float | None
    loss: float
    exact_match: float

    def __str__(self) -> str:
        aer = "" if self.aer is None else f", AER {self.aer:.2f}"
        return f"BLEU {self.bleu:.1f}, chrF {self.chrf:.1f}{aer}, loss {self.loss:.3f}"


def score(model: Translator, pairs: Sequence[Pair], *, beam: int = 1) -> Score:
    """Translate the sources and compare with the targets; one reference for each.

    BLEU and chrF judge the model's own translations. The loss and the alignment error rate are
    measured while it predicts the reference; the latter, because gold alignments
    are known of no other translation.

    Raises:
        ValueError: there are no pairs.
    """
    if not pairs:
        raise ValueError("there are no sentence pairs to score")
    hypotheses, references = _texts(model, pairs, beam)
    maps = [(pair, weights[-1].mean(dim=0)) for pair, weights in _cross_attention(model, pairs)]
    return Score(
        bleu=bleu(hypotheses, references),
        chrf=chrf(hypotheses, references),
        aer=_aer(maps) if maps else None,
        loss=evaluate(model, pairs),
        exact_match=exact_match(hypotheses, references),
    )


def bleu_by_length(
    model: Translator,
    pairs: Sequence[Pair],
    edges: Sequence[int] = (4, 8, 12, 16, 20),
    *,
    beam: int = 1,
) -> pd.DataFrame:
    """BLEU of sentences of like length (Bahdanau et al. 2015, figure 2).

    Args:
        edges: most source tokens (punctuation counts) of each group but the last,
            which has all longer sentences.

    Returns:
        A row for each group that has sentences: `words` ("5–8"), `low` and `high` (both
        included), `sentences`, `bleu`.

    Raises:
        ValueError: there are no pairs, or the edges do not rise from 1 or more.
    """
    if not pairs:
        raise ValueError("there are no sentence pairs to score")
    if list(edges) != sorted({*edges}) or min(edges, default=1) < 1:
        raise ValueError(f"edges={tuple(edges)} must rise, from 1 or more")
    hypotheses, references = _texts(model, pairs, beam)
    longest = max(len(pair.source) for pair in pairs)
    highs = [*(edge for edge in edges if edge < longest), longest]
    rows = []
    for low, high in zip([1, *(edge + 1 for edge in highs)], highs, strict=False):
        group = [i for i, pair in enumerate(pairs) if low <= len(pair.source) <= high]
        if group:
            value = bleu([hypotheses[i] for i in group], [references[i] for i in group])
            rows.append((f"{low}–{high}", low, high, len(group), value))
    return pd.DataFrame(rows, columns=["words", "low", "high", "sentences", "bleu"])


def _texts(model: Translator, pairs: Sequence[Pair], beam: int) -> tuple[list[str], list[str]]:
    """The model's translations and the references. Unknown words are part of the test."""
    sources = [pair.source for pair in pairs]
    translations = translate(model, sources, beam=beam, need_weights=False, warn=False)
    return [t.text for t in translations], [detokenize(pair.target) for pair in pairs]


def _require_one_each(name: str, items: Sequence, other_name: str, others: Sequence) -> None:
    if len(items) != len(others) or not items:
        raise ValueError(f"{len(items)} {name}, {len(others)} {other_name}; give one for each")
