"""pyproject.toml, constraints.txt and environment.yml ask for the same thing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = [*PROJECT["dependencies"], *(line for extra in EXTRAS.values() for line in extra)]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    """Canonical name of the package -> version, from constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def test_every_pin_is_a_plain_version(pins):
    """No `+cpu`, which only PyTorch's own index has, no path, no range."""
    assert {name: v for name, v in pins.items() if not re.fullmatch(r"[0-9.]+(post\d+)?", v)} == {}


@pytest.mark.parametrize("line", REQUIREMENTS)
def test_pins_satisfy_what_pyproject_asks_for(pins, line):
    requirement = Requirement(line)
    assert pins[canonicalize_name(requirement.name)] in requirement.specifier


def test_conda_takes_everything_but_python_from_pyproject():
    *packages, pip = CONDA
    assert [package.split("=")[0] for package in packages] == ["python", "pip"]
    assert {line for line in pip["pip"] if not line.startswith("--extra-index-url")} == {
        "-c constraints.txt",
        "-e .",
    }


def test_every_python_asked_for_is_one_that_pyproject_allows():
    allowed = SpecifierSet(PROJECT["requires-python"])
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    asked = [CONDA[0].split("=")[1], *re.findall(r'python-version: "(.*)"', workflow)]
    assert len(asked) == 2
    assert all(version in allowed for version in asked)


def test_what_is_installed_fits_together():
    check = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout


def test_make_alone_prints_every_target_that_is_documented():
    help_ = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    documented = re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"lab", "test", "test-fast", "notebooks", "figures", "models"} <= set(documented)
    assert re.findall(r"^  make (\S+)", help_, re.MULTILINE) == documented
