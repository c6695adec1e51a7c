"""Models and unfinished training runs on disk: numbers in safetensors, the rest in JSON.

Nothing here is ever pickled: a pickle can run any code when it is read, these files cannot.
"""

import hashlib
import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from lib.recurrent import RecurrentConfig, RecurrentTranslator
from lib.text import Vocabulary
from lib.transformer import Transformer, TransformerConfig
from lib.translator import Translator

MODELS = Path(__file__).parent / "models"
"""The course's own trained models."""

CLASSES = {
    "RecurrentTranslator": (RecurrentTranslator, RecurrentConfig),
    "Transformer": (Transformer, TransformerConfig),
}
"""Every class that can be loaded, with its settings."""

KEPT_CHECKPOINTS = 2


def save_model(
    model: Translator, path: str | Path, *, dtype: torch.dtype = torch.float32, **extra
) -> None:
    """Write `path`.safetensors (the weights) and `path`.json (everything else).

    Each file appears complete or not at all. The JSON comes last and holds the weights'
    checksum, so that two files that do not belong together are never read as one model.

    Args:
        model: a model of one of the course's two classes.
        path: where to, without an ending; folders on the way are made.
        dtype: torch.float16 or torch.bfloat16 halve the file. Loading gives float32 again.
        extra: whatever else is worth keeping, such as scores; anything that JSON can hold.
    """
    if type(model).__name__ not in CLASSES:
        raise ValueError(
            f"cannot save a {type(model).__name__}: load_model knows only {_listed(CLASSES)}"
        )
    if dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise ValueError(f"dtype={dtype}: weights are stored as float32, float16 or bfloat16")
    path = _stem(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_model(model, path, dtype, extra)
    _sync(path.parent)


def load_model(name_or_path: str | Path) -> Translator:
    """Read a model that `save_model` wrote; on the CPU, in float32, in evaluation mode.

    Args:
        name_or_path: a path without an ending. A bare name that is no such file here
            means one of the course's own models.

    Raises:
        FileNotFoundError: there is no such model; the message lists the course's own.
        ValueError: the files are damaged, do not belong together, or hold no model of the course.
    """
    path = _find(name_or_path)
    info = model_info(path)
    name = info["class"]
    if name not in CLASSES:
        raise ValueError(f"{path}.json: class {name!r} is not one of {_listed(CLASSES)}")
    model_class, config_class = CLASSES[name]
    try:
        config = config_class(**info["config"])
    except TypeError as error:
        raise ValueError(
            f"{path}.json: these settings are not those of this version's {name}: {error}"
        ) from error
    vocabularies = [Vocabulary(info[side]) for side in ("source_vocab", "target_vocab")]
    with torch.random.fork_rng(devices=[]):  # the random first weights are not kept
        model = model_class(*vocabularies, config)
    _read_weights(model, path, info)
    return model.eval()


def model_info(name_or_path: str | Path) -> dict:
    """What stands beside a stored model's weights, among it the `extra` of `save_model`."""
    path = _find(name_or_path)
    info = _read_json(path.with_name(path.name + ".json"))
    for key in ("class", "config", "source_vocab", "target_vocab", "sha256", "extra"):
        if key not in info:
            raise ValueError(f"{path}.json has no {key!r}: save_model did not write it")
    return info


def save_checkpoint(
    folder: Path,
    model: Translator,
    optimizer: torch.optim.Optimizer,
    *,
    settings: dict,
    history: list[dict],
) -> None:
    """Store a training run after its last complete epoch, so that it can go on from there.

    The checkpoint is written beside, forced to disk and then renamed: a kill at any moment
    leaves a complete one. The last two are kept.
    """
    final = folder / f"epoch-{history[-1]['epoch']:04d}"
    partial = folder / f".{final.name}.partial"
    if partial.exists():  # of a run that was killed while it wrote
        shutil.rmtree(partial)
    partial.mkdir(parents=True)
    _write_model(model, partial / "model", None, {})
    _write(
        {
            partial / "adam.safetensors": safetensors.torch.save(_adam_state(model, optimizer)),
            partial / "training.json": _json({"settings": settings, "history": history}),
        }
    )
    _sync(partial)
    partial.rename(final)
    _sync(folder)
    for old in _checkpoints(folder)[:-KEPT_CHECKPOINTS]:
        shutil.rmtree(old)


def load_checkpoint(
    folder: Path,
    model: Translator,
    optimizer: torch.optim.Optimizer,
    *,
    settings: dict,
    epochs: int,
) -> list[dict]:
    """Put model and optimizer back to the newest checkpoint in `folder`; return its history.

    Without a checkpoint nothing is changed and the history is empty.

    Raises:
        ValueError: the run in `folder` had other settings or more than `epochs` epochs, or its
            newest checkpoint is damaged. Model and optimizer are as they were.
    """
    found = _checkpoints(folder)
    if not found:
        return []
    newest = found[-1]
    try:
        training = _read_json(newest / "training.json")
        _compare(training["settings"], json.loads(json.dumps(settings, default=_number)), folder)
        if len(training["history"]) > epochs:
            raise ValueError(
                f"{folder} holds a run of {len(training['history'])} epochs, more than "
                f"epochs={epochs}: ask for as many, or use another folder"
            )
        adam = _read_tensors(newest / "adam.safetensors")
        _read_weights(model, newest / "model", _read_json(newest / "model.json"))
    except (OSError, KeyError, _Damaged) as error:
        raise ValueError(
            f"the checkpoint {newest} is damaged ({error}): delete it, "
            "and training goes on from the one before"
        ) from error
    _restore_adam(model, optimizer, adam)
    return training["history"]


class _Damaged(ValueError):
    """A file that is not what was once written."""


def _listed(names) -> str:
    return ", ".join(sorted(names)) or "none"


def _stem(path: str | Path) -> Path:
    """The path without .safetensors or .json (and with any other dot left in peace)."""
    path = Path(path)
    return path.with_suffix("") if path.suffix in (".safetensors", ".json") else path


def _find(name_or_path: str | Path) -> Path:
    path = _stem(name_or_path)
    for place in (path, MODELS / path):
        if place.with_name(place.name + ".json").is_file():
            return place
    names = [file.stem for file in MODELS.glob("*.json")]
    raise FileNotFoundError(
        f"there is no model {str(name_or_path)!r}; the course's own are: {_listed(names)}"
    )


def _checkpoints(folder: Path) -> list[Path]:
    """Complete checkpoints, oldest first."""
    found = [path for path in folder.glob("epoch-*") if path.name[6:].isdecimal()]
    return sorted(found, key=lambda path: int(path.name[6:]))


def _compare(stored: dict, settings: dict, folder: Path) -> None:
    for name in settings | stored:
        if stored.get(name) != settings.get(name):
            raise ValueError(
                f"{folder} holds a run with {name}={stored.get(name)!r}, not {settings.get(name)!r}"
                ": use its value to go on with it, or another folder (or none) for a new run"
            )


def _tensors(model: Translator) -> dict[str, Tensor]:
    """Parameters and buffers by name; one that has two names (tied) comes once."""
    named = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        named.setdefault(id(tensor), (name, tensor.detach()))
    return dict(named.values())


def _write_model(model: Translator, path: Path, dtype: torch.dtype | None, extra: dict) -> None:
    stored = {}
    for name, tensor in _tensors(model).items():
        keep = dtype is None or not tensor.is_floating_point()
        stored[name] = tensor if keep else tensor.to(dtype)
        if not torch.equal(stored[name].isfinite(), tensor.isfinite()):
            raise ValueError(f"{name} has values too large for dtype={dtype}: use bfloat16")
    data = safetensors.torch.save({name: t.cpu().contiguous() for name, t in stored.items()})
    config = getattr(model, "config", None)
    info = {
        "class": type(model).__name__,
        "config": asdict(config) if config is not None else {},
        "extra": extra,
        "sha256": hashlib.sha256(data).hexdigest(),
        "source_vocab": list(model.source_vocab.tokens),
        "target_vocab": list(model.target_vocab.tokens),
    }
    _write(
        {
            path.with_name(path.name + ".safetensors"): data,
            path.with_name(path.name + ".json"): _json(info),
        }
    )


def _read_weights(model: Translator, path: Path, info: dict) -> None:
    """Copy stored weights into the model's own tensors, whatever their type and device."""
    file = path.with_name(path.name + ".safetensors")
    stored = _read_tensors(file)
    if hashlib.sha256(file.read_bytes()).hexdigest() != info["sha256"]:
        raise _Damaged(f"{file} and the .json beside it were not written together: save it again")
    shapes = {name: tuple(tensor.shape) for name, tensor in _tensors(model).items()}
    for name in sorted(stored.keys() | shapes.keys()):
        found = tuple(stored[name].shape) if name in stored else None
        if found != shapes.get(name):
            raise ValueError(
                f"{file}: {name} has the shape {found}, this version's "
                f"{type(model).__name__} wants {shapes.get(name)}"
            )
    model.load_state_dict(stored, strict=False)  # a tied tensor's second name is not stored


def _adam_state(model: Translator, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    return {
        f"{name}/{key}": value.detach().cpu().contiguous()
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def _restore_adam(
    model: Translator, optimizer: torch.optim.Optimizer, stored: dict[str, Tensor]
) -> None:
    names = {parameter: name for name, parameter in model.named_parameters()}
    order = [names[parameter] for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in stored.items():
        name, _, kind = key.rpartition("/")
        state.setdefault(order.index(name), {})[kind] = value
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})


def _read_tensors(file: Path) -> dict[str, Tensor]:
    try:
        return safetensors.torch.load(file.read_bytes())
    except SafetensorError as error:
        raise _Damaged(f"{file} is cut off or no safetensors file ({error})") from error


def _read_json(file: Path) -> dict:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _Damaged(f"{file} is cut off or no JSON ({error})") from error
    if not isinstance(content, dict):
        raise _Damaged(f"{file} does not hold a JSON object")
    return content


def _number(value: object) -> int | float:
    """NumPy's and PyTorch's numbers as Python's."""
    if not hasattr(value, "item"):
        raise TypeError(f"JSON cannot hold {value!r}")
    return value.item()


def _json(content: dict) -> bytes:
    text = json.dumps(content, ensure_ascii=False, indent=1, default=_number)
    return (text + "\n").encode()


def _write(files: dict[Path, bytes]) -> None:
    """Write files so that none of their names ever stands for half of one."""
    partial = {file: file.with_name(file.name + ".partial") for file in files}
    for file, data in files.items():
        with partial[file].open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    for file in files:
        partial[file].replace(file)


def _sync(folder: Path) -> None:
    """Force a folder's list of names to disk; only POSIX can, and only it needs to."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
