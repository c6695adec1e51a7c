"""Training any `Translator`: the loss, the learning rate, the loop.

A run is a function of its arguments. Everything random in epoch n (the order of the batches,
the dropout masks) is drawn from (seed, n) alone, so a run that was killed and resumed
draws what the uninterrupted one would have drawn.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from tqdm.auto import tqdm

from lib.checkpoints import load_checkpoint, save_checkpoint
from lib.text import PAD, Batch, Pair, batches
from lib.translator import Translator, evaluating

SCHEDULES = ("constant", "inverse_sqrt", "linear")
COLUMNS = {
    "epoch": int,
    "step": int,
    "train_loss": float,
    "validation_loss": float,
    "learning_rate": float,
    "seconds": float,
    "tokens_per_second": float,
}


def fit(
    model: Translator,
    train: Sequence[Pair],
    validation: Sequence[Pair] = (),
    *,
    epochs: int = 10,
    batch_size: int = 64,
    learning_rate: float = 1e-3,
    warmup_steps: int = 0,
    schedule: str = "constant",
    label_smoothing: float = 0.0,
    clip_norm: float | None = 1.0,
    max_len: int | None = None,
    seed: int = 0,
    device: str | torch.device | None = None,
    checkpoints: str | Path | None = None,
    on_step: Callable[[Translator, int, float], None] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Train with Adam (β₁ = 0.9, β₂ = 0.98, ε = 1e-9: Vaswani et al. 2017, section 5.3).

    The same arguments, machine and number of threads give the same weights bit for bit;
    seed PyTorch before you *build* the model, too. The caller's random state stays as it is.
    The model is changed in place and left in evaluation mode.

    Interrupting the kernel stops the training, not the notebook: the model keeps its latest
    weights, the history its complete epochs.

    Args:
        learning_rate: the highest one; see `learning_rate_at` for the schedules.
        clip_norm: gradients whose joint norm is larger are scaled down to it; None: never.
        max_len: training sentences are cut to this many tokens, <eos> included. Validation
            sentences are not cut.
        device: None trains where the model is; see `pick_device`.
        checkpoints: a folder for this run. Each epoch ends with a checkpoint there, and
            calling `fit` again with the same arguments goes on after the last complete epoch.
        on_step: called after each step with the model, the step (from 1) and the step's loss, to
            look at the model, not to change it. Random numbers drawn in it change no result.

    Returns:
        One row per complete epoch: `epoch`; `step` (steps since the beginning); `train_loss`
        and `validation_loss` (per token, in nats; the former with dropout and label smoothing,
        the latter with neither); `learning_rate` of its last step; `seconds` of its training
        steps; `tokens_per_second` (target tokens, no padding).

    Raises:
        ValueError: an argument makes no sense, or `checkpoints` holds a different run.
        FloatingPointError: a loss or gradient is no finite number. The weights are still those
            from before that step.
    """
    settings = _Settings(
        epochs, batch_size, learning_rate, warmup_steps, schedule, label_smoothing, clip_norm,
        max_len, seed,
    )  # fmt: skip
    run = _Run(model, train, settings, device, on_step)
    folder = None if checkpoints is None else Path(checkpoints)
    history: list[dict] = []
    if folder is not None:
        described = _describe(model, train, validation, settings)
        history = load_checkpoint(folder, model, run.optimizer, settings=described, epochs=epochs)
    bar = tqdm(total=epochs * run.steps, initial=len(history) * run.steps, disable=not progress)
    try:
        for epoch in range(len(history) + 1, epochs + 1):
            row = run.epoch(epoch, bar)
            row["validation_loss"] = evaluate(model, validation) if validation else math.nan
            history.append(row)
            note = f", validation loss {row['validation_loss']:.3f}" if validation else ""
            bar.set_description(f"{epoch}/{epochs} epochs{note}")
            if folder is not None:
                save_checkpoint(folder, model, run.optimizer, settings=described, history=history)
    except KeyboardInterrupt:
        print(f"Interrupted after {len(history)} of {epochs} epochs; the model keeps its weights.")
    finally:
        bar.close()
        model.eval()
    return pd.DataFrame(history, columns=list(COLUMNS)).astype(COLUMNS)


def loss(
    logits: Float[Tensor, "batch target vocab"],
    labels: Int[Tensor, "batch target"],
    *,
    label_smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """Mean cross-entropy per token, in nats; padding is no token.

    With label smoothing ε, each token's loss is (1 - ε) times its own cross-entropy plus
    ε times the mean of all classes' (Szegedy et al. 2016, section 7), special tokens among them.
    """
    return F.cross_entropy(
        logits.flatten(0, 1),
        labels.flatten(),
        ignore_index=PAD,
        label_smoothing=label_smoothing,
    )


def evaluate(model: Translator, pairs: Sequence[Pair], *, batch_size: int = 256) -> float:
    """Mean cross-entropy per target token, in nats, with dropout off.

    The decoder sees what it saw in training: the true tokens so far, never later ones.
    Each part of the model is left in the mode it was in.
    """
    if not pairs:
        raise ValueError("evaluate: there are no sentence pairs")
    device = _device_of(model)
    total, tokens = 0.0, 0
    with evaluating(model):
        for batch in batches(pairs, model.source_vocab, model.target_vocab, batch_size=batch_size):
            count = int(batch.target_mask.sum())
            total += count * _batch_loss(model, batch.to(device)).item()
            tokens += count
    return total / tokens


def learning_rate_at(
    step: int, *, peak: float, schedule: str, warmup_steps: int, total_steps: int
) -> float:
    """The learning rate of one step; the first step is 1.

    It rises linearly to `peak` at step `warmup_steps`. Then it

    - stays there (`constant`);
    - falls as 1/√step (`inverse_sqrt`: Vaswani et al. 2017, eq. 3, where the peak is
      d_model^-0.5 · warmup_steps^-0.5);
    - falls linearly (`linear`), such that the step after the last one would have zero.
    """
    warmup = max(warmup_steps, 1)
    if step < warmup:
        return peak * (step / warmup)
    if schedule == "inverse_sqrt":
        return peak * math.sqrt(warmup / step)
    if schedule == "linear":
        return peak * ((total_steps + 1 - step) / (total_steps + 1 - warmup))
    return peak


def pick_device(name: str | torch.device | None = None) -> torch.device:
    """The named device or, without a name, the fastest there is: CUDA, then MPS, then the CPU.

    Raises:
        ValueError: there is no such device here.
    """
    there = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}
    if name is None:
        return torch.device(next((kind for kind, found in there.items() if found()), "cpu"))
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ValueError(f"device={name!r} is not one of 'cpu', 'cuda', 'mps'") from error
    if device.type != "cpu" and not there.get(device.type, lambda: False)():
        raise ValueError(f"device={name!r}: there is none here; 'cpu' is always there")
    return device


@dataclass(frozen=True)
class _Settings:
    """The numbers of a run, checked."""

    epochs: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    schedule: str
    label_smoothing: float
    clip_norm: float | None
    max_len: int | None
    seed: int

    def __post_init__(self) -> None:
        self._check("epochs", lambda value: value >= 1, "at least 1")
        self._check("batch_size", lambda value: value >= 1, "at least 1")
        self._check("learning_rate", lambda value: 0 < value < math.inf, "above 0")
        self._check("warmup_steps", lambda value: value >= 0, "0 or more")
        self._check("schedule", lambda value: value in SCHEDULES, f"one of {SCHEDULES}")
        self._check("label_smoothing", lambda value: 0 <= value < 1, "at least 0 and below 1")
        self._check(
            "clip_norm", lambda value: value is None or 0 < value < math.inf, "above 0, or None"
        )
        self._check("max_len", lambda value: value is None or value >= 1, "at least 1, or None")
        self._check("seed", lambda value: value >= 0, "0 or more")

    def _check(self, name: str, holds: Callable, wanted: str) -> None:
        if not holds(getattr(self, name)):
            raise ValueError(f"{name}={getattr(self, name)!r} must be {wanted}")


class _Run:
    """A model, its training pairs and its optimizer; trains one epoch at a time."""

    def __init__(
        self,
        model: Translator,
        train: Sequence[Pair],
        settings: _Settings,
        device: str | torch.device | None,
        on_step: Callable[[Translator, int, float], None] | None,
    ) -> None:
        if not train:
            raise ValueError("fit: there are no sentence pairs to train on")
        self.steps = math.ceil(len(train) / settings.batch_size)  # per epoch
        total = settings.epochs * self.steps
        if settings.schedule == "linear" and settings.warmup_steps > total:
            raise ValueError(
                f"warmup_steps={settings.warmup_steps} is more than the {total} steps of this run"
            )
        if device is not None:
            model.to(pick_device(device))
        self.model, self.train, self.settings, self.on_step = model, train, settings, on_step
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(
            self.parameters, settings.learning_rate, betas=(0.9, 0.98), eps=1e-9, fused=True
        )

    def epoch(self, epoch: int, bar: tqdm) -> dict:
        """Train one epoch; returns its row of the history."""
        begin = time.perf_counter()
        device = _device_of(self.model)
        seeds = np.random.SeedSequence((self.settings.seed, epoch))
        order, draws = seeds.generate_state(2, np.uint64).tolist()
        step, total, tokens = (epoch - 1) * self.steps, 0.0, 0
        self.model.train()
        with _drawing_from(draws, device):
            for batch in self._batches(order):
                step += 1
                rate = self._rate(step)
                value = self._step(batch.to(device), rate, f"epoch {epoch}, step {step}")
                count = int(batch.target_mask.sum())
                total, tokens = total + value * count, tokens + count
                bar.set_postfix(loss=f"{total / tokens:.3f}", refresh=False)
                bar.update()
                if self.on_step:
                    with _drawing_from(0, device):
                        self.on_step(self.model, step, value)
        seconds = time.perf_counter() - begin
        return {
            "epoch": epoch,
            "step": step,
            "train_loss": total / tokens,
            "learning_rate": rate,
            "seconds": seconds,
            "tokens_per_second": tokens / seconds,
        }

    def _batches(self, seed: int) -> list[Batch]:
        return batches(
            self.train,
            self.model.source_vocab,
            self.model.target_vocab,
            batch_size=self.settings.batch_size,
            max_len=self.settings.max_len,
            generator=torch.Generator().manual_seed(seed),
        )

    def _rate(self, step: int) -> float:
        return learning_rate_at(
            step,
            peak=self.settings.learning_rate,
            schedule=self.settings.schedule,
            warmup_steps=self.settings.warmup_steps,
            total_steps=self.settings.epochs * self.steps,
        )

    def _step(self, batch: Batch, rate: float, where: str) -> float:
        """One step of Adam, unless loss or gradient are no finite numbers; returns the loss."""
        self.optimizer.zero_grad()
        batch_loss = _batch_loss(self.model, batch, self.settings.label_smoothing)
        batch_loss.backward()
        clip_norm = self.settings.clip_norm or math.inf
        norm = nn.utils.clip_grad_norm_(self.parameters, clip_norm)
        value, norm = torch.stack([batch_loss.detach(), norm]).tolist()  # waits for a GPU once
        if not (math.isfinite(value) and math.isfinite(norm)):
            raise FloatingPointError(
                f"{where}: loss={value}, gradient norm={norm}; the weights are those before this "
                f"step: try a smaller learning_rate (here {rate:.3g}) or clip_norm ({clip_norm})"
            )
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return value


def _batch_loss(model: Translator, batch: Batch, label_smoothing: float = 0.0) -> Tensor:
    logits = model(batch.source, batch.source_mask, batch.target).logits
    return loss(logits, batch.labels, label_smoothing=label_smoothing)


def _device_of(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


@contextmanager
def _drawing_from(seed: int, device: torch.device) -> Iterator[None]:
    """Seed PyTorch's random numbers within, and put them back as they were."""
    on_cpu = device.type == "cpu"
    with torch.random.fork_rng(
        [] if on_cpu else [device], device_type="cuda" if on_cpu else device.type
    ):
        torch.default_generator.manual_seed(seed)
        if device.type == "cuda":
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        elif device.type == "mps":
            torch.mps.manual_seed(seed)
        yield


def _describe(
    model: Translator, train: Sequence[Pair], validation: Sequence[Pair], settings: _Settings
) -> dict:
    """Everything that must be the same for a run to go on, by names that a reader can act on."""
    described = {"model": type(model).__name__} | asdict(settings)
    described |= {
        "source_vocab": _digest(model.source_vocab.tokens, "tokens"),
        "target_vocab": _digest(model.target_vocab.tokens, "tokens"),
        "train": _digest_pairs(train),
        "validation": _digest_pairs(validation),
    }
    if hasattr(model, "config"):
        described |= {f"config.{name}": value for name, value in asdict(model.config).items()}
    if settings.schedule != "linear":  # only there do the rates depend on the number of epochs
        del described["epochs"]
    return described


def _digest(lines: Sequence[str], kind: str) -> str:
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
    return f"{len(lines)} {kind} ({digest})"


def _digest_pairs(pairs: Sequence[Pair]) -> str:
    return _digest([" ".join(p.source) + "\t" + " ".join(p.target) for p in pairs], "pairs")
