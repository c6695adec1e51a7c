"""From sentences to translations and the attention behind them.

`lib.search` chooses the words. One teacher-forced pass over them then gives the attention, since
it computes the same as decoding step by step.
"""

import itertools
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lib.search import Hypothesis, beam_search, greedy
from lib.text import PAD, Pair, detokenize, make_batch, pad, tokenize
from lib.translator import Memory, Translator, evaluating


@dataclass(frozen=True, repr=False)
class Translation:
    """A translation, how sure the model was of it, and where it looked meanwhile.

    Attributes:
        source: the source tokens as the reader wrote them, then "<eos>": the labels of
            cross-attention's keys and of the encoder's queries and keys.
        tokens: the translation, without "<eos>".
        score: log-probability of `outputs` / len(outputs) ** length_penalty. By default, then,
            the mean per token, and minus the loss that training reports for this sentence.
        attention: "encoder", "decoder" and "cross", as far as the model has them, on the CPU,
            no padding left; {} if not asked for. In cross-attention `outputs` names the queries;
            in the decoder's self-attention `inputs` names queries and keys.
        finished: False if max_len cut it off before "<eos>" came.
        unknown: the source tokens that the model does not know, each once.
        candidates: the best translations of a beam search, this one first; else ().
    """

    source: tuple[str, ...]
    tokens: tuple[str, ...]
    score: float
    attention: dict[str, Float[Tensor, "layer head query key"]] = field(compare=False)
    finished: bool = True
    unknown: tuple[str, ...] = ()
    candidates: tuple["Translation", ...] = field(default=(), compare=False)

    @property
    def text(self) -> str:
        """The translation as one writes it."""
        return detokenize(self.tokens)

    @property
    def outputs(self) -> tuple[str, ...]:
        """What the decoder chose, step by step: the tokens and, if finished, "<eos>"."""
        return (*self.tokens, "<eos>") if self.finished else self.tokens

    @property
    def inputs(self) -> tuple[str, ...]:
        """What the decoder read, step by step: "<bos>", then all but the last of `outputs`."""
        return ("<bos>", *self.outputs[:-1])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        cut = "" if self.finished else ", cut off"
        return f"Translation({self.text!r}, score={self.score:z.2f}{cut})"


def translate(
    model: Translator,
    sentences: Sequence[str | Sequence[str]],
    *,
    beam: int = 1,
    max_len: int | None = None,
    batch_size: int = 256,
    need_weights: bool = True,
    length_penalty: float = 1.0,
    hidden: Collection[int] = (),
    warn: bool = True,
) -> list[Translation]:
    """Translate sentences, in evaluation mode; the model's own mode stays as it was.

    Args:
        sentences: each an English text or a sequence of tokens.
        beam: hypotheses kept per sentence; 1 is greedy search.
        max_len: most tokens of a translation, <eos> included. Default: 2 × source words + 10.
        batch_size: sentences decoded at once; the translations do not depend on it.
        need_weights: whether to collect attention.
        length_penalty: a beam ranks by log-probability / length ** length_penalty. 0 favours
            short translations, 1 compares means per token. (Wu et al. 2016, eq. 14, divide by
            ((5 + length) / 6) ** α instead.)
        hidden: places of source tokens, from 0, that the decoder may not attend to. The encoder
            still reads them.
        warn: whether a UserWarning names the words outside the vocabulary, read as <unk>.

    Raises:
        ValueError: a sentence is empty, or a number out of range.
        TypeError: `sentences` is a single text, or a sentence neither text nor tokens.
        FloatingPointError: the model answers NaN.
    """
    _require_positive(beam=beam, max_len=max_len, batch_size=batch_size)
    if length_penalty < 0:
        raise ValueError(f"length_penalty={length_penalty} is negative; 1 compares means per token")
    sources = _tokens(sentences)
    for place in hidden:
        if not 0 <= place <= min(map(len, sources), default=0):
            raise ValueError(
                f"hidden={sorted(hidden)}: the shortest sentence has the places 0 to "
                f"{min(map(len, sources), default=0)}, <eos> included"
            )
    if warn:
        _warn_of_unknown(model, sources)
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    found: dict[int, Translation] = {}
    with evaluating(model):
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            batch = [sources[place] for place in places]
            limits = [max_len or 2 * len(source) + 10 for source in batch]
            memory = _encode(model, batch, need_weights, hidden)
            if beam == 1:
                best = [[hypothesis] for hypothesis in greedy(model, memory, limits)]
            else:
                best = beam_search(model, memory, limits, beam=beam, length_penalty=length_penalty)
            translations = _translations(model, memory, batch, best, length_penalty, need_weights)
            for place, (first, *others) in zip(places, translations, strict=True):
                candidates = (first, *others) if beam > 1 else ()
                found[place] = replace(first, candidates=candidates)
    return [found[place] for place in range(len(sources))]


def force(
    model: Translator,
    pairs: Sequence[Pair],
    *,
    batch_size: int = 256,
    need_weights: bool = True,
) -> list[Translation]:
    """The pairs' own targets as translations: how likely the model finds them, and where it looks.

    Attention over a given translation can be laid beside the gold alignment of that translation.
    """
    _require_positive(batch_size=batch_size)
    found = []
    with evaluating(model):
        for start in range(0, len(pairs), batch_size):
            chunk = pairs[start : start + batch_size]
            batch = make_batch(chunk, model.source_vocab, model.target_vocab).to(_device(model))
            decoded = model(
                batch.source, batch.source_mask, batch.target, need_weights=need_weights
            )
            log_probs = decoded.logits.log_softmax(dim=-1)
            chosen = log_probs.gather(-1, batch.labels.unsqueeze(-1)).squeeze(-1)
            scores = (chosen * batch.target_mask).sum(dim=-1) / batch.target_mask.sum(dim=-1)
            for row, (pair, score) in enumerate(zip(chunk, scores.tolist(), strict=True)):
                source = (*pair.source, "<eos>")
                attention = _trim(decoded.attention, row, len(source), len(pair.target) + 1)
                unknown = _unknown(model, pair.source)
                found.append(Translation(source, pair.target, score, attention, True, unknown))
    return found


def _require_positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise ValueError(f"{name}={number} must be at least 1")


def _tokens(sentences: Sequence[str | Sequence[str]]) -> list[tuple[str, ...]]:
    if isinstance(sentences, str):
        raise TypeError(f"translate takes a list of sentences: write [{sentences!r}]")
    sources = []
    for place, sentence in enumerate(sentences):
        if not isinstance(sentence, Sequence) or not all(isinstance(s, str) for s in sentence):
            raise TypeError(f"sentence {place} is neither text nor a list of tokens: {sentence!r}")
        tokens = tokenize(sentence, "en") if isinstance(sentence, str) else sentence
        if not tokens:
            raise ValueError(f"sentence {place} ({sentence!r}) is empty: give it at least one word")
        sources.append(tuple(tokens))
    return sources


def _unknown(model: Translator, source: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(model.source_vocab.unknown(source)))


def _warn_of_unknown(model: Translator, sources: Sequence[Sequence[str]]) -> None:
    unknown = _unknown(model, [token for source in sources for token in source])
    if unknown:
        names = ", ".join(map(repr, unknown))
        warnings.warn(
            f"not in the model's vocabulary, so read as <unk>: {names}", UserWarning, stacklevel=3
        )


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _encode(
    model: Translator,
    sources: Sequence[Sequence[str]],
    need_weights: bool,
    hidden: Collection[int],
) -> Memory:
    ids = pad([model.source_vocab.encode(source) for source in sources]).to(_device(model))
    memory = model.encode(ids, ids != PAD, need_weights=need_weights)
    if not hidden:
        return memory
    seen = memory.mask.clone()
    seen[:, list(hidden)] = False
    return memory._replace(mask=seen)


def _translations(
    model: Translator,
    memory: Memory,
    sources: Sequence[tuple[str, ...]],
    found: Sequence[Sequence[Hypothesis]],
    length_penalty: float,
    need_weights: bool,
) -> list[list[Translation]]:
    """Hypotheses as the reader sees them, their attention computed by teacher forcing."""
    attention = {}
    if need_weights:
        owner = [row for row, hypotheses in enumerate(found) for _ in hypotheses]
        memory = memory.reorder(torch.tensor(owner, device=memory.mask.device))
        target = pad([hypothesis.inputs for hypotheses in found for hypothesis in hypotheses])
        decoded = model.decode(target.to(memory.mask.device), memory, need_weights=True)
        attention = memory.attention | decoded.attention
    rows = itertools.count()
    return [
        [
            Translation(
                (*source, "<eos>"),
                tuple(model.target_vocab.decode(hypothesis.tokens)),
                hypothesis.score(length_penalty),
                _trim(attention, next(rows), len(source) + 1, len(hypothesis.inputs)),
                hypothesis.finished,
                _unknown(model, source),
            )
            for hypothesis in hypotheses
        ]
        for source, hypotheses in zip(sources, found, strict=True)
    ]


def _trim(
    attention: dict[str, Float[Tensor, "batch layer head _ _"]],
    row: int,
    source: int,
    target: int,
) -> dict[str, Float[Tensor, "layer head _ _"]]:
    """One sentence's attention without padding, copied so that it does not keep the batch alive."""
    sizes = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
    return {
        kind: weights[row, :, :, : sizes[kind][0], : sizes[kind][1]].cpu().clone()
        for kind, weights in attention.items()
    }
