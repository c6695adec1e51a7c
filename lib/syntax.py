"""The rules of the built-in corpus: how phrases and clauses are put into both languages at once.

A `Draft` takes English words and French words, each French word with the places of the English
words it comes from, so the gold alignment is written down while the sentence is composed. Elision
(je + ai → j' ai) and contraction (de + le → du) come last, in `Draft.finish`.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from lib.lexicon import Adjective, Noun, Verb, starts_with_vowel

Places = tuple[int, ...]
Combination = tuple[str, str, str]


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

    `person` is 0 je, 1 tu, 2 il or elle, 3 nous, 4 ils; `noun` is the noun it is about, if any.
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    sources: tuple[Places, ...]
    person: int = 2
    gender: str = "m"
    noun: Noun | None = None
    combinations: tuple[Combination, ...] = ()

    @property
    def form(self) -> int:
        """Which form of an adjective agrees with it: feminine + 2 × plural."""
        return (self.gender == "f") + 2 * (self.person > 2)


class Clitic(NamedTuple):
    """An object pronoun: English, French before the verb, the form of participles it asks for."""

    en: str
    fr: str
    form: int


class Modal(NamedTuple):
    """A verb that takes an infinitive; `to` tells "want to" from "can"."""

    en: str
    third: str
    present: tuple[str, ...]
    to: bool


PRONOUNS = {
    en: Phrase((en,), (fr,), ((0,),), person, gender)
    for en, fr, person, gender in (
        ("i", "je", 0, "m"),
        ("you", "tu", 1, "m"),
        ("he", "il", 2, "m"),
        ("she", "elle", 2, "f"),
        ("we", "nous", 3, "m"),
        ("they", "ils", 4, "m"),
    )
}
_ELIDED = {word: word[:-1] + "'" for word in "je me te se le la ne de que ce".split()}
_CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
BE = ("am", "are", "is", "are", "are")
_BE_SHORT = {"am": "'m", "are": "'re", "is": "'s"}
_WAS = ("was", "were", "was", "were", "were")
ETRE = ("suis", "es", "est", "sommes", "sont")
ETAIT = ("étais", "étais", "était", "étions", "étaient")
AVOIR = ("ai", "as", "a", "avons", "ont")
AVAIT = ("avais", "avais", "avait", "avions", "avaient")
ALLER = ("vais", "vas", "va", "allons", "vont")


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
        return tuple(range(start, start + len(words)))

    def fr(self, places: Places, *words: str) -> None:
        """Write French words that all come from the English words at `places`."""
        self.french += words
        self.sources += [places] * len(words)

    def read(self, phrase: Phrase) -> int:
        """Write the English side of a phrase; returns where it begins."""
        start = len(self.english)
        self.english += phrase.english
        self.combinations += phrase.combinations
        return start

    def render(self, phrase: Phrase, start: int) -> None:
        """Write the French side of a phrase whose English side begins at `start`."""
        self.french += phrase.french
        self.sources += [tuple([start + place for place in places]) for places in phrase.sources]

    def both(self, phrase: Phrase) -> None:
        """Write both sides of a phrase."""
        self.render(phrase, self.read(phrase))

    def finish(self, mark: str = ".", french_mark: str | None = None) -> Sentence:
        """Close the sentence: punctuation, elision, contraction, links."""
        self.fr(self.en(mark), french_mark or mark)
        words: list[str] = []
        links: list[tuple[int, int]] = []
        following = [*self.french[1:], "."]
        for word, after, places in zip(self.french, following, self.sources, strict=True):
            if word in _ELIDED and starts_with_vowel(after):
                word = _ELIDED[word]
            elif word == "si" and after in ("il", "ils"):
                word = "s'"
            elif words and (words[-1], word) in _CONTRACTED:
                word = _CONTRACTED[words.pop(), word]
            words.append(word)
            links += [(place, len(words) - 1) for place in places]
        return Sentence(
            tuple(self.english), tuple(words), frozenset(links), frozenset(self.combinations)
        )


# English determiner: French masculine, feminine, plural
_DETERMINERS = {
    "the": ("le", "la", "les"),
    "a": ("un", "une", "des"),
    "some": ("de le", "de la", "des"),
    "": ("de le", "de la", "des"),
    "generic": ("le", "la", "les"),
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
    "no": ("de",) * 3,
    "two": ("deux",) * 3,
    "three": ("trois",) * 3,
    "four": ("quatre",) * 3,
    "five": ("cinq",) * 3,
    "ten": ("dix",) * 3,
}
_BEFORE_VOWEL = {"ma": "mon", "ta": "ton", "sa": "son", "ce": "cet"}
INDEFINITE = ("a", "some", "")


@cache
def noun_phrase(
    determiner: str,
    noun: Noun,
    adjectives: tuple[Adjective, ...] = (),
    plural: bool = False,
    negated: bool = False,
) -> Phrase:
    """A noun with its determiner and adjectives (English order).

    Under negation an indefinite object takes "de": i do n't have a car → je n'ai pas de voiture.
    The determiner "generic" is unspoken in English: i like apples → j'aime les pommes.
    """
    form = (noun.gender == "f") + 2 * plural
    content = [*(adjective.en for adjective in adjectives), noun.en[plural]]
    spoken = [] if determiner in ("", "generic") else [determiner]
    if determiner == "a" and content[0][0] in "aeiou":
        spoken = ["an"]
    english = tuple(spoken + content)
    last = len(english) - 1
    french, sources = [noun.fr[plural]], [(last,)]
    for place, adjective in enumerate(adjectives, start=len(spoken)):
        if adjective.place == "after":
            french.append(adjective.fr[form])
            sources.append((place,))
    for place, adjective in reversed(list(enumerate(adjectives, start=len(spoken)))):
        if adjective.place == "before":
            vowel = form == 0 and starts_with_vowel(french[0])
            french.insert(0, adjective.before_vowel if vowel else adjective.fr[form])
            sources.insert(0, (place,))
    article = _DETERMINERS[determiner][2 if plural else form]
    if determiner in INDEFINITE and negated:
        article = "de"
    elif article == "des" and len(french) > 1 and sources[0] != (last,):
        article = "de"  # des livres, but de vieux livres
    if starts_with_vowel(french[0]):
        article = _BEFORE_VOWEL.get(article, article)
    words = article.split()
    return Phrase(
        english,
        (*words, *french),
        ((0,) if spoken else (last,),) * len(words) + tuple(sources),
        4 if plural else 2,
        noun.gender,
        noun,
        tuple(("adj", adjective.en, noun.name) for adjective in adjectives),
    )


@cache
def genitive(owner: Phrase, owned: Phrase) -> Phrase:
    """An owner before what is owned (without determiner): my brother 's car → la voiture de … ."""
    start = len(owner.english)
    plural = owned.person > 2
    article = "les" if plural else ("la" if owned.gender == "f" else "le")
    shifted = [tuple(start + 1 + place for place in places) for places in owned.sources]
    return owned._replace(
        english=(*owner.english, "'s", *owned.english),
        french=(article, *owned.french, "de", *owner.french),
        sources=((start,), *shifted, (start,), *owner.sources),
        combinations=owner.combinations + owned.combinations,
    )


@cache
def bare(noun: Noun, adjectives: tuple[Adjective, ...] = (), plural: bool = False) -> Phrase:
    """A noun with its adjectives and no determiner in either language."""
    phrase = noun_phrase("generic", noun, adjectives, plural)
    return phrase._replace(french=phrase.french[1:], sources=phrase.sources[1:])


def joined(first: Phrase, word: str, french: str, second: Phrase) -> Phrase:
    """Two noun phrases with "and" between them, masculine plural unless both are feminine."""
    start = len(first.english)
    shifted = [tuple(start + 1 + place for place in places) for places in second.sources]
    return Phrase(
        (*first.english, word, *second.english),
        (*first.french, french, *second.french),
        (*first.sources, (start,), *shifted),
        4,
        "f" if first.gender == second.gender == "f" else "m",
        None,
        first.combinations + second.combinations,
    )


class Written(NamedTuple):
    """Where a clause put its verb and the English preposition after it."""

    verb: Places
    preposition: Places


def _contracted(word: str, subject: Phrase, full: bool) -> str:
    alone = subject.english[0] if len(subject.english) == 1 else ""
    return word if full or alone not in (*PRONOUNS, "it") else _BE_SHORT.get(word, word)


def _auxiliary(tense: str | Modal, person: int, asked: bool, negated: bool) -> str:
    """The English auxiliary: be, did, can, or do if the clause needs one."""
    if tense in ("progressive", "future"):
        return BE[person]
    if isinstance(tense, Modal) and not tense.to:
        return tense.en
    if not (asked or negated):
        return ""
    if tense == "past":
        return "did"
    return "does" if person == 2 else "do"


def _english_verb(
    draft: Draft, verb: Verb, tense: str | Modal, person: int, helped: bool
) -> tuple[Places, Places]:
    """Write the English verb after its auxiliary; returns (first verb, main verb)."""
    third = person == 2 and not helped
    if tense == "progressive":
        at = draft.en(verb.ing)
    elif tense == "past":
        at = draft.en(verb.en if helped else verb.past)
    elif tense == "present":
        at = draft.en(verb.third if third else verb.en)
    elif tense == "future":
        going = draft.en("going", "to")[:1]
        return going, draft.en(verb.en)
    elif tense.to:
        wanting = draft.en(*(tense.third if third else tense.en).split(), "to")[:-1]
        return wanting, draft.en(verb.en)
    else:
        at = draft.en(verb.en)
    return at, at


def clause(
    draft: Draft,
    subject: Phrase,
    verb: Verb,
    tense: str | Modal,
    *,
    negation: str = "",
    asked: bool = False,
    adverb: tuple[str, str] | None = None,
    clitic: Clitic | None = None,
    antecedent: int = 0,
    full: bool = False,
) -> Written:
    """Write subject and verb, as statement or question, with an object pronoun if there is one.

    Args:
        tense: "present", "progressive", "past" (passé composé), "future" (near), or a modal verb.
        negation: "", "not" or "never".
        adverb: one that stands before the English and after the French verb (often, souvent).
        antecedent: the form of a direct object that precedes (la pomme que j'ai mangée).
        full: write "he is" where English allows "he 's".
    """
    person, negated = subject.person, negation == "not"
    auxiliary = _auxiliary(tense, person, asked, negated)
    helping = draft.en(auxiliary) if asked else ()
    start = draft.read(subject)
    if auxiliary and not asked:
        helping = draft.en(
            "ca" if auxiliary == "can" and negated else _contracted(auxiliary, subject, full)
        )
    no = ()
    if negated:
        no = draft.en("n't" if auxiliary in ("do", "does", "did", "can") else "not")
    elif negation:
        no = draft.en(negation)
    often = draft.en(adverb[0]) if adverb else ()
    finite, main = _english_verb(draft, verb, tense, person, bool(auxiliary))
    preposition = draft.en(*verb.particle)
    if not verb.to:
        main += preposition
    me = draft.en(clitic.en) if clitic else ()
    if clitic and verb.to:
        me = preposition + me

    if asked:
        draft.fr(helping, "est-ce", "que")
    draft.render(subject, start)
    if no:
        draft.fr(no, "ne")
    compound = tense not in ("present", "progressive", "past")
    if clitic and not compound:
        draft.fr(me, clitic.fr)
    last = ""
    if tense == "past":
        draft.fr(helping or main, (ETRE if verb.etre else AVOIR)[person])
        agreement = subject.form if verb.etre else clitic.form if clitic else antecedent
        last = agreed(verb.participle, agreement)
    elif compound:
        if tense == "future":
            draft.fr(finite, ALLER[person])
        else:
            draft.fr(finite if tense.to else helping, tense.present[person])
        last = verb.infinitive
    else:
        draft.fr(main, verb.present[person])
    if no:
        draft.fr(no, "jamais" if negation == "never" else "pas")
    if adverb:
        draft.fr(often, adverb[1])
    if clitic and compound:
        draft.fr(me, clitic.fr)
    if last:
        draft.fr(main, last)
    return Written(main, preposition)


def agreed(participle: str, form: int) -> str:
    """A participle in the form of what it agrees with."""
    plural = "" if participle.endswith("s") and form == 2 else ("", "", "s", "s")[form]
    return participle + ("e" if form % 2 else "") + plural


def be_clause(
    draft: Draft,
    subject: Phrase,
    *,
    was: bool = False,
    negated: bool = False,
    asked: bool = False,
    forms: tuple[Sequence[str], Sequence[str]] = (ETRE, ETAIT),
    full: bool = False,
) -> None:
    """Write subject and "be", in French être or whatever verb the predicate asks for."""
    word = (_WAS if was else BE)[subject.person]
    at = draft.en(word) if asked else ()
    start = draft.read(subject)
    at = at or draft.en(_contracted(word, subject, full))
    no = draft.en("not") if negated else ()
    if asked:
        draft.fr(at, "est-ce", "que")
    draft.render(subject, start)
    if negated:
        draft.fr(no, "ne")
    draft.fr(at, forms[was][subject.person])
    if negated:
        draft.fr(no, "pas")


def add_object(draft: Draft, verb: Verb, written: Written, phrase: Phrase) -> None:
    """Write the object of the verb just written, with the French preposition it needs."""
    if verb.to:
        draft.fr(written.preposition or written.verb, verb.to)
    if phrase.noun:
        draft.combinations.append(combination(verb, phrase.noun))
    draft.both(phrase)


@cache
def combination(verb: Verb, noun: Noun) -> Combination:
    """The name of a verb–object pair."""
    return ("verb", " ".join((verb.en, *verb.particle)), noun.name)
