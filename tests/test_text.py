"""Promises of lib/text.py: what one token is, what a vocabulary does, what a batch holds."""

import unicodedata
from itertools import pairwise

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from lib.text import (
    BOS,
    EOS,
    PAD,
    SPECIALS,
    UNK,
    Pair,
    Vocabulary,
    batches,
    detokenize,
    make_batch,
    normalize,
    pad,
    tokenize,
)

CLITICS = {
    "en": ["I'm", "n't", "'s", "don't", "shouldn't've", "'ll", "o'clock", "Tom's", "'d", "dogs'"],
    "fr": [
        "j'",
        "J’ai",
        "qu'",
        "jusqu'à",
        "aujourd'hui",
        "quelqu’un",
        "l'",
        "d'1,5",
        "n'",
        "vas-tu",
    ],
}
FOREIGN = {  # clitics of the other language
    "en": {"j'", "l'", "d'", "c'", "m'", "t'", "s'", "n'", "qu'", "jusqu'", "lorsqu'", "puisqu'"},
    "fr": {"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"},
}
SHARED = [
    "2:30",
    "a.m.",
    "p.m.'",
    "...",
    "…",
    "?!",
    "«",
    "\u202f!",
    "10,000",
    "e",
    "\u0301",
    "İ",
    "'",
]


def texts(language: str) -> st.SearchStrategy[str]:
    """Any characters at all, mixed with the words that the language's rules are about."""
    pieces = st.sampled_from(CLITICS[language] + SHARED) | st.text(max_size=6)
    joined = st.lists(st.tuples(pieces, st.sampled_from(["", " ", "\u00a0"])), max_size=8)
    return joined.map(lambda parts: "".join(piece + space for piece, space in parts))


words = st.text("abcé'-", min_size=1, max_size=4)
sentences = st.lists(words, max_size=9).map(tuple)
pairs = st.lists(st.builds(Pair, sentences, sentences, st.none()), max_size=40)


@given(st.text() | texts("en") | texts("fr"))
def test_normalising_twice_changes_nothing_more(text):
    once = normalize(text)
    assert normalize(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == " ".join(once.split())


@pytest.mark.parametrize("language", ["en", "fr"])
@given(data=st.data())
def test_tokens_survive_being_written_as_text(language, data):
    tokens = tokenize(data.draw(texts(language)), language)
    assume(not FOREIGN[language] & set(tokens))
    assert tokenize(detokenize(tokens), language) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I'm home.", "i 'm home ."),
        ("He’s calm!", "he 's calm !"),
        ("Don't you? Can't. Won't.", "do n't you ? ca n't . wo n't ."),
        ("You're, we've; I'll: I'd", "you 're , we 've ; i 'll : i 'd"),
        ("Tom's dog shouldn't've.", "tom 's dog should n't 've ."),
        ("At 2:30 a.m., $1,000.50...", "at 2:30 a.m. , $1,000.50 …"),
        ('"Five o\'clock"', '" five o\'clock "'),
        ("", ""),
    ],
)
def test_english_clitics_and_punctuation_are_tokens(text, tokens):
    assert tokenize(text, "en") == tokens.split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("J'ai perdu.", "j' ai perdu ."),
        ("Va\u202f!", "va !"),
        ("Qu’est-ce qu'il y a\u00a0?", "qu' est-ce qu' il y a ?"),
        ("L'eau d'où c'est m'a t'a s'est", "l' eau d' où c' est m' a t' a s' est"),
        ("jusqu'à lorsqu'il puisqu'on", "jusqu' à lorsqu' il puisqu' on"),
        ("Aujourd'hui quelqu'un", "aujourd'hui quelqu'un"),
        ("d'aujourd'hui", "d' aujourd'hui"),
        ("«\u00a0Où vas-tu\u2009?\u00a0»", "« où vas-tu ? »"),
        ("e\u0301te\u0301", "été"),
    ],
)
def test_french_elided_words_are_tokens_with_their_apostrophe(text, tokens):
    assert tokenize(text, "fr") == tokens.split()


def test_other_languages_are_split_at_spaces_and_punctuation_only():
    assert tokenize("Wie geht's?", "de") == ["wie", "geht's", "?"]


def test_detokenized_text_reads_as_one_writes_it():
    written = {
        "j'ai perdu .": "fr",
        "qu'est-ce qu'il n'a pas ?": "fr",
        "i'm home .": "en",
        "he can't've come at 2:30 a.m. , can he ?": "en",
    }
    for text, language in written.items():
        assert detokenize(tokenize(text, language)) == text
    assert detokenize(("j'", "ai", "perdu", ".")) == "j'ai perdu ."
    assert detokenize([]) == ""


@given(st.lists(sentences), st.integers(1, 3))
def test_a_vocabulary_is_ordered_by_frequency_then_alphabet(corpus, min_count):
    vocab = Vocabulary.build(corpus, min_count=min_count)
    everything = [word for sentence in corpus for word in sentence]
    known = vocab.tokens[len(SPECIALS) :]
    assert vocab.tokens[: len(SPECIALS)] == SPECIALS
    assert set(known) == {w for w in everything if everything.count(w) >= min_count}
    assert list(known) == sorted(known, key=lambda w: (-everything.count(w), w))
    assert Vocabulary(vocab.tokens) == Vocabulary(known) == vocab
    assert len({vocab, Vocabulary(known)}) == 1


@given(sentences)
def test_known_words_survive_encoding(sentence):
    vocab = Vocabulary.build([sentence])
    ids = vocab.encode(sentence)
    assert ids[-1] == EOS
    assert vocab.decode([BOS, *ids, PAD, PAD]) == list(sentence)
    assert vocab.decode(torch.tensor(ids)) == list(sentence)


@given(sentences, st.integers(1, 12))
def test_truncation_keeps_eos(sentence, max_len):
    ids = Vocabulary.build([sentence]).encode(sentence, max_len=max_len)
    assert len(ids) == min(len(sentence) + 1, max_len)
    assert ids[-1] == EOS
    assert ids.count(EOS) == 1


def test_unknown_words_become_unk_and_are_named():
    vocab = Vocabulary(["go", "."])
    assert vocab.encode(["go", "home", "."]) == [4, UNK, 5, EOS]
    assert vocab.unknown(["go", "home", "<eos>"]) == ["home", "<eos>"]
    assert "go" in vocab
    assert "<eos>" in vocab
    assert "home" not in vocab
    assert repr(vocab) == "Vocabulary(6 tokens)"


def test_special_tokens_typed_by_a_reader_are_unknown_words():
    vocab = Vocabulary.build([["go", "<eos>", "<pad>"]])
    assert vocab.tokens == (*SPECIALS, "go")
    assert vocab.encode(list(SPECIALS)) == [UNK, UNK, UNK, UNK, EOS]


def test_a_vocabulary_cannot_be_changed():
    with pytest.raises(AttributeError):
        Vocabulary(["go"]).tokens = ()


@pytest.mark.parametrize("tokens", [["a", "a"], ["a", "<eos>"], ["<pad>", "a"], "abc"])
def test_repeated_or_misplaced_tokens_are_refused(tokens):
    with pytest.raises(ValueError, match="vocabulary"):
        Vocabulary(tokens)


def test_wrong_use_of_a_vocabulary_says_what_to_do():
    vocab = Vocabulary(["go"])
    for use in (vocab.encode, vocab.unknown, lambda text: Vocabulary.build([text])):
        with pytest.raises(ValueError, match=r"go home.*tokenize it first"):
            use("go home")
    with pytest.raises(ValueError, match="max_len=0 leaves no room for <eos>"):
        vocab.encode(["go"], max_len=0)
    for wrong in (5, -1):
        with pytest.raises(ValueError, match=f"token number {wrong} is outside"):
            vocab.decode([wrong])


def test_padding_to_a_length_that_is_too_short_is_refused():
    assert pad([[5], [6, 7]], 3).tolist() == [[5, PAD, PAD], [6, 7, PAD]]
    assert pad([]).shape == (0, 0)
    with pytest.raises(ValueError, match="2 tokens does not fit into length=1"):
        pad([[5], [6, 7]], 1)


@given(pairs, st.none() | st.integers(1, 6))
def test_a_batch_holds_its_sentences_and_padding_stands_only_at_the_end(pairs, max_len):
    source_vocab = Vocabulary.build(pair.source for pair in pairs)
    target_vocab = Vocabulary.build(pair.target for pair in pairs)
    batch = make_batch(pairs, source_vocab, target_vocab, max_len=max_len)
    assert batch.index == tuple(range(len(pairs)))
    for tensor, mask in (
        (batch.source, batch.source_mask),
        (batch.target, batch.target_mask),
        (batch.labels, batch.target_mask),
    ):
        assert torch.equal(tensor != PAD, mask)
        assert torch.equal(mask, mask.cummin(dim=1).values if mask.numel() else mask)
    keep = None if max_len is None else max_len - 1
    for row, pair in enumerate(pairs):
        assert source_vocab.decode(batch.source[row]) == list(pair.source[:keep])
        assert target_vocab.decode(batch.labels[row]) == list(pair.target[:keep])
        words = batch.labels[row, : batch.target_mask[row].sum()].tolist()
        assert words[-1] == EOS
        assert batch.target[row, : len(words)].tolist() == [BOS, *words[:-1]]


def test_a_batch_moves_to_a_device_whole():
    batch = make_batch([Pair(("a",), ("b",))], Vocabulary(["a"]), Vocabulary(["b"]), index=[7])
    moved = batch.to("meta")
    assert moved.index == (7,)
    for name in ("source", "source_mask", "target", "labels", "target_mask"):
        assert getattr(moved, name).device.type == "meta"


@given(pairs, st.integers(1, 9), st.none() | st.integers(0, 99))
def test_batches_hold_each_pair_exactly_once_with_like_lengths_together(pairs, batch_size, seed):
    vocab = Vocabulary(["a"])
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    made = batches(pairs, vocab, vocab, batch_size=batch_size, generator=generator)
    assert sorted(i for batch in made for i in batch.index) == list(range(len(pairs)))
    assert all(len(batch.index) <= batch_size for batch in made)
    assert len(made) == -(-len(pairs) // batch_size)
    lengths = sorted(sorted(len(pairs[i].target) for i in batch.index) for batch in made)
    for shorter, longer in pairwise(lengths):
        assert shorter[-1] <= longer[0]
    if seed is None:
        in_order = [len(pairs[i].target) for batch in made for i in batch.index]
        assert in_order == sorted(in_order)


def test_the_generator_alone_decides_how_batches_are_shuffled():
    pairs = [Pair(("a",) * (i % 5), ("a",) * (i % 7)) for i in range(100)]
    vocab = Vocabulary(["a"])

    def order(seed):
        generator = torch.Generator().manual_seed(seed)
        made = batches(pairs, vocab, vocab, batch_size=8, generator=generator)
        return [batch.index for batch in made]

    assert order(0) == order(0)
    assert order(0) != order(1)
    assert {frozenset(index) for index in order(0)} != {frozenset(index) for index in order(1)}


def test_an_empty_batch_size_is_refused():
    with pytest.raises(ValueError, match="batch_size=0"):
        batches([], Vocabulary([]), Vocabulary([]), batch_size=0)
