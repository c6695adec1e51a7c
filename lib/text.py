"""From text to padded batches: tokens, `Vocabulary`, `Batch`.

What is one token is decided here, once for every corpus:

- all lower case; punctuation is a token of its own, except inside numbers (`2:30`, `10,000`)
  and dotted abbreviations (`a.m.`);
- English clitics are split off: `i 'm`, `he 's`, `tom 's`, `do n't`, `ca n't`;
- French elided words are split off and keep their apostrophe: `j' ai`, `qu' il`, `l' eau`;
  `aujourd'hui` and `quelqu'un` stay whole;
- hyphenated words stay whole: `est-ce`, `vas-tu`, `peut-être`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")

_SIMPLER = str.maketrans(
    dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", "")  # invisible
    | dict.fromkeys("’‘‛ʼ′´`", "'")
    | dict.fromkeys("“”„‟", '"')
)
_PUNCTUATION = r'.!?,;:…"«»()\[\]‽¿¡–—'
_ELLIPSIS = re.compile(r"\.{2,}")
_WORD = re.compile(
    rf"(?:[^\W\d_]\.){{2,}}"  # a.m.
    rf"|[^\s{_PUNCTUATION}]+(?:(?<=\d)[.,:](?=\d)[^\s{_PUNCTUATION}]+)*"  # word, 2:30, $1.50
    rf"|[{_PUNCTUATION}]"
)
_HOLDS_PUNCTUATION = re.compile(rf"[{_PUNCTUATION}]")
_CLITIC = re.compile(r"(.+)(n't|'(?:s|m|re|ve|ll|d))", re.DOTALL)
_ELISION = re.compile(
    r"([jldcmtsn]'|(?:jus|lors|puis|quoi)?qu')(.+)", re.DOTALL
)  # the elided word, then what follows it
_CLITICS = frozenset(("n't", "'s", "'m", "'re", "'ve", "'ll", "'d"))
_ELISIONS = frozenset(letter + "'" for letter in "jldcmtsn") | frozenset(
    ("qu'", "jusqu'", "lorsqu'", "puisqu'", "quoiqu'")
)


def _words(text: str) -> list[str]:
    """The words and punctuation marks of a text, before clitics are split off."""
    if not text.isascii():
        # Composed again after lower-casing and dropping characters, which can undo it.
        text = unicodedata.normalize("NFC", text).lower().translate(_SIMPLER)
        text = unicodedata.normalize("NFC", text)
    else:
        text = text.lower().replace("`", "'")
    if ".." in text:
        text = _ELLIPSIS.sub("…", text)
    return _WORD.findall(text)


def normalize(text: str) -> str:
    """One spelling for each sentence, so that a word is one word however it was typed.

    Composed characters (Unicode NFC), plain spaces (also for the narrow no-break space before
    French `!`), straight apostrophes and quotes, lower case, punctuation set off by spaces.
    Normalising twice changes nothing more.
    """
    return " ".join(_words(text))


def tokenize(text: str, language: str) -> list[str]:
    """Normalise a text and split it into tokens by the rules at the top of this module.

    Args:
        language: "en" or "fr"; in any other language, tokens are what spaces separate.
    """
    words = _words(text)
    if "'" not in text and text.isascii():
        return words
    split = {"en": _split_clitics, "fr": _split_elisions}.get(language)
    if split is None:
        return words
    tokens = []
    for word in words:
        if "'" in word:
            tokens.extend(split(word))
        else:
            tokens.append(word)
    return tokens


def _split_clitics(word: str) -> list[str]:
    """`should n't 've`: English clitics come off the end, one after the other."""
    clitics = []
    while match := _CLITIC.fullmatch(word):
        word, clitic = match.groups()
        clitics.append(clitic)
    return [word, *reversed(clitics)]


def _split_elisions(word: str) -> list[str]:
    """`j' n' ai`: elided French words come off the beginning, one after the other."""
    elided = []
    while match := _ELISION.fullmatch(word):
        first, word = match.groups()
        elided.append(first)
    return [*elided, word]


def detokenize(tokens: Sequence[str]) -> str:
    """Tokens as one writes them, for display and BLEU: `j' ai perdu .` becomes `j'ai perdu .`.

    Punctuation stays separated by a space. Tokenising the result again, in the language the
    tokens came from, gives the same tokens (as long as they hold no clitic of the other language).
    """
    text = ""
    previous = " "  # neither an elided word nor one that a clitic may lean on
    for token in tokens:
        joins = (token in _CLITICS and not _HOLDS_PUNCTUATION.search(previous)) or (
            previous in _ELISIONS and not _HOLDS_PUNCTUATION.search(token)
        )
        text += token if joins or not text else " " + token
        previous = token
    return text


class Vocabulary:
    """The tokens a model knows, and their numbers. Immutable.

    Build it from training sentences only: a word that stands in no training sentence has an
    embedding that was never trained, so it must become `<unk>`, and the test must say so.
    """

    def __init__(self, tokens: Iterable[str]):
        """Number the tokens in the order given, after the four special ones.

        Args:
            tokens: the words; the special tokens may lead them, all four, as in `self.tokens`.

        Raises:
            ValueError: if a token occurs twice, or a special token stands among the words.
        """
        if isinstance(tokens, str):
            raise ValueError(f"a vocabulary is built from a list of words, not from {tokens!r}")
        words = tuple(tokens)
        if words[: len(SPECIALS)] == SPECIALS:
            words = words[len(SPECIALS) :]
        for word, count in Counter(words).items():
            if count > 1 or word in SPECIALS:
                raise ValueError(
                    f"{word!r} may stand only once in a vocabulary, and the special tokens "
                    f"{', '.join(SPECIALS)} only before all words"
                )
        self._tokens = SPECIALS + words
        # Special tokens are not in it: one typed by a reader is an unknown word.
        self._ids = {word: i for i, word in enumerate(words, start=len(SPECIALS))}

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], *, min_count: int = 1) -> "Vocabulary":
        """All words of tokenised sentences, the most frequent first, ties in alphabetical order.

        Args:
            min_count: words seen fewer times are left out, and will be `<unk>`.
        """
        counts = Counter()
        for sentence in sentences:
            _refuse_text(sentence)
            counts.update(sentence)
        for special in SPECIALS:
            counts.pop(special, None)
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls(word for word, count in ranked if count >= min_count)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Every token in the order of its number; the special ones first."""
        return self._tokens

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids or token in SPECIALS

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._tokens == other._tokens

    def __hash__(self) -> int:
        return hash(self._tokens)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} tokens)"

    def encode(self, tokens: Sequence[str], *, max_len: int | None = None) -> list[int]:
        """The numbers of the tokens, then `<eos>`. Unknown words become `<unk>`.

        Args:
            max_len: at most so many numbers; words are cut off, the last one stays `<eos>`, so
                that a model still learns that sentences end.
        """
        _refuse_text(tokens)
        if max_len is not None:
            if max_len < 1:
                raise ValueError(f"max_len={max_len} leaves no room for <eos>; give at least 1")
            tokens = tokens[: max_len - 1]
        lookup = self._ids.get
        ids = [lookup(token, UNK) for token in tokens]
        ids.append(EOS)
        return ids

    def decode(self, ids: Iterable[int] | Int[Tensor, "length"]) -> list[str]:
        """The tokens up to the first `<eos>`, without `<pad>` and `<bos>`.

        Raises:
            ValueError: if a number is no token's.
        """
        tokens = []
        for i in ids.tolist() if isinstance(ids, Tensor) else ids:
            if not 0 <= i < len(self):
                raise ValueError(f"token number {i} is outside the vocabulary of {len(self)}")
            if i == EOS:
                break
            if i not in (PAD, BOS):
                tokens.append(self._tokens[i])
        return tokens

    def unknown(self, tokens: Sequence[str]) -> list[str]:
        """Those of the tokens that the vocabulary does not hold, in their order."""
        _refuse_text(tokens)
        return [token for token in tokens if token not in self._ids]


def _refuse_text(tokens: Sequence[str]) -> None:
    if isinstance(tokens, str):
        raise ValueError(f"expected a list of tokens, got the text {tokens!r}; tokenize it first")


class Pair(NamedTuple):
    """A sentence and its translation, as tokens without `<bos>` and `<eos>`.

    Attributes:
        alignment: which source word each target word came from, as (source place, target place);
            None where nobody knows.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]] | None = None


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as tensors.

    Attributes:
        source: words, `<eos>`, then `<pad>`.
        source_mask: True at every token that is no padding.
        target: what the decoder reads: `<bos>`, words, then `<pad>`.
        labels: what it must predict there: words, `<eos>`, then `<pad>`.
        target_mask: True where `target` (and likewise `labels`) is no padding.
        index: where each pair stands in the list that the batch was made from.
    """

    source: Int[Tensor, "batch source"]
    source_mask: Bool[Tensor, "batch source"]
    target: Int[Tensor, "batch target"]
    labels: Int[Tensor, "batch target"]
    target_mask: Bool[Tensor, "batch target"]
    index: tuple[int, ...]

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        return Batch(
            self.source.to(device),
            self.source_mask.to(device),
            self.target.to(device),
            self.labels.to(device),
            self.target_mask.to(device),
            self.index,
        )


def pad(
    sequences: Sequence[Sequence[int]], length: int | None = None
) -> Int[Tensor, "batch length"]:
    """Stack sequences of unlike lengths, filled up with `<pad>` at their ends.

    Args:
        length: fill up to this length instead of the longest sequence's.

    Raises:
        ValueError: if a sequence is longer than `length`.
    """
    longest = max(map(len, sequences), default=0)
    if length is None:
        length = longest
    elif longest > length:
        raise ValueError(f"a sequence of {longest} tokens does not fit into length={length}")
    rows = [[*sequence, *[PAD] * (length - len(sequence))] for sequence in sequences]
    return torch.tensor(rows, dtype=torch.long).reshape(len(rows), length)


def make_batch(
    pairs: Sequence[Pair],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    max_len: int | None = None,
    index: Sequence[int] | None = None,
) -> Batch:
    """Sentence pairs as one padded batch.

    Args:
        max_len: most tokens a side may have, `<eos>` included; longer ones are cut off.
        index: what the batch remembers as the pairs' places; 0, 1, 2, … if not given.
    """
    sources = [source_vocab.encode(pair.source, max_len=max_len) for pair in pairs]
    labels = [target_vocab.encode(pair.target, max_len=max_len) for pair in pairs]
    source, labels = pad(sources), pad(labels)
    target_mask = labels != PAD
    # The decoder reads <bos> and all but the last of the tokens it must predict.
    target = labels.roll(1, dims=1).masked_fill(~target_mask, PAD)
    target[:, :1] = BOS
    places = tuple(range(len(pairs)) if index is None else index)
    return Batch(source, source != PAD, target, labels, target_mask, places)


def batches(
    pairs: Sequence[Pair],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    batch_size: int,
    max_len: int | None = None,
    generator: torch.Generator | None = None,
) -> list[Batch]:
    """Every pair once, in batches of like lengths, so that little time goes into padding.

    Pairs are sorted by the length of their target, then of their source. A generator draws
    which of equally long pairs come together, and the order of the batches. Without one, the
    batches are the same each time, shortest first.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size={batch_size} must be at least 1")
    order = range(len(pairs))
    if generator is not None:
        order = torch.randperm(len(pairs), generator=generator).tolist()
    order = sorted(order, key=lambda i: (len(pairs[i].target), len(pairs[i].source)))
    chunks = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    if generator is not None:
        shuffled = torch.randperm(len(chunks), generator=generator).tolist()
        chunks = [chunks[i] for i in shuffled]
    return [
        make_batch(
            [pairs[i] for i in chunk], source_vocab, target_vocab, max_len=max_len, index=chunk
        )
        for chunk in chunks
    ]
