"""Promises of lib/tsv.py: every edition of a file of sentence pairs is read, or refused by line.

Tests of the real Tatoeba file read it from the place that the environment variable
LEARNING_TO_ALIGN_TATOEBA names (fra.txt of 2019-04-07, or the archive with it).
"""

import hashlib
import os
import socket
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.corpus import load
from lib.text import Pair, detokenize, tokenize
from lib.tsv import read_pairs, tatoeba_file

LINES = [
    "Where is the red kite?\tOù est le cerf-volant rouge\u202f?",
    "I'm making soup.\tJe prépare une soupe.",
    "I'm making soup.\tJe fais de la soupe.",
    "The lamp doesn't work!\tLa lampe ne marche pas\u00a0!",
]
PAIRS = [
    Pair(tuple(source.split()), tuple(target.split()))
    for source, target in [
        ("where is the red kite ?", "où est le cerf-volant rouge ?"),
        ("i 'm making soup .", "je prépare une soupe ."),
        ("i 'm making soup .", "je fais de la soupe ."),
        ("the lamp does n't work !", "la lampe ne marche pas !"),
    ]
]


def write(folder: Path, text: str | bytes, name: str = "pairs.tsv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def write_zip(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("attribution", ["", "\tCC BY 4.0, our own sentence"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n \n"])
def test_every_edition_of_a_file_gives_the_same_pairs(tmp_path, mark, newline, attribution, end):
    text = mark + "\n".join(line + attribution for line in LINES) + end
    assert read_pairs(write(tmp_path, text.replace("\n", newline))) == PAIRS


@pytest.mark.parametrize(
    "line",
    [
        "no tab at all",
        "one\tdeux\tthree\tquatre",
        "\tsource vide",
        "empty target\t",
        "invisible target\t\u200b",
        "",
    ],
)
def test_a_malformed_line_is_refused_with_its_number_and_text(tmp_path, line):
    path = write(tmp_path, "\n".join([*LINES[:2], line, LINES[3]]))
    with pytest.raises(ValueError, match="line 3: expected source<TAB>target") as error:
        read_pairs(path)
    assert repr(line) in str(error.value)


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="line 1: expected"):
        read_pairs(write(tmp_path, "\n"))


def test_a_file_in_another_encoding_is_refused_with_the_line(tmp_path):
    path = write(tmp_path, "\n".join(LINES[:1]).encode() + "\nA kite.\tUn été.".encode("latin-1"))
    with pytest.raises(ValueError, match="line 2: byte 0xe9 is no UTF-8"):
        read_pairs(path)


def test_only_the_first_lines_are_read_if_asked(tmp_path):
    assert read_pairs(write(tmp_path, "\n".join([*LINES, "malformed"])), first=2) == PAIRS[:2]


words = st.text("abcé'-.!", min_size=1, max_size=6)
cells = st.lists(words, min_size=1, max_size=6).map(" ".join)


@given(st.lists(st.tuples(cells, cells), min_size=1))
def test_pairs_come_in_the_order_of_the_lines(tmp_path_factory, rows):
    text = "\n".join(f"{source}\t{target}" for source, target in rows)
    pairs = read_pairs(write(tmp_path_factory.mktemp("rows"), text))
    assert [(p.source, p.target) for p in pairs] == [
        (tuple(tokenize(source, "en")), tuple(tokenize(target, "fr"))) for source, target in rows
    ]


def test_an_archive_is_read_past_the_distributors_notes(tmp_path):
    members = {"fra-eng/_about.txt": "note", "ABOUT.txt": "note", "__MACOSX/._fra.txt": "junk"}
    path = write_zip(tmp_path / "a.zip", **members, **{"fra-eng/fra.txt": "\n".join(LINES)})
    assert read_pairs(path) == PAIRS


@pytest.mark.parametrize(
    "name", ["../fra.txt", "a/../../fra.txt", "/fra.txt", "..\\fra.txt", "C:\\fra.txt", "C:fra.txt"]
)
def test_an_archive_that_leaves_its_folder_is_refused_and_nothing_is_written(tmp_path, name):
    folder = tmp_path / "inner"
    folder.mkdir()
    path = write_zip(folder / "a.zip", **{name: LINES[0], "fra.txt": LINES[0]})
    with pytest.raises(ValueError, match=r"is refused: its member '.*fra.txt' leaves the archive"):
        read_pairs(path)
    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == ["a.zip"]


@pytest.mark.parametrize("members", [{}, {"a.txt": LINES[0], "b.tsv": LINES[0]}])
def test_an_archive_must_hold_one_file_of_pairs(tmp_path, members):
    with pytest.raises(ValueError, match=r"must hold one \.txt or \.tsv file"):
        read_pairs(write_zip(tmp_path / "a.zip", **members))


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no readable zip archive"):
        read_pairs(write(tmp_path, "not a zip", "a.zip"))


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A folder, and the address at which a server on this machine shows it."""
    monkeypatch.setenv("NO_PROXY", "*")
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


def test_tatoeba_is_downloaded_read_and_found_again(served, tmp_path, monkeypatch):
    folder, address = served
    archive = write_zip(folder / "fra-eng.zip", **{"fra-eng/fra.txt": "\n".join(LINES)})
    sha1 = hashlib.sha1(archive.read_bytes()).hexdigest()
    fetch_it = partial(tatoeba_file, f"{address}/fra-eng.zip", sha1, tmp_path / "cache")
    assert read_pairs(fetch_it(progress=False)) == PAIRS
    archive.unlink()
    assert read_pairs(fetch_it(attempts=1)) == PAIRS
    monkeypatch.setattr("lib.corpus.tatoeba_file", fetch_it)
    assert len(load("tatoeba").train) == 1


def test_a_bad_archive_from_the_server_writes_nothing_outside_the_cache(served, tmp_path):
    folder, address = served
    archive = write_zip(folder / "fra-eng.zip", **{"../../fra.txt": LINES[0]})
    sha1 = hashlib.sha1(archive.read_bytes()).hexdigest()
    cache = tmp_path / "a" / "b" / "cache"
    path = tatoeba_file(f"{address}/fra-eng.zip", sha1, cache, progress=False)
    with pytest.raises(ValueError, match=r"'../../fra.txt' leaves the archive"):
        read_pairs(path)
    assert [p for p in (tmp_path / "a").rglob("*") if p.is_file()] == [cache / "fra-eng.zip"]


def test_without_a_network_the_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/fra-eng.zip"
        with pytest.raises(ConnectionError) as error:
            tatoeba_file(url, "0" * 40, tmp_path, attempts=2, backoff=0.0)
    assert str(error.value) == (
        f"{url} could not be downloaded: the server cannot be reached. Without a network, give "
        'your own copy with load("tatoeba", path="fra.txt"), or work with the built-in corpus: '
        'load("built-in").'
    )


def test_tatoeba_is_kept_in_the_users_cache_folder(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr("lib.tsv.fetch", lambda *args, **_: seen.append(args) or tmp_path)
    monkeypatch.setattr("lib.tsv.user_cache_path", lambda name: tmp_path / name)
    tatoeba_file()
    assert seen == [
        (
            "https://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip",
            "94646ad1522d915e7b0f9296181140edcf86a4f5",
            tmp_path / "learning-to-align",
        )
    ]


@pytest.fixture(scope="module")
def tatoeba() -> Path:
    """The real file, if this machine has it."""
    path = os.environ.get("LEARNING_TO_ALIGN_TATOEBA")
    if not path:
        pytest.skip("LEARNING_TO_ALIGN_TATOEBA does not name Tatoeba's fra.txt")
    return Path(path)


@pytest.mark.slow
def test_all_of_tatoeba_is_read_in_seconds(tatoeba):
    """In a process of its own, where no types are checked; the margin is for busy machines."""
    code = f"""
import time
from pathlib import Path
from lib.tsv import read_pairs
start = time.process_time()
number = len(read_pairs(Path({str(tatoeba)!r})))
print(number, time.process_time() - start)
"""
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    number, seconds = run.stdout.split()
    assert int(number) == 167_130
    assert float(seconds) < 6, "about 2 on a quiet machine"


@pytest.mark.slow
def test_tatoebas_sentences_are_normalised_and_survive_being_written(tatoeba):
    pairs = read_pairs(tatoeba)
    for pair in pairs[::7]:
        for language, tokens in (("en", pair.source), ("fr", pair.target)):
            assert tuple(tokenize(detokenize(tokens), language)) == tokens
    odd = set("\u202f\u00a0\u2009\u200b’‘“")
    assert not odd & {letter for pair in pairs for word in pair.target for letter in word}
