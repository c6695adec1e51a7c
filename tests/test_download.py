"""Promises of lib/download.py, against a small server on this machine: no network is needed."""

import hashlib
import os
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
import requests

from lib.download import fetch

BODY = b"Where is the library?\tO\xc3\xb9 est la biblioth\xc3\xa8que ?\n" * 5000
SHA1 = hashlib.sha1(BODY).hexdigest()


@pytest.fixture
def server(monkeypatch):
    """A server that answers with `server.answers`, one after the other; the last one stays.

    An answer is (status, body, length promised to the client); no body: it keeps silent.
    """
    monkeypatch.setenv("NO_PROXY", "*")
    state = SimpleNamespace(answers=[(200, BODY, len(BODY))], requests=0)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.requests += 1
            answer = state.answers.pop(0) if len(state.answers) > 1 else state.answers[0]
            status, body, promised = answer
            if body is None:
                time.sleep(0.2)
                return
            self.send_response(status)
            self.send_header("Content-Length", str(promised))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        state.url = f"http://127.0.0.1:{httpd.server_port}/pairs.zip?edition=1"
        yield state
        httpd.shutdown()
        thread.join()


def only_files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_good_file_is_fetched_once_and_then_read_from_the_folder(server, tmp_path):
    folder = tmp_path / "new" / "folder"
    for _ in range(2):
        path = fetch(server.url, SHA1, folder, progress=False)
        assert path.read_bytes() == BODY
    assert server.requests == 1
    assert only_files(folder) == ["pairs.zip"]


def test_a_spoiled_file_in_the_folder_is_fetched_anew(server, tmp_path):
    (tmp_path / "pairs.zip").write_bytes(BODY[:100])
    assert fetch(server.url, SHA1, tmp_path, progress=False).read_bytes() == BODY


def test_a_wrong_checksum_leaves_nothing_behind_and_names_both(server, tmp_path):
    server.answers = [(200, b"please log in", 13)]
    with pytest.raises(
        ConnectionError, match=f"{hashlib.sha1(b'please log in').hexdigest()}.*{SHA1}"
    ):
        fetch(server.url, SHA1, tmp_path, attempts=2, backoff=0.0, progress=False)
    assert server.requests == 2
    assert only_files(tmp_path) == []


def test_a_failed_download_keeps_what_stood_in_the_folder(server, tmp_path):
    (tmp_path / "pairs.zip").write_bytes(b"old")
    server.answers = [(200, b"please log in", 13)]
    with pytest.raises(ConnectionError):
        fetch(server.url, SHA1, tmp_path, attempts=1, progress=False)
    assert (tmp_path / "pairs.zip").read_bytes() == b"old"
    assert only_files(tmp_path) == ["pairs.zip"]


def test_a_download_cut_off_half_way_is_tried_again(server, tmp_path):
    server.answers = [(200, BODY[: len(BODY) // 2], len(BODY)), (503, b"", 0), server.answers[0]]
    path = fetch(server.url, SHA1, tmp_path, backoff=0.0, progress=False)
    assert path.read_bytes() == BODY
    assert server.requests == 3
    assert only_files(tmp_path) == ["pairs.zip"]


def test_a_download_that_is_always_cut_off_leaves_nothing_behind(server, tmp_path):
    server.answers = [(200, BODY[: len(BODY) // 2], len(BODY))]
    with pytest.raises(ConnectionError, match="downloaded: the connection was cut off half-way"):
        fetch(server.url, SHA1, tmp_path, attempts=2, backoff=0.0, progress=False)
    assert only_files(tmp_path) == []


def test_each_wait_is_twice_the_one_before(server, tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr("lib.download.time.sleep", waits.append)
    server.answers = [(404, b"", 0)]
    with pytest.raises(ConnectionError, match="the server answered 404"):
        fetch(server.url, SHA1, tmp_path, attempts=4, backoff=0.5, progress=False)
    assert waits == [0.5, 1.0, 2.0]


def test_an_unreachable_server_is_an_error_that_names_the_address(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_PROXY", "*")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/pairs.zip"
        with pytest.raises(ConnectionError, match=f"{url} could not be .* cannot be reached"):
            fetch(url, SHA1, tmp_path, attempts=2, backoff=0.0, progress=False)
    assert only_files(tmp_path) == []


def test_a_server_that_does_not_answer_is_given_up(server, tmp_path, monkeypatch):
    monkeypatch.setattr("lib.download._READ_SECONDS", 0.05)
    server.answers = [(200, None, 0)]
    with pytest.raises(ConnectionError, match="did not answer in time"):
        fetch(server.url, SHA1, tmp_path, attempts=1, progress=False)


def test_an_interruption_leaves_nothing_behind(server, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(requests.Response, "iter_content", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch(server.url, SHA1, tmp_path, progress=False)
    assert only_files(tmp_path) == []


def test_the_file_appears_whole_or_not_at_all(server, tmp_path, monkeypatch):
    moved = []
    replace = os.replace

    def spy(part, path):
        moved.append((part.parent, part.read_bytes() == BODY, path.exists()))
        replace(part, path)

    monkeypatch.setattr("lib.download.os.replace", spy)
    fetch(server.url, SHA1, tmp_path, progress=False)
    assert moved == [(tmp_path, True, False)]


def test_a_progress_bar_shows_the_bytes(server, tmp_path, capsys):
    fetch(server.url, SHA1, tmp_path)
    shown = capsys.readouterr().err
    assert "pairs.zip: 100%" in shown
