"""Promises of lib/corpus.py: splits that do not leak, sizes that nest, errors that help.

Tests of the real Tatoeba file read it from the place that the environment variable
LEARNING_TO_ALIGN_TATOEBA names (fra.txt of 2019-04-07, or the archive with it).
"""

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.corpus import (
    MIN_SEEN,
    Corpus,
    _hold_out,
    course_corpus,
    load,
    split_by_source,
    textbook_split,
)
from lib.grammar import Sentence, generate
from lib.text import Pair, Vocabulary, detokenize, tokenize

SPLITS = ("train", "validation", "test", "long")


def sources(pairs) -> set[tuple[str, ...]]:
    return {pair.source for pair in pairs}


def assert_no_source_in_two_splits(corpus: Corpus):
    for one, other in combinations(SPLITS, 2):
        common = sources(getattr(corpus, one)) & sources(getattr(corpus, other))
        assert not common, f"{one} and {other} share {common}"


# The built-in corpus -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def built_in() -> Corpus:
    return load()


@pytest.fixture(scope="module")
def held(built_in) -> dict[str, list[frozenset]]:
    """The adjective–noun and verb–object combinations of each sentence, split by split."""
    of = {sentence.source: sentence.combinations for sentence in generate(0)}
    return {split: [of[pair.source] for pair in getattr(built_in, split)] for split in SPLITS}


def test_no_source_sentence_of_the_built_in_corpus_stands_in_two_splits(built_in):
    assert_no_source_in_two_splits(built_in)
    for split in SPLITS:
        pairs = getattr(built_in, split)
        assert len(sources(pairs)) == len(pairs)


def test_the_built_in_splits_have_their_sizes(built_in):
    assert len(built_in.train) >= 25_000
    assert [len(getattr(built_in, split)) for split in SPLITS[1:]] == [500, 1000, 1000]


def test_every_test_sentence_holds_a_combination_that_no_other_split_holds(held):
    others = set().union(*held["train"], *held["validation"], *held["long"])
    unseen = [set(each) - others for each in held["test"]]
    assert all(unseen)
    counts = Counter(combination for each in unseen for combination in each)
    assert {kind for kind, *_ in counts} == {"adj", "verb"}
    assert len(counts) >= 50
    assert max(counts.values()) <= 50  # the test is about many combinations, not about one


def test_both_words_of_an_unseen_combination_are_seen_in_others(held):
    trained = set().union(*held["train"])
    first, second = {c[:2] for c in trained}, {(c[0], c[2]) for c in trained}
    for combination in set().union(*held["test"]):
        assert combination[:2] in first
        assert (combination[0], combination[2]) in second


def test_every_tested_word_stands_in_several_training_sentences(built_in):
    for side in ("source", "target"):
        seen = Counter(word for pair in built_in.train for word in set(getattr(pair, side)))
        for split in SPLITS[1:]:
            for pair in getattr(built_in, split):
                assert min(seen[word] for word in getattr(pair, side)) >= MIN_SEEN


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz")), max_size=80))
def test_no_combination_is_held_out_whose_words_would_become_rare(phrases):
    sentences = [
        Sentence((a, noun), (noun, a), frozenset(), frozenset({("adj", a, noun)}))
        for a, noun in phrases
    ]
    seen = Counter((side, word) for phrase in phrases for word in phrase for side in ("en", "fr"))
    with patch("lib.corpus.HELD_OUT", 0.7):
        held_out = _hold_out(sentences, seen, random.Random(0))
    left = Counter(
        word for a, noun in phrases if ("adj", a, noun) not in held_out for word in (a, noun)
    )
    assert all(left[a] >= MIN_SEEN and left[noun] >= MIN_SEEN for _, a, noun in held_out)


def test_long_sentences_are_longer_than_any_in_training(built_in):
    longest = max(len(pair.source) for pair in built_in.train)
    assert min(len(pair.source) for pair in built_in.long) > longest
    assert longest >= max(len(pair.source) for pair in (*built_in.validation, *built_in.test))


def test_gold_alignments_point_at_words(built_in):
    assert built_in.has_gold
    for split in SPLITS:
        for pair in getattr(built_in, split):
            assert {target for _, target in pair.alignment} == set(range(len(pair.target)))
            assert {source for source, _ in pair.alignment} <= set(range(len(pair.source)))


def test_the_built_in_corpus_follows_the_rules_of_what_is_one_token(built_in):
    for pair in (*built_in.train[::10], *built_in.test, *built_in.long):
        assert tuple(tokenize(detokenize(pair.source), "en")) == pair.source
        assert tuple(tokenize(detokenize(pair.target), "fr")) == pair.target


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("go .", "va !"),
        ("i lost .", "j' ai perdu ."),
        ("he 's calm .", "il est calme ."),
        ("i 'm home .", "je suis chez moi ."),
    ],
)
def test_the_textbooks_sentences_are_in_training(built_in, source, target):
    found = [pair.target for pair in built_in.train if pair.source == tuple(source.split())]
    assert found == [tuple(target.split())]


@pytest.mark.slow
def test_the_built_in_corpus_repeats_exactly_from_process_to_process():
    code = "import hashlib, lib.corpus; c = lib.corpus.load(seed=2); text = '|'.join("
    code += "f'{p.source}{p.target}{sorted(p.alignment)}' for p in c.train + c.test + c.long); "
    code += "print(hashlib.sha1(text.encode()).hexdigest())"
    digests = set()
    for hash_seed in ("1", "2"):  # the order of a set of words depends on it
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[1],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


@pytest.mark.slow
def test_the_seed_draws_another_corpus_that_leaks_as_little(built_in):
    other = load(seed=1)
    assert sources(other.test) != sources(built_in.test)
    assert_no_source_in_two_splits(other)


def test_smaller_training_sets_are_parts_of_larger_ones(built_in):
    for size in (1, 100, 5000):
        small = load(size=size)
        assert small.train == built_in.train[:size]
        assert small.validation + small.test + small.long == (
            built_in.validation + built_in.test + built_in.long
        )


def test_vocabularies_come_from_training_alone(built_in):
    small = load(size=100)
    source, target = small.vocabularies()
    assert source == Vocabulary.build(pair.source for pair in small.train)
    assert target == Vocabulary.build(pair.target for pair in small.train)
    often, _ = small.vocabularies(min_count=5)
    assert len(often) < len(source) < len(built_in.vocabularies()[0])


def test_a_corpus_shows_itself_in_one_line(built_in):
    text = (
        f"Corpus('built-in': {len(built_in.train):,} train, 500 validation, 1,000 test, 1,000 long)"
    )
    assert repr(built_in) == text


# Files -------------------------------------------------------------------------------------

words = st.sampled_from("abcdefgh")
sentences = st.lists(words, min_size=1, max_size=4).map(tuple)
pair_lists = st.lists(
    st.builds(Pair, sentences, sentences, st.none()), min_size=3, max_size=60
).filter(
    lambda pairs: len({pair.source for pair in pairs if len(pair.source + pair.target) < 5}) >= 3
)


@given(pair_lists, st.integers(0, 9), st.sampled_from([None, 3, 4]))
def test_all_translations_of_a_source_sentence_fall_into_one_split(pairs, seed, max_words):
    corpus = split_by_source(pairs, name="mine", seed=seed, max_words=max_words)
    assert_no_source_in_two_splits(corpus)
    limit = max_words or 99
    within = {p for p in pairs if len(p.source) <= limit and len(p.target) <= limit}
    everything = corpus.train + corpus.validation + corpus.test
    assert sources(everything) == sources(within)
    assert set(everything) <= within
    # Training has all translations of its sentences, the other splits one of each.
    assert sorted(corpus.train) == sorted(p for p in within if p.source in sources(corpus.train))
    for held in (corpus.validation, corpus.test, corpus.long):
        assert len(sources(held)) == len(held)
    assert sources(corpus.long) == {p.source for p in pairs if len(p.source) > limit}


@given(pair_lists, st.integers(0, 9), st.randoms(use_true_random=False))
def test_the_split_does_not_depend_on_the_order_of_the_lines(pairs, seed, draw):
    corpus = split_by_source(pairs, name="mine", seed=seed)
    draw.shuffle(pairs)
    shuffled = split_by_source(pairs, name="mine", seed=seed)
    assert set(shuffled.train) == set(corpus.train)
    assert (shuffled.validation, shuffled.test) == (corpus.validation, corpus.test)


@pytest.fixture(scope="module")
def my_file(tmp_path_factory) -> Path:
    """400 lines about 200 source sentences of 3 or 10 words."""
    lines = []
    for number in range(200):
        more = " and one more after that day" if number % 4 == 0 else ""
        for verb in ("vient", "arrive"):
            lines.append(f"Guest {number} arrives{more}.\tL'invité {number} {verb}{more}.")
    random.Random(0).shuffle(lines)
    path = tmp_path_factory.mktemp("mine") / "mine.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_file_of_pairs_is_loaded_like_any_corpus(my_file):
    corpus = load(my_file, max_words=8)
    assert repr(corpus) == f"Corpus({str(my_file)!r}: 254 train, 8 validation, 15 test, 50 long)"
    assert load(str(my_file), max_words=8) == corpus
    assert not corpus.has_gold
    assert load("tatoeba", path=my_file, max_words=8).train == corpus.train
    assert max(len(p.source + p.target) for p in corpus.train) <= 16
    assert min(len(p.source) for p in corpus.long) > 8
    small = load(my_file, max_words=8, size=20)
    assert small.train == corpus.train[:20]
    assert (small.validation, small.test) == (corpus.validation, corpus.test)
    assert sources(load(my_file, seed=1).test) != sources(load(my_file).test)
    assert load(my_file).long == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"name": "tatoba"},
            r"no file 'tatoba'; known are \"built-in\", \"tatoeba\", and any file",
        ),
        ({"name": "tatoeba", "path": "nowhere.txt"}, "no file 'nowhere.txt'"),
        ({"path": "fra.txt"}, r"to read another file, load\('fra.txt'\)"),
        ({"max_words": 8}, "max_words=8 is for files"),
        ({"size": 0}, "size=0 must be from 1 to"),
        ({"size": 10**6}, r"size=1000000 must be from 1 to \d+, all training pairs"),
    ],
)
def test_what_cannot_be_loaded_is_refused_with_what_to_do(arguments, message):
    with pytest.raises(ValueError, match=message):
        load(**arguments)


def test_a_file_with_too_few_sentences_is_refused(my_file):
    with pytest.raises(ValueError, match="has 0 source sentences within max_words=2"):
        load(my_file, max_words=2)
    pair = Pair(("a",), ("b",))
    with pytest.raises(ValueError, match="mine has 1 source sentences; a split takes at least 3"):
        split_by_source([pair, pair], name="mine")


# The course's choice -----------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, "", "built-in"])
def test_the_course_uses_the_built_in_corpus_unless_told_otherwise(built_in, monkeypatch, value):
    if value is None:
        monkeypatch.delenv("COURSE_CORPUS", raising=False)
    else:
        monkeypatch.setenv("COURSE_CORPUS", value)
    assert course_corpus() == built_in
    assert course_corpus(size=50) == load(size=50)


def test_the_course_reads_the_file_that_course_corpus_names(my_file, monkeypatch):
    monkeypatch.setenv("COURSE_CORPUS", str(my_file))
    assert course_corpus() == load(my_file, max_words=8)
    assert course_corpus(size=20).train == load(my_file, max_words=8, size=20).train
    assert course_corpus(size=10_000) == course_corpus()  # fewer than asked for: all of them
    monkeypatch.setattr("lib.corpus.COURSE_SIZE", 30)
    assert len(course_corpus().train) == 30
    assert course_corpus(seed=1).test != course_corpus().test


# Tatoeba -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tatoeba() -> Path:
    """The real file, if this machine has it."""
    path = os.environ.get("LEARNING_TO_ALIGN_TATOEBA")
    if not path:
        pytest.skip("LEARNING_TO_ALIGN_TATOEBA does not name Tatoeba's fra.txt")
    return Path(path)


@pytest.mark.slow
def test_tatoebas_repeated_sentences_do_not_leak(tatoeba):
    corpus = load("tatoeba", path=tatoeba, max_words=8)
    assert_no_source_in_two_splits(corpus)
    assert [len(getattr(corpus, split)) for split in SPLITS] == [95_707, 500, 1000, 1000]
    assert max(len(pair.target) for pair in corpus.train + corpus.test) == 8


def test_the_textbooks_split_leaks_one_source_sentence(tatoeba):
    corpus = textbook_split(tatoeba)
    assert repr(corpus) == "Corpus('textbook': 512 train, 128 validation, 0 test, 0 long)"
    assert corpus.train[0] == Pair(("go", "."), ("va", "!"))
    assert sources(corpus.train) & sources(corpus.validation) == {("dogs", "bark", ".")}


def test_the_textbooks_split_needs_its_640_lines(my_file):
    with pytest.raises(ValueError, match=r"640 lines, .*mine.tsv has 400"):
        textbook_split(my_file)


def test_the_textbooks_four_sentences_are_in_training_of_any_size():
    small = load(size=4)
    found = {" ".join(pair.source): " ".join(pair.target) for pair in small.train}
    assert found == {
        "go .": "va !",
        "i lost .": "j' ai perdu .",
        "he 's calm .": "il est calme .",
        "i 'm home .": "je suis chez moi .",
    }
