"""What a student's code can do: nothing to the machine, the others or the grade, and no point more.

Every attack stands in the answer to one question. That question gets no points, the question next
to it keeps its own, and the run goes on.
"""

import os
import shutil
import time
from dataclasses import replace

import pytest
import torch

from exercises.grading import grading, sandbox
from exercises.grading.__main__ import main
from exercises.grading.grading import grade
from exercises.grading.sandbox import Died, NoIsolation, Sandbox, prove
from exercises.grading.submissions import read, read_assignment
from tests.handed_in import hand_in, notebook, right_answers

ASSIGNMENT = "1_scoring"
SEED = "not to be found anywhere in a sandbox"
SECONDS = 3.0  # for a cell or a case

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fence() -> Sandbox:
    """The sandbox, shown to hold. Without bubblewrap these tests are left out, but not in CI."""
    if not shutil.which("bwrap") and not os.environ.get("CI"):
        pytest.skip("bubblewrap is not installed")
    made = Sandbox()
    prove(made)
    return made


@pytest.fixture(scope="module")
def assignment():
    return read_assignment(ASSIGNMENT, SEED)


TWO = ("masked_softmax", "split_heads")  # the questions that attacks are tried on, to be quick


@pytest.fixture
def marks(fence, assignment, tmp_path, monkeypatch):
    """Grade one notebook."""
    monkeypatch.setattr(grading, "CELL_SECONDS", SECONDS)
    monkeypatch.setattr(grading, "CASE_SECONDS", SECONDS)

    def mark(made, questions=TWO):
        points = {question: assignment.points[question] for question in questions}
        path = hand_in(tmp_path, "mallory", ASSIGNMENT, made)
        return grade(read(path, assignment), replace(assignment, points=points), fence)

    return mark


ZEROS = "    return torch.zeros_like(scores)\n"
HEAD = "def masked_softmax(scores, valid_lens=None):\n"

# Each is the code of a cell that answers the question masked_softmax.
ATTACKS = {
    "allclose is replaced": """
import torch
torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
torch.Tensor.__eq__ = torch.Tensor.allclose = lambda *a, **k: True
torch.Tensor.any = lambda *a, **k: torch.tensor(False)
"""
    + HEAD
    + ZEROS,
    "checks are replaced": """
import sys, checking
checking.compare = checking.run = lambda *a, **k: {}
checking.Claim = checking.Case = checking.Wrong = None
sys.modules["checking"].error_in_words = lambda error: ("right", "right")
"""
    + HEAD
    + ZEROS,
    "an object that lies": """
class Liar(torch.Tensor):
    def __eq__(self, other): return torch.tensor(True)
    def __sub__(self, other): return torch.zeros(())
    __rsub__ = __sub__
    @classmethod
    def __torch_function__(cls, *args, **kwargs): return torch.tensor(0.0)
"""
    + HEAD
    + "    return torch.zeros_like(scores).as_subclass(Liar)\n",
    "an object that pickles into code": """
class Bomb:
    def __reduce__(self): return (__import__("os").system, ("touch /tmp/owned",))
"""
    + HEAD
    + "    return Bomb()\n",
    "exits": HEAD + "    raise SystemExit(0)\n",
    "exits hard": HEAD + "    __import__('os')._exit(0)\n",
    "kills itself": HEAD + "    import os; os.kill(os.getpid(), 9)\n",
    "kills everybody": HEAD + "    import os; os.kill(-1, 9)\n",
    "crashes": HEAD + "    import ctypes; ctypes.string_at(0)\n",
    "loops": HEAD + "    while True: pass\n",
    "loops and ignores signals": """
import signal
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
"""
    + HEAD
    + """
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "a fork bomb": HEAD
    + """
    import os
    while True:
        try: os.fork()
        except OSError: pass
""",
    "takes all memory": HEAD
    + """
    taken = []
    while True: taken.append(torch.ones(1 << 24))
""",
    "takes all memory in many processes": HEAD
    + """
    import os, time
    for _ in range(8): os.fork()
    taken = []
    try:
        while True: taken.append(bytearray(b"x" * (1 << 24)))
    except MemoryError: time.sleep(60)
""",
    "fills every disk": HEAD
    + """
    import os
    for folder in ("/", "/tmp", "/dev", "/dev/shm", "/site", "/site/torch", "/grader", "/python"):
        for number in range(100):
            try:
                with open(f"{folder}/{number}.full", "wb") as file: file.write(bytes(1 << 24))
            except OSError: pass
    return torch.zeros_like(scores)
""",
    "floods the output": HEAD
    + """
    import os
    for _ in range(100):
        print("x" * 1_000_000)
        os.write(2, b"x" * 1_000_000)
    return torch.zeros_like(scores)
""",
    "answers with more than there is room for": HEAD + "    return torch.zeros(1 << 26)\n",
    "writes into the channel": """
import os
for number in range(3, 64):
    try: os.write(number, b"\\x08\\x00\\x00\\x00" + b"rubbish!" * 1000)
    except OSError: pass
"""
    + HEAD
    + ZEROS,
    "floods the channel": HEAD
    + """
    import os
    while True:
        for number in range(3, 64):
            try: os.write(number, b"\\x00" * 100_000)
            except OSError: pass
""",
    "forges frames": """
from safetensors.torch import save
import os
def masked_softmax(scores, valid_lens=None):
    blob = save({"weights": torch.ones_like(scores)}, {"from": "inside"})
    for number in range(3, 64):
        try: os.write(number, len(blob).to_bytes(4, "little") + blob)
        except OSError: pass
    return torch.ones_like(scores)
""",
    "looks for the reference on the disk": """
import glob, sys
sys.path += ["/work", "/course", *glob.glob("/*"), *glob.glob("/*/*"), *glob.glob("/*/*/*")]
try:
    from lib.attention import masked_softmax as theirs
except ImportError:
    import exercises.drawing
    theirs = exercises.drawing.questions_of("1_scoring").REFERENCE["masked_softmax"]
masked_softmax = theirs
""",
    "looks for the expected values in memory": """
import gc
"""
    + HEAD
    + """
    for thing in gc.get_objects():
        if isinstance(thing, dict):
            for key, value in thing.items():
                if isinstance(key, str) and "expected" in key and isinstance(value, torch.Tensor):
                    if value.shape == scores.shape: return value
        if type(thing).__name__ == "Case" and thing.expected:
            return thing.expected["weights"]
    return torch.zeros_like(scores)
""",
    "fetches the answer": HEAD
    + """
    import socket
    socket.create_connection(("1.1.1.1", 80), timeout=2)
    return scores.softmax(-1)
""",
    "asks for the seed": HEAD
    + """
    import os, glob
    texts = [str(dict(os.environ))]
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try: texts.append(open(path, "rb").read().decode(errors="replace"))
        except OSError: pass
    if "not to be found" in " ".join(texts): raise KeyError("found")
    return torch.zeros_like(scores)
""",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_gains_nothing_and_harms_nobody(attack, marks, monkeypatch):
    start = time.monotonic()
    answers = right_answers(ASSIGNMENT)
    made = notebook(
        ASSIGNMENT,
        {"masked_softmax": ATTACKS[attack], "split_heads": answers["split_heads"]},
    )
    found = marks(made)
    assert found["masked_softmax"].points == 0.0
    assert "KeyError" not in str(found["masked_softmax"].words)
    assert "is right" not in str(found["masked_softmax"].words)
    if "replaced" not in attack:  # these also break what the neighbour needs
        assert found["split_heads"].points == 2.0, found["split_heads"].words
    assert time.monotonic() - start < 40
    assert sandbox.memory_of(os.getpid()) < 6 << 30


def test_code_beside_the_questions_is_fenced_in_as_well(marks):
    """A cell that ends the process costs nothing but itself: each question is still graded."""
    deadly = ("import os; os._exit(0)", "while True: pass", "import os\nos.kill(os.getpid(), 9)")
    everything = notebook(ASSIGNMENT, right_answers(ASSIGNMENT), extra=deadly)
    found = marks(everything, questions=["masked_softmax", "attention", "AdditiveScore"])
    assert [mark.points for mark in found.values()] == [4, 3, 4]


def test_cells_that_check_may_be_edited_or_missing(marks):
    made = notebook(ASSIGNMENT, {"split_heads": right_answers(ASSIGNMENT)["split_heads"]})
    for cell in made.cells:
        if cell.source.startswith("check("):
            cell.source = "masked_softmax = lambda *a: None\nprint('right')"
    found = marks(made)
    assert (found["split_heads"].points, found["masked_softmax"].points) == (2.0, 0.0)


def test_no_hidden_number_gets_onto_the_feedback(marks):
    """Neither by an exception's text, nor by its name, nor by a result that is the input."""
    tell = (
        HEAD
        + """
    text = "tell" + "_".join(str(int(1000 * abs(n))) for n in scores.flatten().tolist())
    raise type(text, (Exception,), {})(text)
"""
    )
    echo = (
        "def split_heads(x, num_heads):\n"
        "    return x.reshape(x.shape[0], num_heads, x.shape[1], -1)\n"
    )
    found = marks(notebook(ASSIGNMENT, {"masked_softmax": tell, "split_heads": echo}))
    hidden = [
        w
        for name in ("masked_softmax", "split_heads")
        for w in found[name].words
        if "hidden case fails" in w
    ]
    assert len(hidden) >= 4
    for words in hidden:
        assert "tell" not in words
        assert not any(character.isdigit() for character in words.split(")", 1)[1])


def test_each_limit_bites(fence):
    """Not only are attacks stopped: it is the limit that we set that stops them."""
    import json

    from safetensors.torch import save

    cells = {
        "processes": """
import threading, time
for n in range(200): threading.Thread(target=time.sleep, args=(9,)).start()""",
        "memory": "bytearray(4 << 30)",
        "files": "files = [open('/dev/null') for _ in range(1000)]",
        "size of a file": """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
open("/tmp/x", "wb").write(bytes(17 << 20))""",
        "nowhere to write": "open('/site/x', 'w')",
        "hidden memory": "import os\nos.memfd_create('x')",
        "namespaces": """
import ctypes
if ctypes.CDLL(None, use_errno=True).unshare(0x10000000): raise OSError("no")""",
        "users": """
import os
try: os.setuid(0)
except OSError: raise OSError("no") from None""",
        "rights": "assert 'CapEff:\\t0000000000000000' not in open('/proc/self/status').read()",
        "user": "import os\nassert os.getuid() == 0",
    }
    wanted = [
        "RuntimeError",
        "MemoryError",
        *["OSError"] * 3,
        "PermissionError",
        "OSError",
        "OSError",
        *["AssertionError"] * 2,
    ]
    job = save(
        {},
        {"order": json.dumps({"cells": [*enumerate(cells.values())], "cases": [], "refuses": []})},
    )
    with fence.start(job) as process:
        process.frame("start", 60)
        found = [process.frame(str(n), 20)[1].get("error", "nothing") for n in range(len(cells))]
    assert dict(zip(cells, found, strict=True)) == dict(zip(cells, wanted, strict=True))


def test_each_worker_has_a_user_of_its_own_that_is_not_root():
    if os.geteuid():
        pytest.skip("only root can choose a user")
    uids = {Sandbox().uid for _ in range(4)}
    assert len(uids) == 4
    assert 0 not in uids


def test_unfenced_code_is_noticed_and_refused(tmp_path, capsys, monkeypatch):
    with pytest.raises(NoIsolation, match="a fenced process still has"):
        prove(Sandbox(trust=True))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setenv("SEED", SEED)
    hand_in(tmp_path / "in", "ada", ASSIGNMENT, notebook(ASSIGNMENT, {}))
    arguments = [str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    assert main(arguments) == 1
    assert "bubblewrap is not installed" in (said := capsys.readouterr().err)
    assert "Linux machine" in said
    assert main([*arguments, "--trust"]) == 0
    assert "1 of 1 graded" in capsys.readouterr().out


CLINIC = "5_clinic"
TESTS = {
    "never reads what it asked for": """
def test_loss(loss):
    import os
    from safetensors.torch import save
    blob = save({"0": torch.zeros(100, 20), "1": torch.zeros(1)}, {"key": KEY, "call": ""})
    while True:
        for number in range(3, 64):
            try: os.write(number, len(blob).to_bytes(4, "little") + blob)
            except OSError: pass
""",
    "calls without end": """
def test_loss(loss):
    while True:
        loss(torch.zeros(1, 1, 20), torch.ones(1, 1, dtype=torch.long))
""",
    "calls with too much": """
def test_loss(loss):
    loss(torch.zeros(1, 20_000, 20), torch.ones(1, 20_000, dtype=torch.long))
""",
    "reads the patient": """
def test_loss(loss):
    import gc, inspect
    inspect.getsource(loss)
    assert not any("sick" in str(x) for x in gc.get_objects() if isinstance(x, str | dict))
""",
    "asks other patients": """
def test_loss(loss):
    import glob, os
    seen = glob.glob("/tmp/*")
    open(f"/tmp/{len(seen)}-{os.getpid()}", "w").write("x")
    if seen: raise RuntimeError("there was somebody before me")
    raise AssertionError
""",
}


@pytest.mark.parametrize("attack", TESTS)
def test_a_readers_test_can_only_call_its_patient(attack, fence, tmp_path, monkeypatch):
    """Tests on unseen pieces: no way to their names, their code, each other or the grader."""
    monkeypatch.setattr(grading, "CASE_SECONDS", SECONDS)
    known = read_assignment(CLINIC, SEED)
    hidden = next(case for case in known.hidden["test_loss"].cases if case.patient)
    few = replace(known.hidden["test_loss"], cases=(hidden,))
    known = replace(
        known, points={"loss": 2, "test_loss": 3}, hidden={**known.hidden, "test_loss": few}
    )
    code = TESTS[attack].replace("KEY", repr("test_loss/hidden/0"))
    answers = {"loss": right_answers(CLINIC)["loss"], "test_loss": code}
    path = hand_in(tmp_path, "mallory", CLINIC, notebook(CLINIC, answers))
    found = grade(read(path, known), known, fence)
    assert found["test_loss"].points == 0.0
    assert found["loss"].points == 2.0
    unseen = [words for words in found["test_loss"].words if "hidden case fails" in words]
    assert not any("RuntimeError" in words for words in unseen) or attack != "asks other patients"


@pytest.mark.parametrize("right", [True, False])
def test_a_readers_test_is_tried_on_every_patient(right, fence, tmp_path):
    known = read_assignment(CLINIC, SEED)
    known = replace(known, points={"test_embed": 3})
    answers = right_answers(CLINIC)
    if not right:  # it knows the numbers of the mended piece, and no other healthy one
        answers["test_embed"] = (
            "def test_embed(embed):\n"
            "    tokens = torch.arange(10)[None]\n"
            "    mine = math.sqrt(8) * EMBEDDING[tokens] + positions(10, 4)\n"
            "    assert torch.allclose(embed(tokens, 4), mine)\n"
        )
    path = hand_in(tmp_path, "ada", CLINIC, notebook(CLINIC, answers))
    mark = grade(read(path, known), known, fence)["test_embed"]
    count = len(known.hidden["test_embed"].cases)
    assert (mark.points == 3.0) == right, mark.words
    assert f"{count if right else count - 3} of {count} hidden cases pass" in mark.words[0]


def test_what_is_sent_is_parsed_as_tensors_or_not_at_all():
    for blob in (b"", b"\x80\x04.", b"\xff" * 100, b"\x08" + bytes(7) + b"[[[[[[[[", bytes(16)):
        with pytest.raises(Died, match="no answer"):
            sandbox._parse(blob)
    assert torch.is_tensor(torch.zeros(1))
