"""A toy language pair for decoding and scoring: each word s3 is translated as t3, in place.

A minute's training would learn it; thirty steps leave a model that is decided, often wrong, and
ends its sentences at various lengths, which is what search has to cope with.
"""

import copy
import functools
import random

import torch
from conftest import SOURCE_VOCAB, TARGET_VOCAB, build

from lib.text import Pair, make_batch
from lib.training import loss


def copy_pairs(count: int, seed: int = 0, longest: int = 7) -> list[Pair]:
    """Random sentences with their gold alignments."""
    draw = random.Random(seed)
    pairs = []
    for _ in range(count):
        places = [draw.randrange(12) for _ in range(draw.randint(1, longest))]
        gold = frozenset((i, i) for i in range(len(places)))
        words = (tuple(f"{side}{i}" for i in places) for side in "st")
        pairs.append(Pair(*words, gold))
    return pairs


@functools.cache
def _trained(kind: str):
    model = build(kind)
    batch = make_batch(copy_pairs(32), SOURCE_VOCAB, TARGET_VOCAB)
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(30):
        optimizer.zero_grad()
        logits = model(batch.source, batch.source_mask, batch.target).logits
        loss(logits, batch.labels).backward()
        optimizer.step()
    return model.requires_grad_(False)


def trained(kind: str):
    """A fresh copy of the half-trained model of that kind, in evaluation mode."""
    return copy.deepcopy(_trained(kind)).requires_grad_(True)
