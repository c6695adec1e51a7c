"""Grade a class: `SEED=… python -m exercises.grading SUBMISSIONS`, or `make grade`.

Into the folder OUT it writes grades.csv, summary.html, feedback/STUDENT.html, and manual.csv with
manual.html for the answers that you read yourself. Run it again at any time: what has been graded
stays as it is, new and changed files are graded, and the points in manual.csv are put in.
"""

import argparse
import hashlib
import os
import queue
import sys
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

import torch
from tqdm import tqdm

from exercises.grading import report
from exercises.grading.grading import grade
from exercises.grading.report import Record
from exercises.grading.sandbox import NoIsolation, Sandbox, prove
from exercises.grading.submissions import (
    Assignment,
    Broken,
    Submission,
    find,
    read,
    read_assignment,
    read_roster,
)

WAY_OUT = (
    "Grade on a Linux machine with bubblewrap, or in the container of exercises/Containerfile. "
    "TRUST=1 (--trust) runs students' code with your rights and no fence: do that only with code "
    "that you would run yourself."
)


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns the exit status."""
    options = _options(arguments)
    try:
        run(options, os.environ.get("SEED", ""))
    except (ValueError, NoIsolation) as error:
        print(f"Not graded: {error}", file=sys.stderr)
        if isinstance(error, NoIsolation):
            print(WAY_OUT, file=sys.stderr)
        return 1
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="exercises.grading", description=__doc__.splitlines()[0])
    parser.add_argument(
        "submissions", type=Path, help="STUDENT/ASSIGNMENT/*.ipynb or STUDENT.ipynb"
    )
    parser.add_argument("--assignment", help="left out: what most of the submissions are")
    parser.add_argument("--out", type=Path, default=Path("graded"))
    parser.add_argument("--roster", type=Path, help="a CSV file with the columns id and name")
    parser.add_argument(
        "--regrade", metavar="QUESTION", help="grade this question again ('all': all)"
    )
    parser.add_argument("--trust", action="store_true", help="run students' code without a fence")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args(arguments)


def run(options: argparse.Namespace, seed: str) -> list[Record]:
    """Grade what is new, and write every report. Returns the records, by id."""
    if not seed:
        raise ValueError(
            "SEED is empty. Hidden cases are drawn from it: choose a word and keep it to yourself"
        )
    torch.set_num_threads(1)
    name, submissions = find(options.submissions, options.assignment)
    names = read_roster(options.roster) if options.roster else {}
    assignment = read_assignment(name, seed)
    if options.regrade not in (None, "all", *assignment.points):
        raise ValueError(
            f"REGRADE={options.regrade} is no question of {name}: {', '.join(assignment.points)}"
        )
    folder = options.out / name
    (folder / "records").mkdir(parents=True, exist_ok=True)
    salt = hashlib.sha256(f"{name}\0{seed}".encode()).hexdigest()[:8]
    records, todo = _sort_out(submissions, folder, salt, options.regrade)
    if todo:
        _grade_all(todo, records, assignment, folder, salt, options)
    for student in names.keys() - records.keys():
        records[student] = Record(student, broken="nothing was handed in")
    ordered = [records[student] for student in sorted(records)]
    _write(folder, ordered, names, assignment)
    return ordered


Todo = list[tuple[Submission, Record | None]]  # and what is known already


def _sort_out(
    submissions: list[Submission], folder: Path, salt: str, regrade: str | None
) -> tuple[dict[str, Record], Todo]:
    """The records that stay as they are, and the submissions to be graded."""
    records, todo = {}, []
    for submission in submissions:
        path = folder / "records" / f"{submission.student}.json"
        known = Record.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        if known is None or known.digest != salt + submission.digest() or regrade == "all":
            todo.append((submission, None))
        elif regrade and not known.broken:
            todo.append((submission, known))
        else:
            records[submission.student] = known
    return records, todo


def _grade_all(
    todo: Todo,
    records: dict[str, Record],
    assignment: Assignment,
    folder: Path,
    salt: str,
    options: argparse.Namespace,
) -> None:
    """Grade in parallel, a sandbox to each worker; each record is stored as soon as it is there."""
    jobs = max(1, min(options.jobs, len(todo)))
    free: queue.Queue[Sandbox] = queue.Queue()
    for _ in range(jobs):
        free.put(Sandbox(assignment.allows, trust=options.trust))
    if not options.trust:
        prove(free.queue[0])

    def one(submission: Submission, known: Record | None) -> Record:
        sandbox = free.get()
        try:
            only = options.regrade if known else None
            record = grade_one(submission, assignment, sandbox, salt, only)
        finally:
            free.put(sandbox)
        if known and not record.broken:
            record.marks = {**known.marks, **record.marks}
        store = folder / "records" / f"{submission.student}.json"
        partial = store.with_suffix(".part")
        partial.write_text(record.dumps(), encoding="utf-8")
        partial.replace(store)
        return record

    with ThreadPoolExecutor(jobs) as pool:
        futures: list[Future] = [pool.submit(one, *item) for item in todo]
        try:
            for future in tqdm(as_completed(futures), total=len(futures), unit=" notebooks"):
                record = future.result()
                records[record.student] = record
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def grade_one(
    submission: Submission,
    assignment: Assignment,
    sandbox: Sandbox,
    salt: str = "",
    only: str | None = None,
) -> Record:
    """One student's record: marks, or the reason why there are none."""
    record = Record(submission.student, salt + submission.digest())
    try:
        answered = read(submission.path, assignment)
    except Broken as error:
        record.broken = str(error)
        return record
    record.marks = grade(answered, assignment, sandbox, only)
    cells = ((q, assignment.answer_of[q]) for q in assignment.points)
    record.answers = {q: answered.answers[cell] for q, cell in cells if cell in answered.answers}
    return record


def _write(
    folder: Path, records: list[Record], names: dict[str, str], assignment: Assignment
) -> None:
    report.merge_manual(folder / "manual.csv", records, assignment)
    report.write_manual_page(folder / "manual.html", records, assignment)
    report.write_grades(folder / "grades.csv", records, names, assignment.points)
    for record in records:
        report.write_feedback(
            folder / "feedback", record, names.get(record.student, ""), assignment
        )
    table = report.write_summary(folder / "summary.html", records, names, assignment)
    for record in records:
        if record.broken:
            print(f"{record.student}: {record.broken}")
    unread = sum(bool(record.open) for record in records)
    hardest = table["full marks"].idxmin() if table["full marks"].notna().any() else "none"
    print(
        f"{assignment.name}: {sum(not r.broken for r in records)} of {len(records)} graded, "
        f"{unread} with answers to be read, hardest question {hardest}. See {folder}/summary.html"
    )


if __name__ == "__main__":
    sys.exit(main())
