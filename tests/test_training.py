"""Training: the loss, the schedules, the loop, and that a run depends on its arguments alone."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from conftest import SOURCE_VOCAB, TARGET_VOCAB, build
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from torch.nn import functional as F
from torch.nn.utils import get_total_norm
from torch.testing import assert_close

import lib.training
from lib.text import PAD, Pair, batches, make_batch
from lib.training import SCHEDULES, evaluate, fit, learning_rate_at, loss, pick_device
from lib.translator import evaluating


def copies(count, seed, longest=6):
    """Sentence pairs in which each target word is the source word's number."""
    draw = np.random.default_rng(seed)
    words = [draw.integers(12, size=draw.integers(1, longest + 1)) for _ in range(count)]
    return [Pair(tuple(f"s{i}" for i in w), tuple(f"t{i}" for i in w)) for w in words]


TRAIN, VALIDATION = copies(40, seed=0), copies(12, seed=2)
SOME = ["additive", "Transformer"]
some_model = pytest.mark.parametrize("name", SOME)


def run(model, train=TRAIN, validation=VALIDATION, **arguments):
    arguments = {"epochs": 2, "batch_size": 8, "progress": False} | arguments
    return fit(model, train, validation, **arguments)


def same(a, b):
    return all(map(torch.equal, a.state_dict().values(), b.state_dict().values()))


def without_time(history):
    return history.drop(columns=["seconds", "tokens_per_second"])


def without_dropout(name):
    model = build(name)
    torch.manual_seed(0)
    return type(model)(SOURCE_VOCAB, TARGET_VOCAB, replace(model.config, dropout=0.0))


class After:
    """Stands in for a model's forward and does something else from call `n` on."""

    def __init__(self, monkeypatch, model, n, action):
        self.calls, self.n, self.forward, self.action = 0, n, model.forward, action
        monkeypatch.setattr(model, "forward", self)

    def __call__(self, *arguments, **options):
        self.calls += 1
        decoded = self.forward(*arguments, **options)
        return self.action(decoded) if self.calls >= self.n else decoded


# ── the loss ─────────────────────────────────────────────────────────────────────────────


@st.composite
def predictions(draw):
    """Logits, and labels of which at least one is no padding."""
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
    seed = draw(st.integers(0, 2**32))
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(1, 7, (len(lengths), 5), generator=generator)
    labels[torch.arange(5) >= torch.tensor(lengths)[:, None]] = PAD
    return torch.randn(len(lengths), 5, 7, generator=generator), labels


@given(predictions())
def test_the_loss_is_the_mean_over_tokens_that_are_no_padding(prediction):
    logits, labels = prediction
    by_hand = [
        -math.log(math.exp(row[label]) / sum(map(math.exp, row)))
        for row, label in zip(logits.flatten(0, 1).tolist(), labels.flatten().tolist(), strict=True)
        if label != PAD
    ]
    assert loss(logits, labels).item() == pytest.approx(sum(by_hand) / len(by_hand), rel=1e-5)


@given(predictions(), st.integers(1, 4), st.sampled_from([0.0, 0.1]))
def test_the_loss_does_not_see_padding_nor_what_was_predicted_there(prediction, more, smoothing):
    logits, labels = prediction
    wide = F.pad(logits, (0, 0, 0, more), value=3.0)
    wide[F.pad(labels, (0, more)) == PAD] = torch.linspace(-9, 9, 7)
    assert_close(
        loss(wide, F.pad(labels, (0, more)), label_smoothing=smoothing),
        loss(logits, labels, label_smoothing=smoothing),
    )


@given(predictions(), st.floats(0.01, 0.9))
def test_label_smoothing_is_the_formula_on_tokens_that_are_no_padding(prediction, epsilon):
    logits, labels = prediction
    rows, words = logits[labels != PAD], labels[labels != PAD]
    log_p = rows.log_softmax(dim=-1)
    own = -log_p[torch.arange(len(words)), words]
    expected = ((1 - epsilon) * own - epsilon * log_p.mean(dim=-1)).mean()
    assert_close(loss(logits, labels, label_smoothing=epsilon), expected)


# ── evaluation ───────────────────────────────────────────────────────────────────────────


def test_evaluate_is_the_loss_of_decoding_word_by_word(model):
    """What comes later cannot be seen word by word, so in `evaluate` it was not seen either."""
    total, tokens = 0.0, 0
    with torch.no_grad():
        for pair in VALIDATION:
            batch = make_batch([pair], SOURCE_VOCAB, TARGET_VOCAB)
            memory, cache = model.encode(batch.source, batch.source_mask), None
            for word, label in zip(batch.target[0], batch.labels[0], strict=True):
                logits, cache, _ = model.decode(word.view(1, 1), memory, cache)
                total -= logits[0, 0].log_softmax(-1)[label].item()
                tokens += 1
    assert evaluate(model, VALIDATION, batch_size=5) == pytest.approx(total / tokens, rel=1e-5)


@some_model
def test_evaluate_has_no_dropout_and_leaves_each_part_in_its_mode(name, monkeypatch):
    model = build(name)
    expected = evaluate(model, VALIDATION)
    model.train()
    model.encoder.eval()
    modes = [module.training for module in model.modules()]
    assert evaluate(model, VALIDATION) == expected
    assert [module.training for module in model.modules()] == modes
    monkeypatch.setattr(model, "forward", None)  # even when it fails
    with pytest.raises(TypeError):
        evaluate(model, VALIDATION)
    assert [module.training for module in model.modules()] == modes


def test_evaluate_refuses_an_empty_list():
    with pytest.raises(ValueError, match="no sentence pairs"):
        evaluate(build("additive"), [])


# ── learning rates ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("constant", {1: 0.25, 3: 0.75, 4: 1, 5: 1, 10: 1}),
        ("inverse_sqrt", {1: 0.25, 4: 1, 9: 2 / 3, 16: 0.5}),
        ("linear", {1: 0.25, 4: 1, 5: 6 / 7, 9: 2 / 7, 10: 1 / 7, 11: 0}),
    ],
)
def test_schedules_at_given_steps(schedule, expected):
    for step, rate in expected.items():
        actual = learning_rate_at(step, peak=2.0, schedule=schedule, warmup_steps=4, total_steps=10)
        assert actual == pytest.approx(2 * rate)


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 1024))
def test_inverse_sqrt_is_the_papers_equation_3(step, warmup, d_model):
    papers = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    peak = (d_model * warmup) ** -0.5
    ours = learning_rate_at(
        step, peak=peak, schedule="inverse_sqrt", warmup_steps=warmup, total_steps=0
    )
    assert ours == pytest.approx(papers)


@given(st.sampled_from(SCHEDULES), st.integers(0, 50), st.integers(1, 100))
def test_the_stated_learning_rate_is_the_highest(schedule, warmup, total):
    total = max(total, warmup)
    rates = [
        learning_rate_at(s, peak=0.1, schedule=schedule, warmup_steps=warmup, total_steps=total)
        for s in range(1, total + 1)
    ]
    assert max(rates) == rates[max(warmup, 1) - 1] == 0.1
    assert min(rates) > 0


# ── the loop ─────────────────────────────────────────────────────────────────────────────


def test_every_model_learns(model):
    history = run(model, epochs=4, learning_rate=0.01)
    assert history.train_loss.iloc[-1] < history.train_loss.iloc[0] - 0.1
    assert history.validation_loss.iloc[-1] == evaluate(model, VALIDATION)


def test_the_history_has_a_row_per_epoch_and_validation_may_be_missing():
    history = run(build("additive"), validation=(), epochs=3, schedule="inverse_sqrt")
    assert list(history.columns) == list(lib.training.COLUMNS)
    assert history.epoch.tolist() == [1, 2, 3]
    assert history.step.tolist() == [5, 10, 15]
    assert history.validation_loss.isna().all()
    assert history.learning_rate.tolist() == pytest.approx(
        [1e-3 / math.sqrt(n) for n in (5, 10, 15)]
    )
    tokens = sum(len(pair.target) + 1 for pair in TRAIN)
    assert (history.seconds * history.tokens_per_second).tolist() == pytest.approx([tokens] * 3)
    assert all(history.dtypes == ["int64", "int64"] + 5 * ["float64"])


@some_model
def test_a_run_is_the_plain_loop(name):
    """Zeroed gradients, masked loss, clipping, Adam with this step's rate, and nothing more."""
    ours, plain = without_dropout(name), without_dropout(name)
    run(ours, epochs=3, batch_size=len(TRAIN), clip_norm=0.3, warmup_steps=2)
    batch = make_batch(TRAIN, SOURCE_VOCAB, TARGET_VOCAB)
    adam = torch.optim.Adam(plain.parameters(), betas=(0.9, 0.98), eps=1e-9)
    for rate in (0.5e-3, 1e-3, 1e-3):
        adam.zero_grad()
        adam.param_groups[0]["lr"] = rate
        loss(plain(batch.source, batch.source_mask, batch.target).logits, batch.labels).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.3)
        adam.step()
    for a, b in zip(ours.parameters(), plain.parameters(), strict=True):
        assert_close(a, b, rtol=1e-4, atol=2e-5)


def test_the_training_loss_is_averaged_over_tokens_not_batches():
    model = without_dropout("additive")
    history = run(model, epochs=1, batch_size=7, learning_rate=1e-30)
    assert history.train_loss[0] == pytest.approx(evaluate(model, TRAIN), rel=1e-6)


@some_model
def test_gradients_are_clipped_by_their_joint_norm(name):
    def last_norm(clip_norm):
        model = build(name)
        run(model, epochs=1, clip_norm=clip_norm)
        return get_total_norm([p.grad for p in model.parameters()]).item()

    assert last_norm(0.01) == pytest.approx(0.01, rel=1e-3)
    assert last_norm(None) > 0.1


@some_model
def test_on_step_sees_every_step_and_may_look_without_changing_the_result(name):
    seen = []

    def look(model, step, value):
        with evaluating(model):
            evaluate(model, VALIDATION)
        torch.rand(3)
        seen.append((step, value))

    watched, alone = build(name), build(name)
    history = run(watched, on_step=look)
    assert_frame_equal(without_time(history), without_time(run(alone)))
    assert same(watched, alone)
    assert [step for step, _ in seen] == list(range(1, history["step"].iloc[-1] + 1))
    assert all(math.isfinite(value) for _, value in seen)


def test_max_len_cuts_training_sentences_but_not_validation(monkeypatch):
    seen = []

    def spy(pairs, *arguments, **options):
        found = batches(pairs, *arguments, **options)
        seen.append((len(pairs), max(batch.labels.shape[1] for batch in found)))
        return found

    monkeypatch.setattr(lib.training, "batches", spy)
    run(build("additive"), epochs=1, max_len=3)
    assert seen == [(40, 3), (12, 6 + 1)]


def test_what_must_not_learn_does_not():
    model, before = build("Transformer"), build("Transformer")
    model.encoder.requires_grad_(False)
    run(model)
    assert same(model.encoder, before.encoder)
    assert not same(model.decoder, before.decoder)


def test_progress_shows_the_loss_unless_told_not_to(capsys):
    run(build("additive"))
    assert capsys.readouterr() == ("", "")
    run(build("additive"), progress=True)
    shown = capsys.readouterr().err
    assert "loss=" in shown
    assert "2/2 epochs, validation loss 2." in shown
    assert "10/10" in shown


# ── seeds ────────────────────────────────────────────────────────────────────────────────


def test_same_seed_same_weights_bit_for_bit_whatever_was_drawn_before(model):
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    torch.manual_seed(1)
    first = run(model)
    after = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.load_state_dict(weights)
    torch.manual_seed(2)
    second = run(model)
    pd.testing.assert_frame_equal(without_time(first), without_time(second), check_exact=True)
    assert all(torch.equal(after[name], tensor) for name, tensor in model.state_dict().items())


@some_model
def test_another_seed_gives_other_weights(name):
    a, b = build(name), build(name)
    run(a, seed=0)
    run(b, seed=1)
    assert not same(a, b)


def test_each_epoch_draws_its_own_order_and_masks(monkeypatch):
    orders, draws = [], []

    def spy(pairs, *arguments, **options):
        found = batches(pairs, *arguments, **options)
        if "generator" in options:
            orders.append(tuple(batch.index for batch in found))
            draws.append(torch.initial_seed())
        return found

    monkeypatch.setattr(lib.training, "batches", spy)
    run(build("additive"), epochs=3)
    assert len(set(orders)) == len(set(draws)) == 3


def test_the_callers_random_numbers_are_left_alone(tmp_path):
    torch.manual_seed(7)
    before, numpys = torch.get_rng_state(), np.random.get_state()[1].copy()
    model = build("Transformer")
    torch.manual_seed(7)
    run(model, checkpoints=tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    assert (np.random.get_state()[1] == numpys).all()
    assert not model.training


# ── trouble ──────────────────────────────────────────────────────────────────────────────


@some_model
def test_an_interrupt_keeps_the_model_and_the_history_so_far(name, monkeypatch, capsys):
    def interrupt(_):
        raise KeyboardInterrupt

    interrupted, whole = build(name), build(name)
    whole_history = run(whole, epochs=3)
    calls_per_epoch = 5 + 1  # batches of training, of validation
    forward = After(monkeypatch, interrupted, 2 * calls_per_epoch + 3, interrupt)
    history = run(interrupted, epochs=3)
    assert forward.calls == forward.n
    assert (
        capsys.readouterr().out == "Interrupted after 2 of 3 epochs; the model keeps its weights.\n"
    )
    pd.testing.assert_frame_equal(
        without_time(history), without_time(whole_history)[:2], check_exact=True
    )
    assert not interrupted.training
    after_two_epochs = build(name)
    run(after_two_epochs)
    assert not same(interrupted, after_two_epochs)  # two more steps were made


@pytest.mark.parametrize("value", [math.nan, math.inf])
@some_model
def test_a_loss_that_is_no_number_stops_before_it_spoils_the_weights(name, value, monkeypatch):
    model = build(name)
    seen = []

    def spoil(decoded):
        seen.extend([p.detach().clone() for p in model.parameters()])
        return decoded._replace(logits=decoded.logits * value)

    After(monkeypatch, model, 8, spoil)
    with pytest.raises(
        FloatingPointError,
        match=r"epoch 2, step 7: loss=nan.*learning_rate .here 0.001. or clip_norm .1.0.",
    ):
        run(model)
    assert all(map(torch.equal, seen, model.parameters()))
    assert all(p.isfinite().all() for p in model.parameters())
    assert not model.training


def test_a_gradient_that_is_no_number_stops_before_it_spoils_the_weights():
    model = build("Transformer")
    model.decoder.output.bias.register_hook(lambda gradient: gradient * math.inf)
    with pytest.raises(
        FloatingPointError, match=r"step 1: loss=3.* norm=(inf|nan).*clip_norm .inf."
    ):
        run(model, clip_norm=None)
    assert same(model, build("Transformer"))


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("epochs", 0),
        ("batch_size", 0),
        ("learning_rate", -0.1),
        ("learning_rate", 0.0),
        ("learning_rate", math.nan),
        ("learning_rate", math.inf),
        ("warmup_steps", -1),
        ("schedule", "cosine"),
        ("label_smoothing", 1.0),
        ("label_smoothing", -0.1),
        ("clip_norm", 0.0),
        ("clip_norm", math.inf),
        ("max_len", 0),
        ("seed", -1),
    ],
)
def test_arguments_that_make_no_sense_are_refused_by_name_and_value(argument, value):
    model = build("additive")
    with pytest.raises(ValueError, match=f"{argument}={value!r} must be "):
        run(model, **{argument: value})
    assert same(model, build("additive"))


def test_nothing_to_train_on_and_too_long_a_warm_up_are_refused():
    with pytest.raises(ValueError, match="no sentence pairs to train on"):
        run(build("additive"), train=[])
    with pytest.raises(ValueError, match="warmup_steps=11 is more than the 10 steps"):
        run(build("additive"), schedule="linear", warmup_steps=11)
    run(build("additive"), schedule="linear", warmup_steps=10)


def test_devices():
    assert pick_device("cpu") == torch.device("cpu")
    assert pick_device().type in ("cpu", "cuda", "mps")
    with pytest.raises(ValueError, match="'abacus' is not one of"):
        pick_device("abacus")
    with pytest.raises(ValueError, match="device='meta': there is none here"):
        run(build("additive"), device="meta")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device='cuda': there is none here"):
            pick_device("cuda")


@pytest.mark.skipif(pick_device().type == "cpu", reason="there is no GPU here")
@some_model
def test_the_same_run_on_a_gpu(name, tmp_path):
    model, on_cpu = build(name), build(name)
    device = pick_device()
    history = run(model, device=device, checkpoints=tmp_path)
    assert next(model.parameters()).device.type == device.type
    assert history.train_loss.tolist() == pytest.approx(run(on_cpu).train_loss.tolist(), rel=0.05)
    run(model, epochs=3, device=device, checkpoints=tmp_path)


# ── killed and resumed ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("schedule", ["constant", "inverse_sqrt"])
def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(model, schedule, tmp_path):
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    settings = {"schedule": schedule, "warmup_steps": 7, "learning_rate": 0.01}
    whole = run(model, epochs=3, **settings)
    after = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for epochs in (1, 3):
        model.load_state_dict(weights)
        torch.manual_seed(epochs)
        resumed = run(model, epochs=epochs, checkpoints=tmp_path, **settings)
    pd.testing.assert_frame_equal(without_time(whole), without_time(resumed), check_exact=True)
    assert all(torch.equal(after[name], tensor) for name, tensor in model.state_dict().items())


@some_model
def test_an_interrupted_run_goes_on_after_its_last_complete_epoch(name, monkeypatch, tmp_path):
    def interrupt(_):
        raise KeyboardInterrupt

    model, whole = build(name), build(name)
    expected = run(whole, epochs=3, schedule="linear")
    with monkeypatch.context() as patch:
        After(patch, model, 10, interrupt)
        assert len(run(model, epochs=3, schedule="linear", checkpoints=tmp_path)) == 1
    history = run(model, epochs=3, schedule="linear", checkpoints=tmp_path)
    pd.testing.assert_frame_equal(without_time(history), without_time(expected), check_exact=True)
    assert same(model, whole)


def test_a_finished_run_returns_its_history_and_weights_at_once(monkeypatch, tmp_path):
    model, again = build("additive"), build("additive", seed=5)
    history = run(model, checkpoints=tmp_path)
    monkeypatch.setattr(lib.training, "batches", None)  # nothing is read, let alone trained
    pd.testing.assert_frame_equal(run(again, checkpoints=str(tmp_path)), history)
    assert same(model, again)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"learning_rate": 0.5}, "learning_rate=0.001, not 0.5"),
        ({"seed": 3}, "seed=0, not 3"),
        ({"batch_size": 9}, "batch_size=8, not 9"),
        ({"warmup_steps": 1}, "warmup_steps=0, not 1"),
        ({"schedule": "inverse_sqrt"}, "schedule='constant', not 'inverse_sqrt'"),
        ({"label_smoothing": 0.1}, "label_smoothing=0.0, not 0.1"),
        ({"clip_norm": None}, "clip_norm=1.0, not None"),
        ({"max_len": 4}, "max_len=None, not 4"),
        ({"train": TRAIN[:-1]}, r"train='40 pairs \(.*\)', not '39 pairs"),
        ({"train": [*TRAIN[:-1], TRAIN[0]]}, r"train='40 pairs \(.*\)', not '40 pairs"),
        ({"validation": ()}, "validation='12 pairs"),
        ({"epochs": 1}, "a run of 2 epochs, more than epochs=1"),
    ],
)
def test_another_run_is_not_resumed(changed, message, tmp_path):
    run(build("additive"), checkpoints=tmp_path)
    model = build("additive")
    with pytest.raises(ValueError, match=message):
        run(model, checkpoints=tmp_path, **changed)
    assert same(model, build("additive"))


def test_another_model_or_a_longer_linear_schedule_is_not_resumed(tmp_path):
    run(build("additive"), schedule="linear", checkpoints=tmp_path)
    with pytest.raises(ValueError, match="epochs=2, not 3"):
        run(build("additive"), schedule="linear", epochs=3, checkpoints=tmp_path)
    with pytest.raises(ValueError, match="attention='additive', not 'scaled_dot'"):
        run(build("scaled dot"), schedule="linear", checkpoints=tmp_path)
    with pytest.raises(ValueError, match="model='RecurrentTranslator', not 'Transformer'"):
        run(build("Transformer"), schedule="linear", checkpoints=tmp_path)


KILLED_AGAIN_AND_AGAIN = """
import os, random, signal, sys, time, torch
sys.path[:0] = ["tests", "."]
from test_training import build, run
name, folder, seed = sys.argv[1:]
torch.set_num_threads(1)
rng, killed = random.Random(int(seed)), 0
for _ in range(15):
    child = os.fork()
    if child == 0:
        run(build(name), epochs=8, checkpoints=folder)
        os._exit(0)
    time.sleep(rng.uniform(0.02, 0.4))
    os.kill(child, signal.SIGKILL)
    killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
print(killed)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no kill -9 here")
@some_model
def test_kill_9_at_any_moment_changes_no_bit_of_the_result(name, tmp_path):
    """Fifteen training processes, each killed at a random moment; the last run finishes."""
    whole, resumed = build(name), build(name)
    expected = run(whole, epochs=8)
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed of the moments: {seed}")
    killer = subprocess.run(
        [sys.executable, "-c", KILLED_AGAIN_AND_AGAIN, name, str(tmp_path), str(seed)],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert killer.returncode == 0, killer.stderr
    assert int(killer.stdout) > 0
    history = run(resumed, epochs=8, checkpoints=tmp_path)
    pd.testing.assert_frame_equal(without_time(history), without_time(expected), check_exact=True)
    assert same(resumed, whole)
