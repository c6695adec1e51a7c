"""Phrases in both languages at once: agreement, elision, contraction, and the gold alignment.

A `Draft` takes English words and French words, each French word with the places of the English
words it comes from, so the gold alignment is written down while the sentence is composed. Elision
(je + ai → j' ai) and contraction (de + le → du) come last, in `Draft.finish`.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from lib.grammar.morphology import Adjective, Noun, starts_with_vowel

Places = tuple[int, ...]
Combination = tuple[str, str, str]

# One tuple for each place and each link, made once: 40,000 sentences repeat the same few
_LONGEST = 100
_PLACES = [(place,) for place in range(_LONGEST)]
_LINKS = [[(place, i) for i in range(_LONGEST)] for place in range(_LONGEST)]

_ELIDING = {w: w[:-1] + "'" for w in ("je", "me", "te", "le", "la", "ne", "de", "que", "ce")}
_CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


class Sentence(NamedTuple):
    """A sentence pair with its gold alignment.

    Attributes:
        source: English tokens.
        target: French tokens.
        alignment: links (source index, target index).
        combinations: every adjective–noun and verb–object pair in it, in English and uninflected:
            ("adj", "red", "car"), ("verb", "look for", "key").
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    combinations: frozenset[Combination]


class Phrase(NamedTuple):
    """A piece of a sentence: `sources[j]` are the places in `english` that `french[j]` comes from.

    `person` is 0 je, 1 tu, 2 il or elle, 3 nous, 4 ils; `nouns` are the nouns it is about.
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    sources: tuple[Places, ...]
    person: int = 2
    gender: str = "m"
    nouns: tuple[Noun, ...] = ()
    combinations: tuple[Combination, ...] = ()

    @property
    def form(self) -> int:
        """Which form of an adjective agrees with it: feminine + 2 × plural."""
        return (self.gender == "f") + 2 * (self.person > 2)

    @property
    def silent(self) -> "Phrase":
        """The same subject with nothing left to write, for a verb after a relative clause."""
        return self._replace(english=(), french=(), sources=(), combinations=())


class Draft:
    """A sentence in the making: both languages are written from left to right."""

    def __init__(self):
        self.english: list[str] = []
        self.french: list[str] = []
        self.sources: list[Places] = []
        self.combinations: list[Combination] = []

    def en(self, *words: str) -> Places:
        """Write English words; returns their places."""
        start = len(self.english)
        self.english += words
        return _PLACES[start] if len(words) == 1 else tuple(range(start, len(self.english)))

    def fr(self, places: Places, *words: str) -> None:
        """Write French words that all come from the English words at `places`."""
        self.french += words
        self.sources += [places] * len(words)

    def words(self, english: str, french: str) -> None:
        """Write words that correspond as a whole: every morning ↔ tous les matins."""
        self.fr(self.en(*english.split()), *french.split())

    def read(self, phrase: Phrase) -> int:
        """Write the English side of a phrase; returns where it begins."""
        start = len(self.english)
        self.english += phrase.english
        self.combinations += phrase.combinations
        return start

    def render(self, phrase: Phrase, start: int) -> None:
        """Write the French side of a phrase whose English side begins at `start`."""
        self.french += phrase.french
        self.sources += _shifted(phrase.sources, start) if start else phrase.sources

    def phrase(self, phrase: Phrase) -> None:
        """Write both sides of a phrase."""
        self.render(phrase, self.read(phrase))

    def finish(self, mark: str = ".", french_mark: str = "") -> Sentence:
        """Close the sentence: punctuation, elision, contraction, links."""
        self.fr(self.en(mark), french_mark or mark)
        french, sources = self.french, self.sources
        for i in range(len(french) - 1, -1, -1):
            word = french[i]
            if word in _ELIDING and starts_with_vowel(french[i + 1]):
                french[i] = _ELIDING[word]
            elif word == "si" and french[i + 1] in ("il", "ils"):
                french[i] = "s'"
            elif (french[i - 1], word) in _CONTRACTED:
                french[i - 1 : i + 1] = [_CONTRACTED[french[i - 1], word]]
                sources[i - 1 : i + 1] = [tuple(dict.fromkeys(sources[i - 1] + sources[i]))]
        links = [_LINKS[place][i] for i, places in enumerate(sources) for place in places]
        return Sentence(
            tuple(self.english), tuple(french), frozenset(links), frozenset(self.combinations)
        )


def _shifted(sources: Sequence[Places], by: int) -> list[Places]:
    return [
        _PLACES[by + places[0]] if len(places) == 1 else tuple([by + place for place in places])
        for places in sources
    ]


# English determiner: French masculine, feminine, plural. "" is unspoken: he drinks water.
_DETERMINERS = {
    "the": ("le", "la", "les"),
    "generic": ("le", "la", "les"),
    "a": ("un", "une", "des"),
    "some": ("de le", "de la", "des"),
    "": ("de le", "de la", "des"),
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
    "this": ("ce", "cette", "ces"),
    "these": ("ce", "cette", "ces"),
    "every": ("chaque", "chaque", "chaque"),
    "many": ("beaucoup de",) * 3,
    "how many": ("combien de",) * 3,
    "no": ("de",) * 3,
    "two": ("deux",) * 3,
    "three": ("trois",) * 3,
    "four": ("quatre",) * 3,
    "five": ("cinq",) * 3,
    "ten": ("dix",) * 3,
}
_BEFORE_VOWEL = {"ma": "mon", "ta": "ton", "sa": "son", "ce": "cet"}
_INDEFINITE = ("a", "some", "")


def _article(determiner: str, form: int, following: str, negated: bool, described: bool) -> str:
    """The French determiner before the word `following`; `described`: that is an adjective."""
    word = _DETERMINERS[determiner][min(form, 2)]
    if determiner in _INDEFINITE and negated:
        return "de"  # je n'ai pas de voiture
    if word == "des" and described:
        return "de"  # de vieux livres
    return _BEFORE_VOWEL.get(word, word) if starts_with_vowel(following) else word


@cache
def noun_phrase(
    determiner: str,
    noun: Noun,
    adjectives: tuple[Adjective, ...] = (),
    plural: bool = False,
    negated: bool = False,
) -> Phrase:
    """A noun with its determiner and its adjectives in English order.

    Args:
        determiner: an English one, "" for none, or "generic" for none where French has the
            definite article (i like apples → j'aime les pommes).
        negated: whether it is the object of a negated verb.
    """
    form = (noun.gender == "f") + 2 * plural
    content = [*(adjective.en for adjective in adjectives), noun.en[plural]]
    spoken = [] if determiner == "generic" else determiner.split()
    if spoken == ["a"] and content[0][0] in "aeiou":
        spoken = ["an"]
    start, last = len(spoken), len(spoken) + len(adjectives)
    after = [(a.fr[form], i) for i, a in enumerate(adjectives, start) if not a.precedes]
    french = [(noun.fr[plural], last), *after]
    for i, adjective in reversed(list(enumerate(adjectives, start))):
        if adjective.precedes:
            vowel = form == 0 and starts_with_vowel(french[0][0])
            french.insert(0, (adjective.before_vowel if vowel else adjective.fr[form], i))
    described = french[0][1] != last
    article = _article(determiner, form, french[0][0], negated, described).split()
    return Phrase(
        (*spoken, *content),
        (*article, *(word for word, _ in french)),
        (tuple(range(start)) or (last,),) * len(article) + tuple((i,) for _, i in french),
        4 if plural else 2,
        noun.gender,
        (noun,),
        tuple(("adj", adjective.en, noun.name) for adjective in adjectives),
    )


@cache
def bare(noun: Noun, adjectives: tuple[Adjective, ...] = (), plural: bool = False) -> Phrase:
    """A noun with its adjectives and no determiner in either language."""
    phrase = noun_phrase("generic", noun, adjectives, plural)
    return phrase._replace(french=phrase.french[1:], sources=phrase.sources[1:])


@cache
def genitive(owner: Phrase, owned: Phrase) -> Phrase:
    """What somebody owns: my brother 's red car → la voiture rouge de mon frère."""
    start = len(owner.english)
    article = _DETERMINERS["the"][min(owned.form, 2)]
    return owned._replace(
        english=(*owner.english, "'s", *owned.english),
        french=(article, *owned.french, "de", *owner.french),
        sources=((start,), *_shifted(owned.sources, start + 1), (start,), *owner.sources),
        combinations=owner.combinations + owned.combinations,
    )


@cache
def joined(first: Phrase, second: Phrase) -> Phrase:
    """Two noun phrases with "and": masculine plural unless both are feminine."""
    start = len(first.english)
    return Phrase(
        (*first.english, "and", *second.english),
        (*first.french, "et", *second.french),
        (*first.sources, (start,), *_shifted(second.sources, start + 1)),
        4,
        "f" if first.gender == second.gender == "f" else "m",
        first.nouns + second.nouns,
        first.combinations + second.combinations,
    )
