"""Attention maps checked, scored and packed for the browser."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from lib.metrics import alignment_error_rate, links_from_attention
from lib.plotting import Links, Weights

ROW_SUM_TOLERANCE = 0.02  # rows computed in half precision are off by as much


@dataclass(frozen=True)
class AttentionMaps:
    """All maps that share their words: layer by layer, head by head.

    Attributes:
        weights: after the softmax, (layer, head, query, key); the first axes may be missing.
        name: what tells them from other maps of the same widget, such as "cross".
        keys: a label for each column.
        queries: a label for each row.
        gold: correct links (key, query), to outline and to score against; None if unknown.
        labels: one per map in place of "layer 1, head 1" and so on.
        steps: whether the maps follow one another in time.

    Raises:
        ValueError: the weights are no attention weights, or the labels do not match them.
    """

    weights: Weights
    keys: Sequence[str]
    queries: Sequence[str]
    name: str = "attention"
    gold: Links | None = None
    labels: Sequence[str] | None = None
    steps: bool = False

    def __post_init__(self) -> None:
        weights = torch.as_tensor(self.weights).detach().float().cpu()
        if not 2 <= weights.dim() <= 4 or 0 in weights.shape:
            raise ValueError(
                f"{self.name}: weights of shape {tuple(weights.shape)}; needed: (query, key), "
                "(head, query, key) or (layer, head, query, key), none of them empty."
            )
        weights = weights[(None,) * (4 - weights.dim())]
        keys, queries = tuple(map(str, self.keys)), tuple(map(str, self.queries))
        if weights.shape[-2:] != (len(queries), len(keys)):
            raise ValueError(
                f"{self.name}: weights of {weights.shape[-2]} queries × {weights.shape[-1]} keys, "
                f"but {len(queries)} query labels and {len(keys)} key labels; give one for each."
            )
        _check_rows(self.name, weights)
        gold = None if self.gold is None else frozenset(map(tuple, self.gold))
        for source, target in gold or ():
            if not (0 <= source < len(keys) and 0 <= target < len(queries)):
                raise ValueError(
                    f"{self.name}: gold link (key {source}, query {target}) is outside "
                    f"{len(keys)} keys and {len(queries)} queries."
                )
        labels = self.labels
        if labels is None:
            layers, heads = weights.shape[:2]
            labels = [f"layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(heads)]
            labels = labels if len(labels) > 1 else [""]
        if len(labels) != weights.shape[0] * weights.shape[1]:
            raise ValueError(
                f"{self.name}: {len(labels)} labels for {weights.shape[0]} × "
                f"{weights.shape[1]} maps; give one for each."
            )
        found = {"weights": weights, "keys": keys, "queries": queries}
        for field, value in (found | {"gold": gold, "labels": tuple(labels)}).items():
            object.__setattr__(self, field, value)

    @classmethod
    def over_time(cls, frames: Mapping[str, "AttentionMaps"]) -> "AttentionMaps":
        """Single maps with the same words, one after the other, each with its label."""
        first = next(iter(frames.values()))
        weights = torch.cat([frame.weights for frame in frames.values()])
        return cls(
            weights, first.keys, first.queries, first.name, first.gold, tuple(frames), steps=True
        )

    def __len__(self) -> int:
        return self.weights.shape[0] * self.weights.shape[1]

    def map(self, index: int) -> Float[Tensor, "query key"]:
        """The map of that number, counted layer by layer."""
        return self.weights.flatten(0, 1)[index]

    def error_rates(self) -> list[float | None]:
        """Each map's alignment error rate against gold; None without gold."""
        if self.gold is None:
            return [None] * len(self)
        keys = len(self.keys) - (self.keys[-1] == "<eos>")
        queries = len(self.queries) - (self.queries[-1] == "<eos>")
        return [
            alignment_error_rate([links_from_attention(weights, keys, queries)], [self.gold])
            for weights in self.weights.flatten(0, 1)
        ]

    def levels(self, block: int) -> np.ndarray:
        """The maps as bytes, 255 = weight 1: the largest weight of each block × block cells."""
        rows = self.weights.flatten(0, 1)
        if block > 1:
            rows = F.max_pool2d(rows.unsqueeze(1), block, ceil_mode=True).squeeze(1)
        return (rows * 255).round().clamp(0, 255).byte().numpy()

    def size(self, block: int = 1) -> int:
        """Number of bytes of `levels(block)`."""
        sides = [math.ceil(len(side) / block) for side in (self.queries, self.keys)]
        return len(self) * math.prod(sides)


def pack(groups: Sequence[AttentionMaps], budget: int | None = None) -> tuple[list[dict], bytes]:
    """What the browser is told of the maps, and their bytes.

    Args:
        budget: the most bytes; larger maps are made coarser until all of them fit. None: exact.
    """
    block = 1
    while budget is not None and sum(group.size(block) for group in groups) > budget:
        block += 1
    described, parts, start = [], [], 0
    for group in groups:
        levels = group.levels(block)
        maps = zip(group.labels, group.error_rates(), strict=True)
        described.append(
            {
                "name": group.name,
                "keys": group.keys,
                "queries": group.queries,
                "gold": None if group.gold is None else sorted(group.gold),
                "maps": [{"label": label, "aer": rate} for label, rate in maps],
                "columns": group.weights.shape[1],
                "steps": group.steps,
                "start": start,
                "coarse": levels.shape[1:],
            }
        )
        parts.append(levels.tobytes())
        start += levels.size
    return described, b"".join(parts)


def _check_rows(name: str, weights: Float[Tensor, "layer head query key"]) -> None:
    """Each row is a distribution over the keys, or all zeros where there was nothing to see."""
    if not weights.isfinite().all():
        raise ValueError(f"{name}: weights hold NaN or infinity; find out where they come from.")
    if weights.min() < -1e-4:
        raise ValueError(
            f"{name}: a weight of {weights.min():.3g}; weights after the softmax are at least 0."
        )
    sums = weights.sum(dim=-1)
    wrong = ((sums - 1).abs() > ROW_SUM_TOLERANCE) & (sums > 1e-6)
    if wrong.any():
        layer, head, query = wrong.nonzero()[0].tolist()
        raise ValueError(
            f"{name}: the weights of query {query} in layer {layer + 1}, head {head + 1} sum to "
            f"{sums[layer, head, query]:.3g} instead of 1; give weights after the softmax, in "
            "evaluation mode."
        )
