"""Random choices that make sense: who does what to what, where and when.

An `Author` writes pieces of sentences into a `Draft` with the rules of `lib.grammar.phrases` and
`lib.grammar.clauses`; `lib.grammar.sentences` makes sentences of them.
"""

from random import Random

from lib.grammar.clauses import (
    AVAIT,
    AVOIR,
    Clitic,
    Modal,
    Written,
    be_clause,
    clause,
    write_adjective,
    write_object,
)
from lib.grammar.lexicon import ADJECTIVES, FEMININES, NOUNS, VERBS
from lib.grammar.morphology import Adjective, Noun, Verb
from lib.grammar.phrases import Draft, Phrase, bare, genitive, joined, noun_phrase

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
# English object pronoun: French direct, indirect, after a preposition; form of a participle
_OBJECTIVE = {
    "me": ("me", "me", "moi", 0),
    "you": ("te", "te", "toi", 0),
    "him": ("le", "lui", "lui", 0),
    "her": ("la", "lui", "elle", 1),
    "us": ("nous", "nous", "nous", 2),
    "them": ("les", "leur", "eux", 2),
    "it": ("le", "", "", 0),
}
DIRECT = {en: Clitic(en, fr[0], fr[3]) for en, fr in _OBJECTIVE.items()}
INDIRECT = {en: Clitic(en, fr[1]) for en, fr in _OBJECTIVE.items()}
_PERSONAL = ("me", "you", "him", "her", "us", "them")
_SELF = (("me", "us"), ("you",), (), ("us", "me"), ())  # objects too close to the subject
_STRESSED = ("lui", "elle", "eux", "elles")
HOME = {"i": "moi", "you": "toi", "we": "nous"}
OWNERS = ("my", "your", "his", "her", "our", "their")
NUMBERS = ("two", "three", "four", "five", "ten")

WANT = Modal("want", "wants", ("veux", "veux", "veut", "voulons", "veulent"), True)
LIKE = Modal("like", "likes", ("aime", "aimes", "aime", "aimons", "aiment"), True)
CAN = Modal("can", "can", ("peux", "peux", "peut", "pouvons", "peuvent"), False)
MUST = Modal("must", "must", ("dois", "dois", "doit", "devons", "doivent"), False)
TENSES = {"p": "present", "g": "progressive", "c": "past", "f": "future"}
_TENSE_WEIGHTS = {"p": 4, "g": 4, "c": 6, "f": 2, "i": 3}

IDIOMS = (
    ("hungry", "faim"),
    ("thirsty", "soif"),
    ("cold", "froid"),
    ("hot", "chaud"),
    ("afraid", "peur"),
    ("sleepy", "sommeil"),
    ("right", "raison"),
    ("wrong", "tort"),
)
ANIMAL_IDIOMS = IDIOMS[:5]
TIMES = {
    "past": (("yesterday", "hier"), ("this morning", "ce matin"), ("last night", "hier soir")),
    "present": (
        ("every day", "chaque jour"),
        ("every morning", "chaque matin"),
        ("in the evening", "le soir"),
    ),
    "progressive": (("now", "maintenant"), ("today", "aujourd'hui")),
    "future": (("tomorrow", "demain"), ("tonight", "ce soir"), ("today", "aujourd'hui")),
}
_ADVERBS = (("often", "souvent"), ("always", "toujours"))
# English name: in or to, from, French name
NAMED = {
    "france": ("en", "de", "france"),
    "italy": ("en", "de", "italie"),
    "england": ("en", "de", "angleterre"),
    "japan": ("à le", "de le", "japon"),
    "canada": ("à le", "de le", "canada"),
    "paris": ("à", "de", "paris"),
    "london": ("à", "de", "londres"),
    "rome": ("à", "de", "rome"),
}
# Places without an article in English: preposition, noun, French
_FIXED_PLACES = (("at", "school", "à la", "école"), ("at", "work", "à le", "travail"))
_FIXED_GOALS = (
    ("to", "school", "à la", "école"),
    ("to", "work", "à le", "travail"),
    ("to", "bed", "à le", "lit"),
)


def of_kinds(*kinds: str) -> tuple[Noun, ...]:
    """All nouns of any of these kinds."""
    return tuple(noun for noun in NOUNS if noun.kinds & set(kinds))


def _suits(adjective: Adjective, noun: Noun) -> bool:
    kinds = noun.kinds | {"person"} if "kin" in noun.kinds else noun.kinds
    return bool(adjective.kinds & kinds)


PERSONS, KIN, ANIMALS, PLACES = (of_kinds(k) for k in ("person", "kin", "animal", "place"))
PETS, GOALS = of_kinds("pet"), of_kinds("dest")
INSIDE, AT = of_kinds("in"), of_kinds("at")
_TOPS, _COVERS, _HOLDERS, _LANDMARKS = (
    of_kinds("top"),
    of_kinds("under"),
    of_kinds("hold"),
    of_kinds("place", "near"),
)
_OWNED = tuple(n for n in of_kinds("goods", "pet") if not n.kinds & {"unowned", "mass"})
PREDICATES = {noun: tuple(a for a in ADJECTIVES if _suits(a, noun)) for noun in NOUNS}
_ATTRIBUTES = {
    noun: tuple(a for a in choices if a.place != "alone" and "kin" not in noun.kinds)
    for noun, choices in PREDICATES.items()
}
PERSONAL_ADJECTIVES = tuple(a for a in ADJECTIVES if "person" in a.kinds)
OBJECTS = {verb: of_kinds(*verb.objects) for verb in VERBS}
_PREY = set(of_kinds("fodder", "person", "kin", "animal"))
_ANIMAL_OBJECTS = {verb: tuple(n for n in OBJECTS[verb] if n in _PREY) for verb in VERBS}
_ANIMAL_VERBS = tuple(verb for verb in VERBS if verb.by == "animal")
_RIDE_VERBS = tuple(verb for verb in VERBS if verb.by == "ride")
_GENERIC = ("like", "love", "hate")


def _weighted(uses: str) -> tuple[str | Modal, ...]:
    modals = (WANT, CAN, MUST)
    weights = {letter: _TENSE_WEIGHTS[letter] for letter in uses if letter in _TENSE_WEIGHTS}
    plain = [TENSES[u] for u, weight in weights.items() if u != "i" for _ in range(weight)]
    return (*plain, *modals) if "i" in weights else tuple(plain)


_TENSES_OF = {verb: _weighted(verb.uses) for verb in VERBS}


def stressed(subject: Phrase) -> str:
    """The pronoun after a preposition: chez moi, chez elle."""
    return HOME.get("".join(subject.english[:1])) or _STRESSED[subject.form]


def own(subject: Phrase) -> str:
    """The possessive that belongs to a subject."""
    if subject.person == 2:
        return "her" if subject.gender == "f" else "his"
    return ("my", "your", "", "our", "their")[subject.person]


class Author:
    """Chooses at random, the same for the same seed."""

    def __init__(self, seed: int):
        self.random = Random(seed).random

    def pick(self, choices):
        """One of the choices."""
        return choices[int(self.random() * len(choices))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    # Noun phrases ---------------------------------------------------------------------------

    def adjectives(self, noun: Noun, probability: float) -> tuple[Adjective, ...]:
        """None, one, or two of which the second follows the French noun: a big red car."""
        choices = _ATTRIBUTES[noun]
        if not choices or not self.chance(probability):
            return ()
        first = self.pick(choices)
        if first.place == "before" and self.chance(0.2):
            second = self.pick(choices)
            if second.place == "after" and second.kinds & {"coloured", "national"}:
                return (first, second)
        return (first,)

    def phrase(
        self,
        noun: Noun,
        *,
        definite: bool = False,
        negated: bool = False,
        habit: bool = False,
        described: float = 0.4,
        mine: str = "",
        plural: float = 0.2,
    ) -> Phrase:
        """A noun with a determiner that suits it, as a subject or an object.

        Args:
            definite: the, this or a possessive only.
            negated: it is the object of a negated verb.
            habit: it is the object of something done often: books, bread, my dog.
            mine: the possessive to prefer.
        """
        if "kin" in noun.kinds:
            many = self.chance(plural) and "single" not in noun.kinds
            return noun_phrase(
                mine if mine and self.chance(0.5) else self.pick(OWNERS), noun, (), many
            )
        if not habit and noun in _OWNED and self.chance(0.05):
            return self.genitive(noun)
        determiner, many = self.determiner(noun, definite, negated, habit, mine, plural)
        return noun_phrase(determiner, noun, self.adjectives(noun, described), many, negated)

    def determiner(self, noun: Noun, definite, negated, habit, mine, plural) -> tuple[str, bool]:
        """A determiner and whether the noun is plural."""
        animate = bool(noun.kinds & {"person", "animal"})
        if "mass" in noun.kinds:
            if definite or (not habit and self.chance(0.3)):
                return self.pick(("the", "the", "this")), False
            return ("some" if not negated and self.chance(0.3) else ""), False
        if habit and not animate:
            return "", True
        many = self.chance(plural)
        roll = self.random()
        if roll < 0.25 and "unowned" not in noun.kinds:
            return (mine if mine and self.chance(0.6) else self.pick(OWNERS)), many
        if roll < 0.33 and not habit:
            return ("these" if many else "this"), many
        if definite or habit or roll < 0.6:
            return "the", many
        if not many:
            return "a", False
        if negated:
            return "", True
        return self.pick(
            ("some", "some", "many", *NUMBERS) if animate else ("", "some", "many", *NUMBERS)
        ), True

    def genitive(self, noun: Noun) -> Phrase:
        """my brother 's red car."""
        owner = self.pick(KIN) if self.chance(0.5) else self.pick(PERSONS)
        determiner = self.pick(OWNERS) if "kin" in owner.kinds else "the"
        owned = bare(noun, self.adjectives(noun, 0.3), self.chance(0.2))
        return genitive(noun_phrase(determiner, owner), owned)

    def person(self, described: float = 0.3, definite: bool = False, mine: str = "") -> Phrase:
        """Somebody."""
        noun = self.pick(KIN) if self.chance(0.35) else self.pick(PERSONS)
        return self.phrase(
            noun, definite=definite or self.chance(0.75), described=described, mine=mine
        )

    def subject(self, *, definite=True, animals=0.08, pronouns=0.5, first=True) -> Phrase:
        """Who does it: a pronoun, a person, two persons, an animal."""
        if self.chance(pronouns):
            names = (
                ("i", "you", "he", "she", "we", "they") if first else ("you", "he", "she", "they")
            )
            return PRONOUNS[self.pick(names)]
        roll = self.random()
        if roll < animals:
            return self.phrase(self.pick(ANIMALS), definite=definite)
        if roll < animals + 0.05:
            nouns, determiner = (KIN, self.pick(OWNERS)) if self.chance(0.5) else (PERSONS, "the")
            one, other = self.pick(nouns), self.pick(nouns)
            if one is not other:
                return joined(noun_phrase(determiner, one), noun_phrase(determiner, other))
        if roll > 0.97 and definite:
            return noun_phrase("every", self.pick(PERSONS))
        return self.person(definite=definite)

    # Clauses --------------------------------------------------------------------------------

    def tense(self, verb: Verb, subject: Phrase, modals: bool = True) -> str | Modal:
        """A tense that suits the verb. "i read" is always past, since it is spelled alike."""
        while True:
            tense = self.pick(_TENSES_OF[verb])
            if tense == "present" and verb.en == verb.past and subject.person != 2:
                continue
            if modals or isinstance(tense, str):
                return tense

    def negation(self, tense: str | Modal, subject: Phrase) -> str:
        """not or n't, as English allows."""
        if tense in ("progressive", "future", "be"):
            return "n't" if subject.person and self.chance(0.25) else "not"
        if tense is MUST:
            return "not"
        return "n't" if tense is CAN or self.chance(0.85) else "not"

    def verb(self, subject: Phrase) -> Verb:
        """A verb that the subject can do."""
        animal = subject.nouns and "animal" in subject.nouns[0].kinds
        return self.pick(_ANIMAL_VERBS if animal else VERBS)

    def clitic(self, verb: Verb, subject: Phrase) -> Clitic | None:
        """An object pronoun that suits verb and subject, if any does."""
        if not verb.objects or verb.to == "de" or verb.en in ("have", "want", *_GENERIC):
            return None
        if "gives" not in verb.traits and not verb.objects & {"person", "kin"}:
            return DIRECT[self.pick(("it", "it", "them"))]
        name = self.pick(_PERSONAL)
        if name in _SELF[subject.person]:
            return None
        return INDIRECT[name] if verb.to or "gives" in verb.traits else DIRECT[name]

    def event(
        self,
        draft: Draft,
        subject: Phrase,
        *,
        verb: Verb | None = None,
        tense: str | Modal | None = None,
        negated: bool = False,
        asked: bool = False,
        adjunct: float = 0.3,
        clitics: float = 0.2,
        modals: bool = True,
    ) -> str | Modal:
        """Write subject, verb, object, and perhaps where, when or with whom; returns the tense."""
        verb = verb or self.verb(subject)
        tense = tense or self.tense(verb, subject, modals)
        clitic = self.clitic(verb, subject) if self.chance(clitics) else None
        habit = tense == "present" and "g" in verb.uses and not asked and self.chance(0.5)
        negation, adverb = self.negation(tense, subject) if negated else "", None
        if habit and self.chance(0.4):
            negation = "never" if negated else ""
            adverb = None if negated else self.pick(_ADVERBS)
        written = clause(
            draft,
            subject,
            verb,
            tense,
            negation=negation,
            asked=asked,
            adverb=adverb,
            clitic=clitic,
            full=self.chance(0.15),
        )
        if verb.objects and (not clitic or "gives" in verb.traits):
            self.object(draft, verb, written, subject, negated=negated, habit=habit)
            if "gives" in verb.traits and not clitic:
                draft.words("to", "à")
                draft.phrase(self.person(0.2, definite=True, mine=own(subject)))
        if self.chance(adjunct):
            self.adjunct(draft, verb, tense, habit, bool(adverb) or negation == "never")
        return tense

    def object(
        self,
        draft: Draft,
        verb: Verb,
        written: Written,
        subject: Phrase,
        *,
        negated=False,
        habit=False,
    ) -> None:
        """Write an object of the verb just written."""
        animal = subject.nouns and "animal" in subject.nouns[0].kinds
        noun = self.pick((_ANIMAL_OBJECTS if animal else OBJECTS)[verb])
        if verb.en in _GENERIC and self.chance(0.6):
            many = "mass" not in noun.kinds
            phrase = noun_phrase("generic", noun, self.adjectives(noun, 0.3), many)
        elif verb.en == "play":
            phrase = noun_phrase(self.pick(("the", "the", own(subject))), noun)
        elif verb.en == "have" and self.chance(0.15):
            noun = self.pick(KIN[2:7])
            number = "a" if negated or self.chance(0.4) else self.pick(NUMBERS[:4])
            phrase = noun_phrase(number, noun, (), number != "a", negated)
        else:
            definite = verb.en in _GENERIC or (verb.to == "de" and (negated or verb.en != "need"))
            indefinite = bool(verb.to)  # no partitive after à and de
            phrase = self.phrase(
                noun,
                definite=definite or indefinite,
                negated=negated,
                habit=habit and not verb.to,
                mine=own(subject),
                plural=0.0 if "place" in noun.kinds else 0.2,
            )
        write_object(draft, verb, written, phrase)

    def adjunct(
        self, draft: Draft, verb: Verb, tense: str | Modal, habit: bool, adverb: bool
    ) -> None:
        """Write where, with whom or when, as far as it makes sense with the verb."""
        roll = self.random()
        if roll < 0.45 and "where" in verb.traits:
            self.place(draft)
        elif roll < 0.6 and ("where" in verb.traits or "etre" in verb.traits):
            self.companion(draft)
        elif tense in TIMES and (tense != "present" or habit) and not adverb:
            draft.words(*self.pick(TIMES[tense]))

    def companion(self, draft: Draft, preposition: tuple[str, str] = ("with", "avec")) -> None:
        """Write with whom."""
        draft.words(*preposition)
        if self.chance(0.3):
            english = self.pick(("him", "her", "them"))
            draft.words(english, _OBJECTIVE[english][2])
        else:
            draft.phrase(self.person(0.2, definite=True))

    def place(self, draft: Draft) -> None:
        """Write where: in the garden, at the market, at school, in paris."""
        roll = self.random()
        if roll < 0.15:
            name = self.pick(tuple(NAMED))
            at = draft.en("in")
            draft.fr(at, *NAMED[name][0].split())
            draft.words(name, NAMED[name][2])
        elif roll < 0.2:
            self.fixed_place(draft, _FIXED_PLACES)
        elif roll < 0.55:
            draft.words("at", "à")
            draft.phrase(noun_phrase("the", self.pick(AT)))
        else:
            draft.words("in", "dans")
            draft.phrase(self.phrase(self.pick(INSIDE), definite=self.chance(0.8), plural=0.0))

    def fixed_place(self, draft: Draft, choices) -> None:
        """Write a place without an article in English: to bed → au lit."""
        preposition, noun, french, french_noun = self.pick(choices)
        preposition_french, article = french.split()
        draft.words(preposition, preposition_french)
        draft.fr(draft.en(noun), article, french_noun)

    def goal(self, draft: Draft) -> None:
        """Write where to: to the market, to school, to japan."""
        roll = self.random()
        if roll < 0.15:
            name = self.pick(tuple(NAMED))
            draft.words("to", NAMED[name][0])
            draft.words(name, NAMED[name][2])
        elif roll < 0.3:
            self.fixed_place(draft, _FIXED_GOALS)
        else:
            draft.words("to", "à")
            draft.phrase(self.phrase(self.pick(GOALS), definite=True, described=0.25, plural=0.0))

    def origin(self, draft: Draft) -> None:
        """Write where from: from the market, from italy."""
        if self.chance(0.3):
            name = self.pick(tuple(NAMED))
            draft.words("from", NAMED[name][1])
            draft.words(name, NAMED[name][2])
        else:
            draft.words("from", "de")
            draft.phrase(self.phrase(self.pick(GOALS), definite=True, described=0.2, plural=0.0))

    def position(self, draft: Draft, subject: Phrase) -> None:
        """Write where a thing, an animal or a building is."""
        if "place" in subject.nouns[0].kinds:
            choices = (("near", "près de"), ("behind", "derrière"), ("in front of", "devant"))
            draft.words(*self.pick(choices))
            draft.phrase(
                self.phrase(self.pick(_LANDMARKS), definite=True, described=0.2, plural=0.0)
            )
            return
        english, french, nouns = self.pick(
            (
                ("on", "sur", _TOPS),
                ("under", "sous", _COVERS),
                ("in", "dans", _HOLDERS),
                ("in", "dans", INSIDE),
                ("near", "près de", _TOPS),
                ("behind", "derrière", _COVERS),
                ("in front of", "devant", _COVERS),
            )
        )
        draft.words(english, french)
        nouns = [noun for noun in nouns if noun is not subject.nouns[0]]
        draft.phrase(self.phrase(self.pick(nouns), definite=True, described=0.25, plural=0.0))

    def state(
        self, draft: Draft, subject: Phrase, *, was=False, negated=False, asked=False
    ) -> None:
        """Write how somebody is: hungry, home, at the station, a doctor, tired."""
        full, roll = self.chance(0.15), self.random()
        negation = self.negation("be", subject) if negated else ""
        animal = bool(subject.nouns) and "animal" in subject.nouns[0].kinds
        idiom = roll < 0.15
        be_clause(
            draft,
            subject,
            was=was,
            negation=negation,
            asked=asked,
            full=full,
            **({"forms": (AVOIR, AVAIT)} if idiom else {}),
        )
        if idiom:
            draft.words(*self.pick(ANIMAL_IDIOMS if animal else IDIOMS))
        elif roll < 0.22 and not animal:
            draft.fr(draft.en("home"), "chez", stressed(subject))
        elif roll < 0.4:
            self.position(draft, subject) if animal else self.place(draft)
        elif roll < 0.46 and not subject.nouns and subject.person < 3:
            self.profession(draft, subject)
        else:
            if not negated and self.chance(0.2):
                draft.words(*self.pick((("very", "très"), ("too", "trop"))))
            nouns = subject.nouns[:1]
            adjectives = PREDICATES[nouns[0]] if nouns else PERSONAL_ADJECTIVES
            write_adjective(draft, subject, self.pick(adjectives))

    def profession(self, draft: Draft, subject: Phrase) -> None:
        """Write a profession, which has no article in French: she is a baker."""
        noun = self.pick(of_kinds("job"))
        english = noun_phrase("a", noun).english
        draft.en(english[0])
        feminine = subject.gender == "f"
        draft.fr(draft.en(english[1]), FEMININES[noun.name] if feminine else noun.fr[0])
