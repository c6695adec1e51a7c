"""Random noun phrases and subjects that make sense."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from lib.grammar.fixed import NUMBERS, OWNERS, PRONOUNS
from lib.grammar.lexicon import ADJECTIVES, NOUNS
from lib.grammar.morphology import Adjective, Noun
from lib.grammar.phrases import Phrase, bare, genitive, joined, noun_phrase

Choice = TypeVar("Choice")


def of_kinds(*kinds: str) -> tuple[Noun, ...]:
    """All nouns of any of these kinds."""
    return tuple(noun for noun in NOUNS if noun.kinds & set(kinds))


def nouns(*names: str) -> tuple[Noun, ...]:
    """Nouns by their English names."""
    return tuple(noun for noun in NOUNS if noun.name in names)


def adjectives(*names: str) -> tuple[Adjective, ...]:
    """Adjectives by their English names."""
    return tuple(adjective for adjective in ADJECTIVES if adjective.en in names)


PERSONS, KIN, ANIMALS = of_kinds("person"), of_kinds("kin"), of_kinds("animal")
_OWNED = tuple(n for n in of_kinds("goods", "pet") if not n.kinds & {"unowned", "mass"})
_ATTRIBUTES = {
    noun: tuple(a for a in ADJECTIVES if a.kinds & noun.kinds and a.place != "alone")
    for noun in NOUNS
}
# Nobody writes a famous letter: it is famous later
_NOT_YET = adjectives("old", "famous", "bad", "strange", "clean", "dirty")
_OF_CREATED = {
    noun: tuple(a for a in choices if a not in _NOT_YET) for noun, choices in _ATTRIBUTES.items()
}
PERSONAL_ADJECTIVES = tuple(a for a in ADJECTIVES if "person" in a.kinds)
# What stays: so that nobody says that the clean car is dirty, or the happy man sad
STABLE = frozenset(
    adjectives(
        "old",
        "young",
        "big",
        "small",
        "long",
        "red",
        "blue",
        "green",
        "white",
        "black",
        "yellow",
        "gray",
        "french",
        "italian",
        "english",
        "japanese",
    )
)
_THEIRS = ("his", "her", "their")  # whose? that must be clear
_OURS = tuple(owner for owner in OWNERS if owner not in _THEIRS)
_SUBJECTS = tuple(PRONOUNS.values())
_ASKED_ABOUT = tuple(PRONOUNS[name] for name in ("you", "he", "she", "they"))


def own(subject: Phrase) -> str:
    """The possessive that belongs to a subject."""
    if subject.person == 2:
        return "her" if subject.gender == "f" else "his"
    return ("my", "your", "", "our", "their")[subject.person]


class Author:
    """Chooses at random, the same for the same seed."""

    def __init__(self, seed: int):
        self.random = Random(seed).random

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """One of the choices."""
        return choices[int(self.random() * len(choices))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    # Noun phrases ---------------------------------------------------------------------------

    def attributes(
        self, noun: Noun, probability: float, stable: bool = False, created: bool = False
    ) -> tuple[Adjective, ...]:
        """None, one, or two of which the second follows the French noun: a big red car."""
        choices = (_OF_CREATED if created else _ATTRIBUTES)[noun]
        if not choices or not self.chance(probability):
            return ()
        first = self.pick(choices)
        if stable and first not in STABLE:
            return ()
        if first.precedes and self.chance(0.2):
            second = self.pick(choices)
            if second in STABLE and not second.precedes:
                return (first, second)
        return (first,)

    def owner(self, mine: str) -> str:
        """A possessive: `mine` rather than another, and nobody else's of the third person."""
        if mine and self.chance(0.5):
            return mine
        return self.pick(OWNERS if mine not in _THEIRS else _OURS)

    def determiner(
        self, noun: Noun, *, definite: bool, negated: bool, habit: bool, mine: str, plural: float
    ) -> tuple[str, bool]:
        """A determiner that suits a noun, and whether the noun is plural; see `phrase`."""
        many = self.chance(plural) and "single" not in noun.kinds
        if "kin" in noun.kinds:
            return self.owner(mine), many
        if "mass" in noun.kinds:
            if definite or (not habit and self.chance(0.3)):
                return self.pick(("the", "the", "this")), False
            return ("some" if not (negated or habit) and self.chance(0.3) else ""), False
        animate = bool(noun.kinds & {"person", "animal"})
        single = "place" in noun.kinds and "goods" not in noun.kinds
        if habit and not (definite or animate or single):
            return "", True
        roll = self.random()
        if roll < 0.25 and "unowned" not in noun.kinds:
            return self.owner(mine), many
        if roll < 0.33 and not habit:
            return ("these" if many else "this"), many
        if definite or habit or roll < 0.6:
            return "the", many
        if not many:
            return "a", False
        if negated:
            return "", True
        return self.pick(("some" if animate else "", "some", "many", *NUMBERS)), True

    def phrase(
        self,
        noun: Noun,
        *,
        definite: bool = False,
        negated: bool = False,
        habit: bool = False,
        described: float = 0.4,
        stable: bool = False,
        created: bool = False,
        mine: str = "",
        plural: float = 0.2,
    ) -> Phrase:
        """A noun with a determiner and perhaps an adjective.

        Args:
            definite: the, this or a possessive only.
            negated: it is the object of a negated verb.
            habit: it is the object of something done often: books, bread, my dog.
            described: the probability of an adjective.
            stable: adjectives of size, age, colour and nation only.
            created: it is only being made: no old, no famous one.
            mine: the possessive to prefer.
            plural: the probability of the plural.
        """
        if not (habit or stable or created) and noun in _OWNED and self.chance(0.06):
            return self.possession(noun)
        if "place" in noun.kinds and "goods" not in noun.kinds:
            plural = 0.0
        determiner, many = self.determiner(
            noun, definite=definite, negated=negated, habit=habit, mine=mine, plural=plural
        )
        described = 0.0 if "kin" in noun.kinds else described
        adjectives = self.attributes(noun, described, stable, created)
        return noun_phrase(determiner, noun, adjectives, many, negated)

    def possession(self, noun: Noun) -> Phrase:
        """my brother 's red car."""
        owner = self.pick(KIN) if self.chance(0.5) else self.pick(PERSONS)
        determiner = self.pick(OWNERS) if "kin" in owner.kinds else "the"
        owned = bare(noun, self.attributes(noun, 0.3), self.chance(0.2))
        return genitive(noun_phrase(determiner, owner), owned)

    def person(self, described: float = 0.3, mine: str = "", **options) -> Phrase:
        """Somebody."""
        noun = self.pick(KIN) if self.chance(0.35) else self.pick(PERSONS)
        return self.phrase(noun, described=described, mine=mine, **options)

    def subject(
        self, *, definite=True, animals=0.08, pronouns=0.5, first=True, stable=False, every=0.0
    ) -> Phrase:
        """Who does it: a pronoun, a person, two persons, an animal, every person."""
        if self.chance(pronouns):
            return self.pick(_SUBJECTS if first else _ASKED_ABOUT)
        roll = self.random()
        if roll < animals:
            return self.phrase(self.pick(ANIMALS), definite=definite, stable=stable)
        if roll < animals + 0.06:
            choices, determiner = (KIN, self.pick(OWNERS)) if self.chance(0.5) else (PERSONS, "the")
            one, other = self.pick(choices), self.pick(choices)
            if one is not other:
                return joined(noun_phrase(determiner, one), noun_phrase(determiner, other))
        if self.chance(every):
            return noun_phrase("every", self.pick(PERSONS))
        return self.person(definite=definite, stable=stable)
