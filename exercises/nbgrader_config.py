"""nbgrader's settings: this folder is a course as nbgrader knows it, with source/ and release/.

Started here, `nbgrader generate_assignment 1_scoring`, `autograde` and `generate_feedback` work.
Mind that autograde runs what students hand in with your rights and isolates nothing: see README.md.
"""

import os
import sys
from pathlib import Path

c = get_config()
c.CourseDirectory.course_id = "learning-to-align"
c.CourseDirectory.ignore = [
    "questions.py",
    "patients.py",
    "*.pyc",
    "__pycache__",
    ".ipynb_checkpoints",
]
c.ExecutePreprocessor.timeout = 120
c.ExecutePreprocessor.interrupt_on_timeout = True


def put_first(variable: str, folder: Path) -> None:
    rest = os.environ.get(variable)
    os.environ[variable] = os.pathsep.join(filter(None, [str(folder), rest]))


# The kernels that execute hidden tests find the questions, and the seed in the variable SEED;
# nbgrader finds the commands installed with it, also where the environment is not activated.
put_first("PYTHONPATH", Path(__file__).parent.parent)
put_first("PATH", Path(sys.executable).parent)
