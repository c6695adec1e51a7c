"""Search: which words to choose, given what the model says of the next one.

Search knows nothing of attention and nothing of text; `lib.decoding` does.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lib.text import BOS, EOS, PAD, UNK
from lib.translator import Memory, Translator


class Hypothesis(NamedTuple):
    """What search found.

    Attributes:
        tokens: target ids, without <eos>.
        log_prob: sum over all steps, that of <eos> included.
        finished: whether <eos> came within the limit.
    """

    tokens: tuple[int, ...]
    log_prob: float
    finished: bool

    @property
    def inputs(self) -> tuple[int, ...]:
        """The ids that the decoder reads, step by step."""
        return (BOS, *self.tokens) if self.finished else (BOS, *self.tokens[:-1])

    def score(self, length_penalty: float) -> float:
        """Log-probability / length ** length_penalty."""
        return self.log_prob / len(self.inputs) ** length_penalty


def greedy(model: Translator, memory: Memory, limits: Sequence[int]) -> list[Hypothesis]:
    """Take the likeliest token at each step, until <eos> or the sentence's limit.

    Each step feeds only the new token, and a finished sentence leaves the batch. The search takes
    a memory, not a source, so that one may hide a word in `memory.mask` first.

    Args:
        limits: most tokens of each translation, <eos> included.

    Raises:
        FloatingPointError: the model answers NaN.
    """
    memory = memory._replace(attention={})
    limit = torch.tensor(limits, device=memory.mask.device)
    rows = torch.arange(len(limits), device=limit.device)  # the sentence that each row decodes
    tokens = torch.full((len(limits), 1), BOS, device=limit.device)
    total = memory.states.new_zeros(len(limits))
    found: dict[int, Hypothesis] = {}
    cache = None
    for step in range(1, max(limits) + 1):
        decoded = model.decode(tokens[:, -1:], memory, cache)
        log_prob, token = _log_probs(decoded.logits, step).max(dim=-1)
        total = total + log_prob
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        cache = decoded.cache
        done = (token == EOS) | (limit[rows] == step)
        if not done.any():
            continue
        for row in done.nonzero().flatten().tolist():
            found[int(rows[row])] = _hypothesis(tokens[row], total[row])
        keep = (~done).nonzero().flatten()
        if len(keep) == 0:
            break
        rows, tokens, total = rows[keep], tokens[keep], total[keep]
        memory, cache = memory.reorder(keep), cache.reorder(keep)
    return [found[row] for row in range(len(limits))]


def beam_search(
    model: Translator,
    memory: Memory,
    limits: Sequence[int],
    *,
    beam: int,
    length_penalty: float = 1.0,
) -> list[list[Hypothesis]]:
    """The best hypotheses of each sentence, at most `beam` of them, best first.

    At each step the `beam` likeliest extensions of the live hypotheses survive; those that end in
    <eos> are set aside. A sentence is done when no live hypothesis can overtake the worst of the
    `beam` best finished ones, even if all its further tokens were certain. What reaches the limit
    unfinished ranks behind everything finished. With beam=1 this is greedy search, and with a beam
    as large as the space of hypotheses it is exhaustive.

    Args:
        limits: as for `greedy`.
        length_penalty: hypotheses rank by log-probability / length ** length_penalty.

    Raises:
        FloatingPointError: the model answers NaN.
    """
    device = memory.mask.device
    limit = torch.tensor(limits, device=device)
    rows = torch.arange(len(limits), device=device)  # the sentence that each row of beams decodes
    memory = memory._replace(attention={}).reorder(rows.repeat_interleave(beam))
    tokens = torch.full((len(limits), beam, 1), BOS, device=device)
    total = memory.states.new_full((len(limits), beam), -torch.inf)  # -inf: no live hypothesis
    total[:, 0] = 0
    found: list[list[Hypothesis]] = [[] for _ in limits]
    worst = total.new_full((len(limits),), -torch.inf)  # score to beat
    cache = None
    for step in range(1, max(limits) + 1):
        decoded = model.decode(tokens[:, :, -1].reshape(-1, 1), memory, cache)
        log_probs = _log_probs(decoded.logits, step).unflatten(0, (-1, beam))
        total, choice = (total.unsqueeze(-1) + log_probs).flatten(1).topk(beam)
        parent = choice // log_probs.shape[-1]
        token = choice % log_probs.shape[-1]
        tokens = tokens.gather(1, parent.unsqueeze(-1).expand(-1, -1, step))
        tokens = torch.cat([tokens, token.unsqueeze(-1)], dim=-1)
        done = ((token == EOS) | (limit[rows] == step).unsqueeze(-1)) & total.isfinite()
        for row, place in done.nonzero().tolist():
            sentence = int(rows[row])
            new = _hypothesis(tokens[row, place], total[row, place])
            best = found[sentence] = _best([*found[sentence], new], beam, length_penalty)
            if len(best) == beam and best[-1].finished:
                worst[sentence] = best[-1].score(length_penalty)
        total = total.masked_fill(done, -torch.inf)
        reachable = total.amax(dim=1) / limit[rows] ** length_penalty
        keep = (reachable > worst[rows]).nonzero().flatten()
        if len(keep) == 0:
            break
        first = (keep * beam).unsqueeze(1)  # of the rows of a sentence's beams
        cache = decoded.cache.reorder((first + parent[keep]).flatten())
        if len(keep) < len(rows):
            memory = memory.reorder((first + torch.arange(beam, device=device)).flatten())
        rows, tokens, total = rows[keep], tokens[keep], total[keep]
    return found


def _log_probs(logits: Float[Tensor, "batch 1 vocab"], step: int) -> Float[Tensor, "batch vocab"]:
    """Of the next token; no translation contains <pad>, <bos> or <unk>."""
    log_probs = logits[:, -1].log_softmax(dim=-1)
    if log_probs.isnan().any():
        raise FloatingPointError(
            f"the model's output at step {step} is not a number: its weights are broken, "
            "perhaps by training that diverged"
        )
    log_probs[:, [PAD, BOS, UNK]] = -torch.inf
    return log_probs


def _hypothesis(tokens: Int[Tensor, "length"], log_prob: Float[Tensor, ""]) -> Hypothesis:
    ids = tuple(tokens.tolist()[1:])  # without <bos>
    finished = ids[-1] == EOS
    return Hypothesis(ids[:-1] if finished else ids, log_prob.item(), finished)


def _best(found: list[Hypothesis], beam: int, length_penalty: float) -> list[Hypothesis]:
    def rank(hypothesis: Hypothesis) -> tuple[bool, float]:
        return hypothesis.finished, hypothesis.score(length_penalty)

    return sorted(found, key=rank, reverse=True)[:beam]
