"""Files of sentence pairs: reading them, and fetching Tatoeba's."""

import zipfile
from pathlib import Path, PurePosixPath, PureWindowsPath
from sys import intern

from platformdirs import user_cache_path

from lib.download import fetch
from lib.text import Pair, tokenize

TATOEBA_URL = "https://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip"
TATOEBA_SHA1 = "94646ad1522d915e7b0f9296181140edcf86a4f5"


def tatoeba_file(
    url: str = TATOEBA_URL,
    sha1: str = TATOEBA_SHA1,
    folder: Path | None = None,
    *,
    attempts: int = 4,
    backoff: float = 1.0,
    progress: bool = True,
) -> Path:
    """The archive of Tatoeba's English–French pairs, downloaded into the user's cache folder once.

    Sentences from tatoeba.org (CC BY 2.0 France), as distributed by manythings.org/anki on
    2019-04-07. The arguments are those of `lib.download.fetch`.

    Raises:
        ConnectionError: if it cannot be downloaded; says what to do without a network.
    """
    try:
        return fetch(
            url,
            sha1,
            user_cache_path("learning-to-align") if folder is None else folder,
            attempts=attempts,
            backoff=backoff,
            progress=progress,
        )
    except ConnectionError as error:
        raise ConnectionError(
            f'{error}. Without a network, give your own copy with load("tatoeba", '
            'path="fra.txt"), or work with the built-in corpus: load("built-in").'
        ) from None


def read_pairs(path: Path, *, first: int | None = None) -> list[Pair]:
    """The sentence pairs of a file, tokenised as English and French, in the file's order.

    A line is source<TAB>target, or source<TAB>target<TAB>attribution; UTF-8, with or without a
    byte order mark; lines end as on Linux or as on Windows. A zip archive must hold one such file.

    Args:
        first: read only so many lines.

    Raises:
        ValueError: if a line is anything else (with its number and text), or the file holds none.
    """
    lines = _read_text(path).rstrip().replace("\r\n", "\n").split("\n")
    pairs = []
    last_text, source = None, ()
    for number, line in enumerate(lines[:first], start=1):
        columns = line.split("\t")
        target = _tokens(columns[1], "fr") if len(columns) in (2, 3) else ()
        if columns[0] != last_text:  # translations of one sentence follow each other
            last_text = columns[0]
            source = _tokens(last_text, "en")
        if not source or not target:
            raise ValueError(
                f"{path}, line {number}: expected source<TAB>target or "
                f"source<TAB>target<TAB>attribution, found {line!r}"
            )
        pairs.append(Pair(source, target))
    return pairs


def _tokens(text: str, language: str) -> tuple[str, ...]:
    # Interned: each word is in memory once, and its hash is computed once.
    return tuple(map(intern, tokenize(text, language)))


def _read_text(path: Path) -> str:
    data = _read_archive(path) if path.suffix == ".zip" else path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: byte {data[error.start]:#04x} is no UTF-8; "
            "save the file in the encoding UTF-8"
        ) from error


def _read_archive(path: Path) -> bytes:
    """The one text file of pairs in a zip archive, read in memory: nothing is unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            for name in names:
                if _leaves_folder(name):
                    raise ValueError(f"{path} is refused: its member {name!r} leaves the archive")
            files = [name for name in names if _may_hold_pairs(PurePosixPath(name))]
            if len(files) != 1:
                raise ValueError(f"{path} must hold one .txt or .tsv file of pairs, it has {names}")
            return archive.read(files[0])
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path} is no readable zip archive: {error}") from error


def _may_hold_pairs(name: PurePosixPath) -> bool:
    about = name.name.lower().startswith(("about", "_", "."))  # the distributor's notes
    return name.suffix in (".txt", ".tsv") and not about


def _leaves_folder(name: str) -> bool:
    return any(
        kind(name).is_absolute() or kind(name).drive or ".." in kind(name).parts
        for kind in (PurePosixPath, PureWindowsPath)
    )
