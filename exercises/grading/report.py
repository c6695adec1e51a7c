"""What comes out of grading: grades.csv, a page for each student, a summary of the class."""

import base64
import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
import pandas as pd
from matplotlib.figure import Figure

from exercises.grading.grading import Mark
from exercises.grading.submissions import Assignment

PAGES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "pages"), autoescape=True
)


@dataclass
class Record:
    """One student: marks by question, or the reason why there are none."""

    student: str
    digest: str = ""
    broken: str = ""
    marks: dict[str, Mark] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    def dumps(self) -> str:
        plain = {**vars(self), "marks": {q: vars(mark) for q, mark in self.marks.items()}}
        return json.dumps(plain, indent=1, ensure_ascii=False)

    @classmethod
    def loads(cls, text: str) -> "Record":
        plain = json.loads(text)
        return cls(**{**plain, "marks": {q: Mark(**m) for q, m in plain["marks"].items()}})

    @property
    def total(self) -> float:
        return sum(mark.points or 0.0 for mark in self.marks.values())

    @property
    def open(self) -> list[str]:
        """Questions that a teacher has yet to read."""
        return [question for question, mark in self.marks.items() if mark.points is None]


# ── answers that a teacher reads ─────────────────────────────────────────────────────────

MANUAL = ("id", "question", "points", "of", "comment")


def merge_manual(path: Path, records: Iterable[Record], assignment: Assignment) -> None:
    """Put the points that a teacher has written into `path` into the marks, and add what is open.

    Raises:
        ValueError: there are points that are no number, or more than the question has.
    """
    rows = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = {(row["id"], row["question"]): row for row in csv.DictReader(file)}
    for record in records:
        for question in record.open:
            of = assignment.points[question]
            row = rows.setdefault(
                (record.student, question),
                dict(zip(MANUAL, (record.student, question, "", of, ""), strict=True)),
            )
            mark = record.marks[question]
            if (row["points"] or "").strip():
                mark.points = _points(row, of, path)
                mark.words = [row["comment"]] if row["comment"] else []
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, MANUAL, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def _points(row: Mapping[str, str], of: float, path: Path) -> float:
    try:
        points = float(row["points"].replace(",", "."))
    except ValueError:
        points = -1.0
    if not 0 <= points <= of:
        raise ValueError(
            f"{path}: {row['id']} has {row['points']!r} points for {row['question']}, which has "
            f"0 to {of:g}"
        )
    return points


# ── what is written ──────────────────────────────────────────────────────────────────────


def write_grades(
    path: Path, records: Iterable[Record], names: Mapping[str, str], questions: Iterable[str]
) -> None:
    """One line a student: id, name, points of each question, total, and what to know besides."""
    questions = list(questions)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name", *questions, "total", "remark"])
        for record in records:
            points = [_cell(record.marks.get(question)) for question in questions]
            remark = record.broken or (
                f"to be read: {', '.join(record.open)}" if record.open else ""
            )
            name = names.get(record.student, "")
            row = [record.student, name, *points, f"{record.total:g}", remark]
            writer.writerow([_harmless(text) for text in row])


def _cell(mark: Mark | None) -> str:
    if mark is None:
        return "0"
    return "" if mark.points is None else f"{mark.points:g}"


def _harmless(text: str) -> str:
    """Nothing that a spreadsheet would take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def write_feedback(folder: Path, record: Record, name: str, assignment: Assignment) -> None:
    """The student's own page: answers, and what the checks say. No hidden case, no solution."""
    folder.mkdir(parents=True, exist_ok=True)
    page = PAGES.get_template("feedback.html").render(
        record=record, name=name, assignment=assignment, of=sum(assignment.points.values())
    )
    (folder / f"{record.student}.html").write_text(page, encoding="utf-8")


def write_manual_page(path: Path, records: Iterable[Record], assignment: Assignment) -> None:
    """All answers that a teacher reads, question by question, each with its rubric."""
    page = PAGES.get_template("manual.html").render(records=list(records), assignment=assignment)
    path.write_text(page, encoding="utf-8")


def write_summary(
    path: Path, records: Iterable[Record], names: Mapping[str, str], assignment: Assignment
) -> pd.DataFrame:
    """The class on a page: which question failed most, and whose file could not be graded."""
    records = list(records)
    graded = [record for record in records if not record.broken]
    rows = []
    for question, of in assignment.points.items():
        marks = [record.marks[question] for record in graded if question in record.marks]
        read = [mark.points for mark in marks if mark.points is not None]
        full = sum(points >= of for points in read)
        share = full / len(read) if read else float("nan")
        rows.append((question, of, len(read), share, sum(read) / len(read) if read else share))
    columns = ["question", "points", "graded", "full marks", "mean"]
    table = pd.DataFrame(rows, columns=columns).set_index("question")
    page = PAGES.get_template("summary.html").render(
        assignment=assignment,
        table=table.sort_values("full marks", kind="stable"),
        picture=_picture(table),
        records=records,
        graded=graded,
        names=names,
        of=sum(assignment.points.values()),
    )
    path.write_text(page, encoding="utf-8")
    return table


def _picture(table: pd.DataFrame) -> str:
    """Bars of the share with full marks, as a PNG in base64."""
    figure = Figure(figsize=(6.4, 0.8 + 0.35 * len(table)), layout="constrained")
    axes = figure.subplots()
    shares = table["full marks"].fillna(0.0)[::-1]
    axes.barh(shares.index, shares, color="#1f5fa8")
    axes.set(xlim=(0, 1), xlabel="share of the class with full marks")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120)
    return base64.b64encode(buffer.getvalue()).decode()
