"""Fetching one file from the network, once: checked, cached, and safe against interruption."""

import hashlib
import os
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import requests
from tqdm.auto import tqdm

_CONNECT_SECONDS, _READ_SECONDS = 10, 30
_CHUNK = 1 << 16


def fetch(
    url: str,
    sha1: str,
    folder: Path,
    *,
    attempts: int = 4,
    backoff: float = 1.0,
    progress: bool = True,
) -> Path:
    """The file at `url`, from `folder` if it is there with the right checksum, else downloaded.

    The download goes to a temporary file in the same folder, which takes the place of the real
    one only when it is complete and its checksum is right: whoever reads the folder, at whatever
    moment, finds a whole file or none.

    Args:
        sha1: the checksum of the right file, in hexadecimal.
        folder: where the file is kept; made if it does not exist.
        attempts: how often to try before giving up.
        backoff: seconds to wait after the first failed attempt; twice as long after each further.

    Raises:
        ConnectionError: if no attempt brought the right file; the reason is in the message.
    """
    path = folder / Path(urlsplit(url).path).name
    if path.is_file() and _sha1(path) == sha1:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    for attempt in range(attempts):
        if attempt:
            time.sleep(backoff * 2 ** (attempt - 1))
        try:
            _download(url, sha1, path, progress)
            return path
        except (requests.RequestException, _WrongFileError) as error:
            failure = error
    raise ConnectionError(f"{url} could not be downloaded: {_reason(failure)}") from failure


class _WrongFileError(Exception):
    """What came is not what was asked for."""


def _reason(failure: Exception) -> str:
    """Why a download failed, in words for people without a network, not for its engineers."""
    match failure:
        case requests.HTTPError():
            return f"the server answered {failure.response.status_code}"
        case requests.Timeout():
            return "the server did not answer in time"
        case requests.exceptions.ChunkedEncodingError():
            return "the connection was cut off half-way"
        case requests.ConnectionError():
            return "the server cannot be reached"
    return str(failure)


def _download(url: str, sha1: str, path: Path, progress: bool) -> None:
    handle, name = tempfile.mkstemp(prefix=path.name, suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            _stream(url, file, path.name, progress)
            file.flush()
            os.fsync(file.fileno())
        found = _sha1(part)
        if found != sha1:
            raise _WrongFileError(
                f"what came has the SHA-1 checksum {found}, the right file has {sha1}"
            )
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _stream(url: str, file, label: str, progress: bool) -> None:
    timeout = (_CONNECT_SECONDS, _READ_SECONDS)
    with requests.get(url, stream=True, timeout=timeout) as response:
        response.raise_for_status()
        size = response.headers.get("Content-Length", "")
        with tqdm(
            total=int(size) if size.isdigit() else None,
            desc=label,
            unit="B",
            unit_scale=True,
            disable=not progress,
        ) as bar:
            for chunk in response.iter_content(_CHUNK):
                file.write(chunk)
                bar.update(len(chunk))


def _sha1(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest()
