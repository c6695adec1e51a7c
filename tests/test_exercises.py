"""The exercises as they are handed out: made from their sources, and nothing given away.

What the checks find in answers stands in test_exercises_answers.py, what grading makes of them in
test_exercises_grading.py.
"""

import re
import shutil
import sys
import types
import zipfile

import nbformat
import pytest
import torch
from nbclient import NotebookClient

from exercises import build, checking
from exercises.checking import Case, Check, Claim, Step, Wrong, compare, run
from exercises.drawing import PUBLIC_SEED, Draw, assignments, draw, questions_of, source_of
from tests.handed_in import notebook, right_answers, source

ASSIGNMENTS = assignments()


def nbgrader_cells(notebook) -> dict:
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells}


# ── what is committed is what the sources give ───────────────────────────────────────────


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_student_version_is_what_the_source_gives(assignment, tmp_path):
    (tmp_path / "source" / assignment).mkdir(parents=True)
    build.build(assignment, tmp_path / "release", tmp_path / "source")
    made, committed = tmp_path / "release" / assignment, build.RELEASE / assignment
    names = sorted(path.name for path in committed.iterdir() if path.is_file())
    assert names == sorted(path.name for path in made.iterdir())
    for name in names:
        if name != checking.STORE:
            assert (made / name).read_bytes() == (committed / name).read_bytes(), name
    for stored in (committed, build.SOURCE / assignment):
        checks, texts = checking.load(stored / checking.STORE)
        assert build.same_store(made / checking.STORE, [*checks.values()], texts)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_solution_version_is_what_the_source_gives(assignment):
    """Its outputs are compared by nbval, in `make test`."""
    made = build.solution_version(source(assignment), assignment)
    path = build.SOLUTIONS / assignment / source_of(assignment).name
    committed = nbformat.read(path, as_version=4)
    assert [cell.source for cell in made.cells] == [cell.source for cell in committed.cells]
    counts = [cell.execution_count for cell in committed.cells if cell.cell_type == "code"]
    assert counts == [*range(1, len(counts) + 1)]
    assert not [
        o for c in committed.cells for o in c.get("outputs", ()) if o.output_type == "error"
    ]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_every_question_is_asked_checked_and_worth_what_is_stated(assignment):
    notebook = source(assignment)
    cells = nbgrader_cells(notebook)
    tests = [cell for cell in cells.values() if cell.metadata.nbgrader.grade]
    checked = [name for cell in tests for name in re.findall(r'check\("(\w+)"\)', cell.source)]
    assert checked == [question.name for question in questions_of(assignment).QUESTIONS]
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    minutes, points = map(int, re.search(r"About (\d+) minutes, (\d+) points", prose).groups())
    assert 45 <= minutes <= 120
    assert points == sum(cell.metadata.nbgrader.points for cell in tests)
    rows = re.findall(r"^\| \d+ \| .* \| (\d+) \| (\d+) \| (?:easy|medium|hard) \|$", prose, re.M)
    assert (sum(int(p) for p, _ in rows), sum(int(m) for _, m in rows)) == (points, minutes)
    headings = [cell.source for cell in notebook.cells if re.match(r"## \d", cell.source)]
    assert len(headings) == len(rows)
    for text in headings:
        assert "**Why it matters.**" in text
        assert "<details><summary>Hint</summary>" in text
        assert re.search(r"points?, \d+ minutes, (easy|medium|hard)", text)


# ── nothing is given away ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_student_version_holds_no_solution_and_no_hidden_case(assignment):
    folder = build.RELEASE / assignment
    everything = b"".join(p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file())
    for mark in (rb"SOLUTION", rb"HIDDEN", rb"Rubric", rb"check\(.{,40}hidden=True"):
        assert not re.search(mark, everything), mark
    handed_out = "\n".join(
        cell.source
        for cell in source(assignment).cells
        if not cell.metadata.get("nbgrader", {}).get("solution")
    )
    for answer in right_answers(assignment).values():
        solution = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", answer, re.S)
        lines = [line.strip() for part in solution for line in part.splitlines()]
        for line in lines:
            if len(line) > 30 and line not in handed_out:  # a patient is mended, not written anew
                assert line.encode() not in everything, line
    about = {
        case.about for check in draw(assignment, PUBLIC_SEED, hidden=False) for case in check.cases
    }
    secret = {case.about for check in draw(assignment, "x", hidden=True) for case in check.cases}
    assert secret - about
    checks, _ = checking.load(folder / checking.STORE)
    assert {case.about for check in checks.values() for case in check.cases} == about


def test_hidden_cases_depend_on_the_seed_and_on_nothing_else():
    one, same, other = (
        [case for check in draw("1_scoring", seed, hidden=True) for case in check.cases]
        for seed in ("one", "one", "other")
    )
    assert all(
        a.given[n].equal(b.given[n]) for a, b in zip(one, same, strict=True) for n in a.given
    )
    different = [
        name
        for a, b in zip(one, other, strict=True)
        for name in a.given
        if a.given[name].shape != b.given[name].shape or not a.given[name].equal(b.given[name])
    ]
    assert len(different) > 0.9 * sum(len(case.given) for case in one)


def test_the_zip_holds_what_students_need_and_nothing_else(tmp_path):
    names = build.pack(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert archive.namelist() == names
        assert archive.testzip() is None
    expected = {"checking.py", checking.STORE}
    for assignment in ASSIGNMENTS:
        folder = f"exercises/{assignment}/"
        mine = {name.removeprefix(folder) for name in names if name.startswith(folder)}
        assert mine == expected | {source_of(assignment).name}
    assert len(names) == 3 * len(ASSIGNMENTS)


# ── a check, in a learner's notebook ─────────────────────────────────────────────────────


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """A folder as students get it: its checking module, and a notebook's namespace."""
    shutil.copytree(build.RELEASE / "1_scoring", tmp_path / "1_scoring")
    monkeypatch.syspath_prepend(str(tmp_path / "1_scoring"))
    monkeypatch.delitem(sys.modules, "checking", raising=False)
    monkeypatch.setitem(sys.modules, "__main__", notebook := types.ModuleType("__main__"))
    notebook.In = []
    import checking as theirs

    yield theirs, notebook
    sys.modules.pop("checking", None)


def write(notebook, cell: str) -> None:
    notebook.In.append(cell)
    exec(compile(cell, "<cell>", "exec"), vars(notebook))


def test_a_learner_answers_wrongly_reads_why_mends_it_and_passes(learner, capsys):
    theirs, notebook = learner
    with pytest.raises(theirs.NotYet, match="There is no masked_softmax yet"):
        theirs.check("masked_softmax")
    write(
        notebook,
        "import torch\ndef masked_softmax(scores, valid_lens=None):\n    return scores.softmax(-1)",
    )
    with pytest.raises(theirs.NotYet) as failure:
        theirs.check("masked_softmax")
    said = "".join(failure.value._render_traceback_())
    assert "A place beyond the valid length must get exactly zero." in said
    assert re.search(r"At batch \d, query \d, key \d yours is 0\.\d+, expected 0;", said)
    assert re.search(r"valid_lens \(batch=\d\) = \[", said)
    write(notebook, right_answers("1_scoring")["mask_from_lengths"])
    write(notebook, right_answers("1_scoring")["masked_softmax"])
    theirs.check("masked_softmax")
    assert capsys.readouterr().out == "masked_softmax: right (4 of 4 visible cases)\n"


@pytest.mark.parametrize(
    "cells",
    [
        ["from lib.attention import mask_from_lengths"],
        [
            "import lib.attention as a",
            "def mask_from_lengths(v, n): return a.mask_from_lengths(v, n)",
        ],
        ["import lib.attention\nmask_from_lengths = lib.attention.mask_from_lengths"],
        [
            "def mask_from_lengths(v, n):\n"
            "    from lib.attention import mask_from_lengths as m\n"
            "    return m(v, n)"
        ],
        [
            "from lib.attention import mask_from_lengths as helper",
            "def mask_from_lengths(v, n): return helper(v, n)",
        ],
        [
            "import torch.nn.functional as F",
            "def help(q): return F.scaled_dot_product_attention(q, q, q)",
            "def mask_from_lengths(v, n): return help(v)",
        ],
    ],
)
def test_answers_that_are_taken_from_elsewhere_are_refused(learner, cells):
    theirs, notebook = learner
    for cell in cells:
        write(notebook, cell)
    with pytest.raises(
        theirs.NotYet, match=r"uses (lib|scaled_dot\w+), which this question asks you"
    ):
        theirs.check("mask_from_lengths")


def test_comparing_with_lib_in_another_cell_is_no_reason_to_refuse(learner):
    theirs, notebook = learner
    write(notebook, right_answers("1_scoring")["mask_from_lengths"])
    write(notebook, "import torch\nfrom lib.attention import mask_from_lengths as theirs")
    theirs.check("mask_from_lengths")


def test_an_unknown_check_is_answered_with_the_known_ones(learner):
    theirs, _ = learner
    with pytest.raises(theirs.NotYet, match=r"no check 'softmax'.*masked_softmax"):
        theirs.check("softmax")


def test_hidden_cases_want_a_seed(learner, monkeypatch):
    theirs, notebook = learner
    monkeypatch.delenv("SEED", raising=False)
    with pytest.raises(theirs.NotYet, match="set the variable SEED"):
        theirs.check("masked_softmax", hidden=True)
    monkeypatch.setenv("SEED", "secret")
    vars(notebook).update(questions_of("1_scoring").REFERENCE)
    theirs.check("masked_softmax", hidden=True)


def test_a_notebook_begins_again_and_the_old_one_is_kept(learner, tmp_path, capsys):
    theirs, _ = learner
    path = tmp_path / "1_scoring" / "scoring.ipynb"
    handed_out = path.read_text(encoding="utf-8")
    path.write_text("an hour's work", encoding="utf-8")
    theirs.reset()
    assert path.read_text(encoding="utf-8") == handed_out
    (kept,) = set(path.parent.glob("*.ipynb")) - {path}
    assert kept.read_text(encoding="utf-8") == "an hour's work"
    assert kept.name in capsys.readouterr().out
    path.write_text("another hour's", encoding="utf-8")
    theirs.reset()  # within the same second
    assert len(list(path.parent.glob("*.ipynb"))) == 3


@pytest.mark.slow
def test_in_a_real_kernel_a_message_is_shown_without_a_traceback(tmp_path):
    """The student version with one wrong answer and one right, from top to bottom."""
    shutil.copytree(build.RELEASE / "1_scoring", tmp_path, dirs_exist_ok=True)
    zeros = (
        "def split_heads(x, num_heads):\n    return torch.zeros(len(x), num_heads, x.shape[1], 4)"
    )
    answers = right_answers("1_scoring")
    made = notebook("1_scoring", {"split_heads": zeros, "join_heads": answers["join_heads"]})
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(made, allow_errors=True, timeout=120, resources=resources).execute()
    cells = nbgrader_cells(made)
    (untouched,) = cells["check_masked_softmax"].outputs
    assert untouched.traceback[0].startswith("masked_softmax: not yet (0 of 4 visible cases)")
    assert "There is no answer yet." in untouched.traceback[0]
    (wrong,) = cells["check_split_heads"].outputs
    assert len(wrong.traceback) == 1
    assert "At batch 0, heads 0, length 0, d_head 0 yours is 0, expected" in wrong.traceback[0]
    (right,) = cells["check_join_heads"].outputs
    assert right.traceback[0].startswith("join_heads: not yet (2 of 3")  # split_heads is wrong


# ── the engine ───────────────────────────────────────────────────────────────────────────


def case(**changes) -> Case:
    """x is doubled, and the pair (result, sum) comes back."""
    x = torch.arange(6.0).reshape(2, 3)
    plain = {
        "about": "numbers",
        "given": {"x": x, "odd": x % 2 == 1},
        "steps": (Step("result total", "double", ("x",)),),
        "returns": ("result", "total"),
        "axes": {"x": "batch key", "result": "batch key"},
        "expected": {"result": 2 * x, "total": torch.tensor(15.0)},
    }
    return Case(**{**plain, **changes})


def found(answer, this: Case) -> str:
    """What the check says of an answer, "" if it is right."""
    try:
        compare(this, run(this, {"double": answer}), 1e-5)
    except Wrong as wrong:
        return f"{wrong.words} {wrong.detail}"
    return ""


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: (2 * x, x.sum()), ""),
        (lambda x: [(x + x).double(), 15], ""),
        (lambda x: (2 * x.numpy(), 15), "result is a ndarray, but a tensor was asked for."),
        (lambda x: 2 * x, "double returned Tensor, but (result, total) was asked for."),
        (lambda x: (2 * x,), "double returned 1 things, but (result, total) was asked for."),
        (lambda x: ((2 * x).T, 15), "Yours is (3, 2), and (batch, key) = (2, 3) was asked for."),
        (lambda x: (2 * x / (x != 4), 15), "NaN or infinite. It is at batch 1, key 1."),
        (lambda x: (2 * x + (x == 5), 15), "At batch 1, key 2 yours is 11, expected 10; 1 of 6"),
        (lambda x: (x > 0, 15), "Yours is torch.bool, asked was torch.float32."),
        (lambda x: (x.mul_(2), x.sum()), "yours is 30, expected 15"),
    ],
)
def test_a_check_says_what_is_wrong(answer, words):
    assert words in found(answer, case())
    assert bool(words) == bool(found(answer, case()))


def test_claims_say_which_promise_is_broken():
    def says(*claims):
        return found(lambda x: (2 * x, x.sum()), case(claims=claims))

    assert says(Claim("zero", "result", "must be zero", where="odd")).startswith("must be zero At")
    assert says(Claim("sum", "result", "must sum to one")).startswith("must sum to one")
    assert says(Claim("same", "result", "must agree", other="result")) == ""


def test_a_check_survives_its_file(tmp_path):
    check = Check(
        "double", "twice x", (case(claims=(Claim("sum", "result", "no"),)),), 1e-3, ("lib",)
    )
    checking.save(tmp_path / "x", [check], name="a name")
    loaded, texts = checking.load(tmp_path / "x")
    assert build.same_check(loaded["double"], check)
    assert texts == {"name": "a name"}


def test_parameters_that_are_named_otherwise_are_named_in_the_message():
    module = case(
        given={"w.weight": torch.zeros(2, 3), "x": torch.zeros(3)},
        steps=(Step("layer", "Layer", (3, 2), load="w"), Step("result total", "layer", ("x",))),
    )
    for layer, words in (
        (
            lambda a, b: torch.nn.Linear(a, b),
            "bias is not there in the question|has shape \\(2,\\)",
        ),
        (
            lambda a, b: torch.nn.Linear(b, a, bias=False),
            r"weight has shape \(3, 2\) in yours and has",
        ),
        (lambda a, b: 5, "makes a int, but an nn.Module was asked for"),
    ):
        with pytest.raises(Wrong, match=words):
            run(module, {"Layer": layer})


def test_a_test_that_stops_with_an_error_has_found_nothing():
    def passes(patient):
        pass

    def fails(patient):
        raise AssertionError

    def stops(patient):
        patient()

    assert checking.verdict(passes, None)
    assert not checking.verdict(fails, None)
    with pytest.raises(TypeError):
        checking.verdict(stops, None)


def test_sizes_all_differ():
    for seed in range(20):
        sizes = Draw(str(seed)).sizes(4)
        assert len(set(sizes)) == 4
