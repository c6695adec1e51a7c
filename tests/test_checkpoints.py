"""Models and training runs on disk: nothing lost, nothing mixed up, nothing that runs code."""

import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import SOURCE_VOCAB, TARGET_VOCAB, build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lib.checkpoints
from lib.checkpoints import (
    load_checkpoint,
    load_model,
    model_info,
    save_checkpoint,
    save_model,
)
from lib.translator import Translator

SETTINGS = {"learning_rate": 0.1, "seed": 0, "clip_norm": None}


def same(a, b):
    return all(map(torch.equal, a.state_dict().values(), b.state_dict().values()))


def trained(name="additive", seed=0):
    """A small model and its Adam after one step (on a made-up loss)."""
    model = build(name, seed)
    adam = torch.optim.Adam(model.parameters(), fused=True)
    sum((p * p).sum() for p in model.parameters()).backward()
    adam.step()
    return model, adam


def checkpoint(folder, epochs, model, adam):
    history = [{"epoch": n, "train_loss": 1 / n} for n in range(1, epochs + 1)]
    save_checkpoint(folder, model, adam, settings=SETTINGS, history=history)
    return history


def restore(folder, model, adam):
    return load_checkpoint(folder, model, adam, settings=SETTINGS, epochs=99)


class Killed(BaseException):
    """Nobody catches it, as nobody catches a power cut."""


def kill_at(monkeypatch, place):
    """Stop at the place-th time that the disk is asked for something; counts them in a list."""
    asked = []

    def instead_of(original):
        def call(*arguments, **options):
            asked.append(original.__name__)
            if len(asked) == place:
                raise Killed
            return original(*arguments, **options)

        return call

    for owner, name in [
        (os, "fsync"),
        (Path, "open"),
        (Path, "replace"),
        (Path, "rename"),
        (Path, "mkdir"),
        (shutil, "rmtree"),
    ]:
        monkeypatch.setattr(owner, name, instead_of(getattr(owner, name)))
    return asked


# ── models ───────────────────────────────────────────────────────────────────────────────


def test_a_stored_model_comes_back_bit_for_bit_ready_to_translate(model, tmp_path):
    save_model(model.train(), tmp_path / "new" / "model")
    torch.manual_seed(3)
    before = torch.get_rng_state()
    loaded = load_model(tmp_path / "new" / "model")
    assert torch.equal(torch.get_rng_state(), before)
    assert type(loaded) is type(model)
    assert loaded.config == model.config
    assert (loaded.source_vocab, loaded.target_vocab) == (SOURCE_VOCAB, TARGET_VOCAB)
    assert not loaded.training
    assert same(loaded, model)
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == [
        "model.json",
        "model.safetensors",
    ]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_halves_the_file_and_loads_as_float32(dtype, tmp_path):
    model = build("Transformer")
    save_model(model, tmp_path / "whole")
    save_model(model, tmp_path / "half", dtype=dtype)
    loaded = load_model(tmp_path / "half")
    for a, b in zip(loaded.parameters(), model.parameters(), strict=True):
        assert a.dtype == torch.float32
        assert torch.equal(a, b.to(dtype).float())
    numbers = sum(p.numel() for p in model.parameters())
    saved = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("whole", "half")]
    assert saved[0] - saved[1] == pytest.approx(2 * numbers, rel=0.02)


def test_numbers_too_large_for_half_precision_are_refused(tmp_path):
    model = build("additive")
    model.decoder.readout.output.bias.data[3] = 1e5
    with pytest.raises(ValueError, match=r"readout.output.bias .* too large for dtype=.*float16"):
        save_model(model, tmp_path / "model", dtype=torch.float16)
    with pytest.raises(ValueError, match=r"dtype=torch.int8: weights are stored as"):
        save_model(model, tmp_path / "model", dtype=torch.int8)


def test_scores_are_kept_beside_the_weights(tmp_path):
    save_model(build("dot"), tmp_path / "model", bleu=np.float32(95.5), seeds=[np.int64(1), 2])
    assert model_info(tmp_path / "model")["extra"] == {"bleu": 95.5, "seeds": [1, 2]}
    with pytest.raises(TypeError, match="JSON cannot hold"):
        save_model(build("dot"), tmp_path / "other", folder=tmp_path)


def test_an_ending_may_be_given_and_other_dots_stay(tmp_path):
    save_model(build("dot"), tmp_path / "v1.5.safetensors")
    assert {p.name for p in tmp_path.iterdir()} == {"v1.5.json", "v1.5.safetensors"}
    for name in ("v1.5", "v1.5.json", "v1.5.safetensors"):
        assert same(load_model(str(tmp_path / name)), build("dot"))


def test_a_bare_name_means_the_courses_own_unless_the_reader_saved_one(tmp_path, monkeypatch):
    monkeypatch.setattr(lib.checkpoints, "MODELS", tmp_path / "models")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    save_model(build("additive"), tmp_path / "models" / "bahdanau")
    assert same(load_model("bahdanau"), build("additive"))
    save_model(build("additive", seed=1), "bahdanau")
    assert same(load_model("bahdanau"), build("additive", seed=1))
    save_model(build("dot"), tmp_path / "models" / "luong")
    with pytest.raises(FileNotFoundError, match=r"no model 'vaswani'.*own are: bahdanau, luong"):
        load_model("vaswani")


def test_only_models_of_the_course_are_saved(tmp_path):
    with pytest.raises(
        ValueError, match=r"cannot save a Translator: .* RecurrentTranslator, Trans"
    ):
        save_model(Translator(), tmp_path / "model")
    assert not list(tmp_path.iterdir())


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 0.999), st.sampled_from(["safetensors", "json"]))
def test_a_file_that_was_cut_off_is_named(tmp_path, part, ending):
    save_model(build("dot"), tmp_path / "model")
    file = tmp_path / f"model.{ending}"
    data = file.read_bytes()[:-1]  # without its newline, JSON is still complete
    file.write_bytes(data[: int(part * len(data))])
    with pytest.raises(ValueError, match=f"model.{ending} is cut off or no "):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"class": "GPT"}, "class 'GPT' is not one of RecurrentTranslator, Transformer"),
        ({"class": "Transformer"}, "settings are not those of this version's Transformer"),
        ({"config": {"sparsity": 2}}, "RecurrentTranslator: .* 'sparsity'"),
        ({"config": {"cell": "rwkv"}}, "cell='rwkv' is unknown"),
        (
            {"config": {"hidden_size": 32}},
            r"has the shape \(.*\), this version's Recurrent.* wants",
        ),
        ({"config": {"attention": None}}, r"decoder.readout.* has the shape \(.*wants \("),
        ({"config": {"attention": "dot"}}, r"decoder.score.* has the shape (\(.*wants )?None"),
        ({"source_vocab": ["<pad>", "<bos>", "<eos>", "<unk>", "a"]}, "encoder.embedding"),
        ({"source_vocab": ["a", "a"]}, "'a' may stand only once"),
        ({"sha256": "0"}, "were not written together"),
    ],
)
def test_json_of_another_model_is_refused(change, message, tmp_path):
    save_model(build("additive"), tmp_path / "model")
    file = tmp_path / "model.json"
    info = json.loads(file.read_text("utf-8"))
    config = info["config"] | change.get("config", {})
    file.write_text(json.dumps(info | change | {"config": config}), "utf-8")
    with pytest.raises(ValueError, match=message):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("key", ["class", "config", "sha256", "source_vocab", "extra"])
def test_json_that_lacks_something_is_refused(key, tmp_path):
    save_model(build("additive"), tmp_path / "model")
    file = tmp_path / "model.json"
    info = json.loads(file.read_text("utf-8"))
    del info[key]
    file.write_text(json.dumps(info), "utf-8")
    with pytest.raises(ValueError, match=f"has no '{key}': save_model did not write it"):
        load_model(tmp_path / "model")
    file.write_text("[]", "utf-8")
    with pytest.raises(ValueError, match="does not hold a JSON object"):
        load_model(tmp_path / "model")


def test_weights_that_are_missing_or_no_safetensors_are_refused(tmp_path):
    save_model(build("additive"), tmp_path / "model")
    file = tmp_path / "model.safetensors"
    with file.open("wb") as stream:
        torch.save({"weight": torch.zeros(3)}, stream)
    with pytest.raises(ValueError, match="is cut off or no safetensors"):
        load_model(tmp_path / "model")
    file.unlink()
    with pytest.raises(FileNotFoundError, match=r"model.safetensors"):
        load_model(tmp_path / "model")


def test_a_kill_while_saving_never_leaves_a_mixture(tmp_path, monkeypatch):
    """Old model or new model; only between the two renames it is neither, and that is an error."""
    lost = 0
    old, new = build("additive"), build("additive", seed=1)
    for place in range(1, 99):
        path = tmp_path / str(place) / "model"
        save_model(old, path)
        try:
            with monkeypatch.context() as patch:
                asked = kill_at(patch, place)
                save_model(new, path)
        except Killed:
            try:
                found = load_model(path)
            except ValueError:
                lost += 1
            else:
                assert same(found, old) or same(found, new)
        else:
            break
    assert same(load_model(path), new)
    assert lost == 1
    assert len(asked) >= 7  # per file: open, force to disk, rename; then the folder


def test_nothing_is_pickled(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pickle")

    for owner in (pickle, torch):
        for name in ("load", "loads", "save", "dump", "dumps"):
            monkeypatch.setattr(owner, name, refuse, raising=False)
    model, adam = trained()
    save_model(model, tmp_path / "model")
    load_model(tmp_path / "model")
    checkpoint(tmp_path / "run", 1, model, adam)
    restore(tmp_path / "run", *trained(seed=1))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".safetensors", ".json"}
    for path in files:
        data = path.read_bytes()
        start = 8 if path.suffix == ".safetensors" else 0  # the header's length, then the header
        assert data[start : start + 1] == b"{"


# ── training runs ────────────────────────────────────────────────────────────────────────


def test_a_checkpoint_restores_model_and_optimizer_bit_for_bit(model, tmp_path):
    adam = torch.optim.Adam(model.parameters(), fused=True)
    model(*[torch.ones(2, 3, dtype=int), torch.ones(2, 3, dtype=bool)], torch.ones(2, 3, dtype=int))
    sum((p * p).sum() for p in model.parameters()).backward()
    adam.step()
    history = checkpoint(tmp_path, 3, model, adam)
    other = type(model)(SOURCE_VOCAB, TARGET_VOCAB, model.config)
    others_adam = torch.optim.Adam(other.parameters(), fused=True)
    assert restore(tmp_path, other, others_adam) == history
    assert same(model, other)
    for a, b in zip(model.parameters(), other.parameters(), strict=True):
        assert (
            adam.state[a].keys()
            == others_adam.state[b].keys()
            == {
                "step",
                "exp_avg",
                "exp_avg_sq",
            }
        )
        assert all(
            torch.equal(adam.state[a][key], others_adam.state[b][key]) for key in adam.state[a]
        )


def test_tied_and_double_weights_survive(tmp_path):
    def tied(seed):
        model = build("Transformer", seed).double()
        model.decoder.output.weight = model.decoder.embedding.embedding.weight
        return model, torch.optim.Adam(model.parameters())

    (model, adam), (other, others_adam) = tied(0), tied(1)
    checkpoint(tmp_path, 1, model, adam)
    restore(tmp_path, other, others_adam)
    assert same(model, other)
    assert other.decoder.output.weight is other.decoder.embedding.embedding.weight
    assert other.decoder.output.weight.dtype == torch.float64


def test_only_the_last_two_checkpoints_are_kept(tmp_path):
    model, adam = trained()
    for epochs in (8, 9, 10, 11):
        checkpoint(tmp_path, epochs, model, adam)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["epoch-0010", "epoch-0011"]
    assert len(restore(tmp_path, model, adam)) == 11


def test_without_a_checkpoint_nothing_changes(tmp_path):
    model, adam = trained()
    (tmp_path / "epoch-notes.txt").write_text("the reader's own")
    assert restore(tmp_path, model, adam) == []
    assert restore(tmp_path / "not there yet", model, adam) == []
    assert same(model, trained()[0])


def test_a_run_with_other_settings_is_not_restored(tmp_path):
    model, adam = trained()
    checkpoint(tmp_path, 1, model, adam)
    other, others_adam = trained(seed=1)
    for changed in ({"seed": 1}, {"clip_norm": 1.0}, {"warmup_steps": 0}):
        with pytest.raises(ValueError, match=r"holds a run with (.*)=.*, not .*another folder"):
            load_checkpoint(tmp_path, other, others_adam, settings=SETTINGS | changed, epochs=9)
    assert same(other, trained(seed=1)[0])


@pytest.mark.parametrize(
    "name", ["model.safetensors", "model.json", "adam.safetensors", "training.json"]
)
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_still_serves(name, damage, tmp_path):
    model, adam = trained()
    checkpoint(tmp_path, 1, model, adam)
    checkpoint(tmp_path, 2, model, adam)
    file = tmp_path / "epoch-0002" / name
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-7])
    else:
        file.unlink()
    other, others_adam = trained(seed=1)
    with pytest.raises(ValueError, match=r"epoch-0002 is damaged \(.*\): delete it, and"):
        restore(tmp_path, other, others_adam)
    assert same(other, trained(seed=1)[0])
    shutil.rmtree(tmp_path / "epoch-0002")
    assert len(restore(tmp_path, other, others_adam)) == 1
    assert same(other, model)


def test_a_kill_while_writing_a_checkpoint_leaves_a_complete_one(tmp_path, monkeypatch):
    first, second, third = (trained(seed=seed) for seed in range(3))
    for place in range(1, 99):
        folder = tmp_path / str(place)
        checkpoint(folder, 1, *first)
        checkpoint(folder, 2, *second)
        try:
            with monkeypatch.context() as patch:
                asked = kill_at(patch, place)
                checkpoint(folder, 3, *third)
        except Killed:
            found, adam = trained(seed=9)
            epochs = len(restore(folder, found, adam))
            assert same(found, {2: second, 3: third}[epochs][0])
            for epoch in range(epochs + 1, 5):  # and the run goes on as if nothing had been
                checkpoint(folder, epoch, *third)
            assert sorted(p.name for p in folder.iterdir()) == ["epoch-0003", "epoch-0004"]
        else:
            break
    assert len(asked) > 12
