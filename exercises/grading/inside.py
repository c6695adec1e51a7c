"""Runs in the sandbox: executes the cells of a notebook, then the calls of each case.

From standard input comes one safetensors blob with the cells and the cases' inputs. Back go frames,
one per cell and case, in order: a length, then a safetensors blob with the results, or with what
went wrong. Nothing that is sent from here is trusted by who reads it.

A case about a patient, code that is not to be seen here, calls it by such a frame too, and reads
what it returned from standard input.
"""

import json
import os
import sys
import types

LENGTH = 4  # bytes before each blob


class Channel:
    """Frames out, blobs in. It takes over standard input and output; prints are lost."""

    def __init__(self):
        self.frames, self.blobs = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)

    def receive(self) -> bytes:
        return self.blobs.read(int.from_bytes(self.blobs.read(LENGTH), "little"))

    def send(self, tensors: dict, **texts: str) -> None:
        from safetensors.torch import save

        blob = save(tensors, texts)
        self.frames.write(len(blob).to_bytes(LENGTH, "little") + blob)
        self.frames.flush()

    def attempt(self, key: str, action) -> None:
        """Send what an action returns, or what went wrong with it."""
        import checking

        try:
            self.send(action() or {}, key=key)
        except BaseException as error:
            words, detail = checking.error_in_words(error)
            texts = {"words": words[:500], "detail": detail[:500]}
            self.send({}, key=key, error=type(error).__name__, **texts)

    def patient(self, key: str):
        """A function that is executed at the other end."""
        import torch
        from safetensors.torch import load

        def call(*args):
            given = {str(n): torch.as_tensor(arg) for n, arg in enumerate(args)}
            copies = {name: tensor.detach().clone().contiguous() for name, tensor in given.items()}
            self.send(copies, key=key, call="")
            found = load(self.receive())
            if "result" not in found:
                raise ValueError("the patient cannot be called like this")
            for number, arg in enumerate(args):
                if isinstance(arg, torch.Tensor):  # a patient may have changed it
                    arg.data.copy_(found[str(number)])
            return found["result"]

        return call


def main(uid: int | None) -> None:
    channel = Channel()
    job = channel.receive()

    import fences

    fences.close(uid)

    import checking
    import torch
    from safetensors.torch import load

    torch.set_num_threads(1)
    checking.check = checking.reset = lambda *args, **kwargs: None
    header = json.loads(job[8 : 8 + int.from_bytes(job[:8], "little")])
    order, tensors = json.loads(header["__metadata__"]["order"]), load(job)
    _hide(order["refuses"])
    notebook = sys.modules["__main__"] = types.ModuleType("__main__")
    channel.send({}, key="start")
    for number, cell in order["cells"]:
        execute = _executing(cell, f"<cell {number}>", vars(notebook))
        channel.attempt(str(number), execute)
    for key, plain in order["cases"]:
        prefix = f"{key}/"
        mine = {n.removeprefix(prefix): t for n, t in tensors.items() if n.startswith(prefix)}
        case, names = checking.build_case(plain, mine, {}), dict(vars(notebook))
        if case.patient:
            names["patient"] = channel.patient(key)
        channel.attempt(key, lambda: checking.run(case, names))  # noqa: B023
    os._exit(0)


def _executing(cell: str, name: str, namespace: dict):
    return lambda: exec(compile(cell, name, "exec"), namespace)


def _hide(refuses: list[str]) -> None:
    """Take ready-made answers out of PyTorch, as far as they have a public name."""
    import torch
    from torch import nn

    for module in (torch, torch.nn.functional, nn):
        for name in refuses:
            if hasattr(module, name):
                delattr(module, name)


if __name__ == "__main__":
    sys.path[:0] = ["/grader", "/site"]
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
