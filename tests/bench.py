"""Measurements, quoted in README.md: `make bench` for all, `make bench ARGS=textbook` for one.

    textbook   the textbook's setting for its Bahdanau model: quality over five seeds, and the
               time of an epoch against padding everything to 9 tokens, alternating in one run
    tatoeba    both models on 30,000 Tatoeba pairs of up to 8 tokens
    widgets    how fast the attention explorer answers in the browser
    grading    a class of 200 that hands in assignment 1, right and wrong answers mixed

Tatoeba's file is downloaded once, or read from where LEARNING_TO_ALIGN_TATOEBA says.
"""

import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import torch

from lib.corpus import load, textbook_split
from lib.decoding import translate
from lib.metrics import score, sentence_bleu
from lib.recurrent import RecurrentConfig, RecurrentTranslator
from lib.text import Batch, Vocabulary, batches, detokenize, make_batch, pad
from lib.training import fit, loss
from lib.transformer import Transformer, TransformerConfig
from tests.answers import scoring
from tests.browser.bench import widgets
from tests.handed_in import hand_in, notebook

PATH = os.environ.get("LEARNING_TO_ALIGN_TATOEBA")
# The textbook: two layers of 256, 30 epochs, words seen twice or more, 9 tokens at most.
TEXTBOOK = RecurrentConfig(embedding_size=256, hidden_size=256, num_layers=2, dropout=0.3)
TEXTBOOK_LENGTH = 9


def textbook(seeds: int = 5) -> None:
    """BLEU-2 on the validation lines, with the words of the references as they were written."""
    corpus = textbook_split(PATH)
    vocabularies = corpus.vocabularies(min_count=2)
    references = [detokenize(pair.target) for pair in corpus.validation]
    values = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        model = RecurrentTranslator(*vocabularies, TEXTBOOK)
        history = fit(
            model,
            corpus.train,
            epochs=30,
            batch_size=16,
            learning_rate=2e-3,
            schedule="linear",
            warmup_steps=20,
            label_smoothing=0.1,
            max_len=TEXTBOOK_LENGTH,
            seed=seed,
            progress=False,
        )
        sources = [pair.source for pair in corpus.validation]
        found = translate(model, sources, beam=4, need_weights=False, warn=False)
        texts = [translation.text for translation in found]
        mean = statistics.mean(map(sentence_bleu, texts, references))
        values.append(corpus_bleu_2(texts, references))
        print(
            f"seed {seed}: BLEU-2 {values[-1]:.3f} counted over all lines, {mean:.3f} as the mean "
            f"of the lines' own, {history['seconds'].sum():.0f} s",
            flush=True,
        )
    print(f"textbook: median BLEU-2 over all validation lines {statistics.median(values):.3f}")
    ratio = padding_ratio(corpus.train, vocabularies)
    print(f"textbook: an epoch padded to {TEXTBOOK_LENGTH} tokens takes {ratio:.2f} times as long")


def corpus_bleu_2(hypotheses: list[str], references: list[str]) -> float:
    """The textbook's BLEU (see `sentence_bleu`), its n-grams counted over all sentences.

    The mean over sentences is 0 for each that shares no pair of words with its reference, which in
    sentences of three words says little.
    """
    pairs = [(h.split(), r.split()) for h, r in zip(hypotheses, references, strict=True)]
    length, expected = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    bleu = math.exp(min(0, 1 - expected / length))
    for n in (1, 2):
        found = [(ngrams(h, n), ngrams(r, n)) for h, r in pairs]
        matches = sum((h & r).total() for h, r in found)
        bleu *= (matches / sum(h.total() for h, _ in found)) ** (0.5**n)
    return bleu


def ngrams(words: list[str], n: int) -> Counter:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def padding_ratio(train, vocabularies: tuple[Vocabulary, Vocabulary], rounds: int = 7) -> float:
    """How many times as long an epoch takes if every sentence is padded to the same length."""
    torch.manual_seed(0)
    model = RecurrentTranslator(*vocabularies, TEXTBOOK)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    generator = torch.Generator().manual_seed(0)

    def epoch(bucketed: bool) -> float:
        if bucketed:
            drawn = batches(
                train, *vocabularies, batch_size=64, max_len=TEXTBOOK_LENGTH, generator=generator
            )
        else:
            order = torch.randperm(len(train), generator=generator).tolist()
            drawn = [
                padded_batch([train[i] for i in order[start : start + 64]], vocabularies)
                for start in range(0, len(order), 64)
            ]
        begin = time.perf_counter()
        for batch in drawn:
            optimizer.zero_grad()
            decoded = model(batch.source, batch.source_mask, batch.target)
            loss(decoded.logits, batch.labels).backward()
            optimizer.step()
        return time.perf_counter() - begin

    epoch(True), epoch(False)  # warm up
    return statistics.median(epoch(False) / epoch(True) for _ in range(rounds))


def padded_batch(pairs, vocabularies: tuple[Vocabulary, Vocabulary]) -> Batch:
    """The textbook's batch: sentences in any order, each filled up to the same fixed length."""
    batch = make_batch(pairs, *vocabularies, max_len=TEXTBOOK_LENGTH)
    source, target, labels = (
        pad(rows.tolist(), TEXTBOOK_LENGTH) for rows in (batch.source, batch.target, batch.labels)
    )
    # What is padding counts as a token, as in a model that is not told the lengths.
    everything = torch.ones_like(source, dtype=torch.bool)
    return Batch(source, everything, target, labels, everything, batch.index)


TATOEBA = {
    "Bahdanau": (
        RecurrentTranslator,
        RecurrentConfig(embedding_size=256, hidden_size=256, dropout=0.2),
        {"epochs": 8, "batch_size": 64, "learning_rate": 2e-3, "warmup_steps": 100},
    ),
    "Transformer": (
        Transformer,
        TransformerConfig(d_model=256, d_ff=512, dropout=0.2),
        {"epochs": 10, "batch_size": 64, "learning_rate": 1e-3, "warmup_steps": 500},
    ),
}


def tatoeba() -> None:
    """Test BLEU of both models on 30,000 pairs of up to 8 tokens, split by source sentence."""
    corpus = load("tatoeba", path=PATH, max_words=8, size=30_000)
    for name, (kind, config, training) in TATOEBA.items():
        torch.manual_seed(0)
        model = kind(*corpus.vocabularies(min_count=2), config)
        history = fit(model, corpus.train, corpus.validation, schedule="linear", seed=0, **training)
        minutes = history["seconds"].sum() / 60
        for beam in (1, 4):
            found = score(model, corpus.test, beam=beam)
            print(f"tatoeba, {name}, beam {beam}, seed 0, {minutes:.1f} min: {found}", flush=True)


def grading(students: int = 200) -> None:
    """Seconds to grade a class, with one worker per core, and the most memory the grader took."""
    answers: dict[str, list] = {}
    for answer in scoring.answers.all:
        answers.setdefault(answer.question, []).append(answer)
    with tempfile.TemporaryDirectory() as folder:
        submissions, out = Path(folder, "in"), Path(folder, "out")
        for number in range(students):
            chosen = {name: found[number % len(found)] for name, found in answers.items()}
            cells = {name: answer.source() for name, answer in chosen.items()}
            hand_in(submissions, f"s{number:03}", "1_scoring", notebook("1_scoring", cells))
        command = [sys.executable, "-m", "exercises.grading", str(submissions), "--out", str(out)]
        start = time.perf_counter()
        subprocess.run(command, env={**os.environ, "SEED": "bench"}, check=True)
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"grading: {students} submissions in {seconds:.0f} s on {os.cpu_count()} cores, at most "
        f"{peak:.0f} MB in one process"
    )


MEASUREMENTS = {"textbook": textbook, "tatoeba": tatoeba, "widgets": widgets, "grading": grading}

if __name__ == "__main__":
    for name in sys.argv[1:] or MEASUREMENTS:
        MEASUREMENTS[name]()
