"""How words inflect: what a line of `lib.grammar.lexicon` says, and the forms it implies."""

from dataclasses import dataclass

# French words that begin with h but take no elision: le héros, not l'héros.
H_ASPIRE = frozenset(("héros", "haricot", "haricots", "hibou", "hiboux", "huit"))
_FEMININE_ENDINGS = {"e": "e", "x": "se", "er": "ère", "en": "enne"}
_THIRD = {"have": "has", "go": "goes"}
_ALL_USES = "pgcfim"


def starts_with_vowel(word: str) -> bool:
    """Whether a French word calls for elision before it (l'arbre, l'homme, but le héros)."""
    return word[0] in "aeiouyhéèêâîôœ" and word not in H_ASPIRE


def _english_s(word: str) -> str:
    """The plural of a noun, or the third person of a verb."""
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _french_plural(word: str) -> str:
    if word.endswith(("s", "x", "z")):
        return word
    return word + ("x" if word.endswith(("eau", "jeu")) else "s")


def _french_feminine(word: str) -> str:
    for ending in sorted(_FEMININE_ENDINGS, key=len, reverse=True):
        if word.endswith(ending):
            return word.removesuffix(ending) + _FEMININE_ENDINGS[ending]
    return word + "e"


def _conjugation_er(infinitive: str) -> list[str]:
    """Present and participle of a regular verb in -er; nous mangeons keeps its soft g."""
    stem = infinitive.removesuffix("er")
    soft = "e" if stem.endswith("g") else ""
    return [stem + "e", stem + "es", stem + "e", stem + soft + "ons", stem + "ent", stem + "é"]


def agreed(participle: str, form: int) -> str:
    """A participle in the form of what it agrees with: feminine + 2 × plural."""
    word = participle + "e" * (form % 2)
    return word if form < 2 else _french_plural(word)


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun in both languages; index its forms with `plural`, False or True."""

    en: tuple[str, str]
    fr: tuple[str, str]
    gender: str
    kinds: frozenset[str]

    @property
    def name(self) -> str:
        """The English singular, which stands for the noun in `Sentence.combinations`."""
        return self.en[0]

    @classmethod
    def read(cls, line: str) -> "Noun":
        """A line of the table: English[/plural] French[/plural] gender kinds."""
        en, fr, gender, *kinds = line.split()
        en, _, en_plural = en.partition("/")
        fr, _, fr_plural = fr.partition("/")
        return cls(
            (en, en_plural or _english_s(en)),
            (fr, fr_plural or _french_plural(fr)),
            gender,
            frozenset(kinds),
        )


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective; index `fr` with feminine + 2 × plural.

    `before_vowel` is the masculine singular before a vowel (bel, nouvel, vieil); `place` is where
    it stands: before or after its French noun, alone (only after "is"), or beside (before its
    noun, never after "is").
    """

    en: str
    fr: tuple[str, str, str, str]
    before_vowel: str
    place: str
    kinds: frozenset[str]

    @property
    def precedes(self) -> bool:
        """Whether it stands before its French noun."""
        return self.place in ("before", "beside")

    @classmethod
    def read(cls, line: str) -> "Adjective":
        """A line of the table: English French[/feminine[/plural[/before vowel]]] place kinds."""
        en, fr, place, *kinds = line.split()
        masculine, feminine, plural, before_vowel = (*fr.split("/"), "", "", "")[:4]
        feminine = feminine or _french_feminine(masculine)
        forms = (masculine, feminine, plural or _french_plural(masculine), feminine + "s")
        return cls(en, forms, before_vowel or masculine, place, frozenset(kinds))


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb in both languages; `present` is indexed with the person: je, tu, il, nous, ils.

    Attributes:
        particle: what follows the English verb before its object ("at" in "look at").
        to: the French preposition before the object ("à" in "parler à"), or "".
        tail: what follows the finite French verb ("besoin" in "avoir besoin de"), or "".
        objects: kinds of nouns it takes; none if it is intransitive.
        by: the kind of nouns that can be its subject, besides persons.
        uses: the forms that make sense in English. p: simple present; g: progressive; c: past
            (passé composé); f: near future; i: after another verb; m: imperative.
        traits: "etre", "where", "with" and so on, as the lexicon explains them.
    """

    en: str
    past: str
    third: str
    ing: str
    particle: tuple[str, ...]
    infinitive: str
    present: tuple[str, ...]
    participle: str
    objects: frozenset[str]
    to: str
    tail: str
    by: str
    uses: str
    traits: frozenset[str]

    @property
    def name(self) -> str:
        """The English verb with its particle, as in `Sentence.combinations`."""
        return " ".join((self.en, *self.particle))

    @property
    def imperative(self) -> str:
        """The form for tu, without -s after -e or in va: mange !, va !, but finis !"""
        tu = self.present[1]
        return tu[:-1] if tu.endswith(("es", "vas")) else tu

    @classmethod
    def read(cls, line: str) -> "Verb":
        """A line of the table: English; French; objects; options."""
        english, french, objects, options = (*line.split(";"), "", "")[:4]
        forms, *particle = english.split()
        en, past, ing = (*forms.split("/"), "", "")[:3]
        infinitive, _, conjugation = french.strip().partition(":")
        *present, participle = conjugation.split() or _conjugation_er(infinitive)
        given = dict(option.partition("=")[::2] for option in options.split())
        stem = en.removesuffix("e")
        return cls(
            en=en,
            past=past or stem + "ed",
            third=_THIRD.get(en) or _english_s(en),
            ing=ing or stem + "ing",
            particle=tuple(particle),
            infinitive=infinitive,
            present=tuple(present),
            participle=participle,
            objects=frozenset(objects.split()),
            to=given.get("to", ""),
            tail=given.get("tail", ""),
            by=given.get("by", ""),
            uses=given.get("uses", _ALL_USES),
            traits=frozenset(name for name, value in given.items() if not value),
        )
