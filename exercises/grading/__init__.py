"""Grading a class, without trusting what it hands in: `python -m exercises.grading --help`.

__main__      the command
submissions   finds notebooks and reads what is to be graded in them
grading       grades one: hands inputs to the sandbox, compares what comes back
sandbox       a fenced process; `inside` runs there, and `fences` closes it from within
report        grades.csv, feedback for each student, a summary of the class
"""
