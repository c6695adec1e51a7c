"""Who does what to what, how, when and with whom: clauses drawn at random."""

from lib.grammar.author import KIN, PERSONAL_ADJECTIVES, STABLE, Author, of_kinds, own
from lib.grammar.clauses import Clitic, Modal, Written, clause, write_adjective, write_object
from lib.grammar.fixed import (
    ADVERBS,
    CAN,
    DEGREES,
    DIRECT,
    INDIRECT,
    MUST,
    NUMBERS,
    OBJECTIVE,
    TIMES,
    WANT,
)
from lib.grammar.lexicon import ADJECTIVES, NOUNS, UNGRADED, VERBS
from lib.grammar.morphology import Adjective, Noun, Verb
from lib.grammar.phrases import Draft, Phrase, noun_phrase
from lib.grammar.places import place, position

Tense = str | Modal

TENSES = {"p": "present", "g": "progressive", "c": "past", "f": "future"}
_TENSE_WEIGHTS = {"p": 4, "g": 4, "c": 6, "f": 2}
_MODALS = (WANT, CAN, MUST)
_PERSONAL = ("me", "you", "him", "her", "us", "them")
_SELF = (("me", "us"), ("you",), (), ("us", "me"), ())  # too close to each subject
_GENERIC = ("like", "love", "hate")  # i like apples → j'aime les pommes
_RELATIVES = tuple(noun for noun in KIN if "single" not in noun.kinds)
PREDICATES = {
    noun: tuple(
        a
        for a in ADJECTIVES
        if a.kinds & (noun.kinds | ({"person"} if "kin" in noun.kinds else set()))
        and a.place != "beside"
    )
    for noun in NOUNS
}
CHANGING = {
    noun: tuple(a for a in choices if a.place != "before" and a not in STABLE and a.en != "modern")
    for noun, choices in PREDICATES.items()
}
OBJECTS = {verb: of_kinds(*verb.objects) for verb in VERBS}
_PREY = frozenset(of_kinds("fodder", "person", "kin", "animal"))
_ANIMAL_OBJECTS = {verb: tuple(n for n in OBJECTS[verb] if n in _PREY) for verb in VERBS}
_ANIMAL_VERBS = tuple(verb for verb in VERBS if verb.by == "animal")
_TENSES_OF = {
    verb: tuple(TENSES[u] for u in verb.uses if u in TENSES for _ in range(_TENSE_WEIGHTS[u]))
    for verb in VERBS
}
# Verbs that one negates of just any object: i do n't see a car, but not: i do n't wash a car
ANY = frozenset(
    verb
    for verb in VERBS
    if verb.name in ("have", "want", "see", "buy", "sell", "eat", "drink", "read", "write", "draw")
    or verb.name in ("build", "prepare", "find", "bring", "look for")
    or "gives" in verb.traits
)
# What one says only of oneself liking it: "je n'adore pas" is not French
_AFFIRMED = tuple(verb for verb in VERBS if verb.en == "love")
_NEGATED = tuple(verb for verb in VERBS if verb not in _AFFIRMED)
CREATING = ("write", "draw", "build", "prepare")
# For what happens once: the simple present only of verbs without a progressive (know, want)
_ONCE_OF = {
    verb: tuple(t for t in tenses if t != "present" or "g" not in verb.uses)
    for verb, tenses in _TENSES_OF.items()
}


def verbs(*names: str) -> tuple[Verb, ...]:
    """Verbs by their English names."""
    known = {verb.name: verb for verb in VERBS}
    return tuple(known[name] for name in names)


def is_animal(subject: Phrase) -> bool:
    """Whether the subject is an animal."""
    return bool(subject.nouns) and "animal" in subject.nouns[0].kinds


def stressed(subject: Phrase) -> str:
    """The pronoun after a preposition: chez moi, chez elle."""
    if subject.person in (2, 4):
        return ("lui", "elle", "eux", "elles")[subject.form]
    return ("moi", "toi", "", "nous")[subject.person]


def draw_tense(
    author: Author, verb: Verb, subject: Phrase, *, modals: float = 0.15, once: bool = False
) -> Tense:
    """A tense that suits the verb, or what happens once.

    "i read" is always past, since the present is spelled alike.
    """
    if "i" in verb.uses and author.chance(modals):
        return author.pick(_MODALS)
    tense = author.pick((_ONCE_OF if once else _TENSES_OF)[verb])
    if tense == "present" and verb.en == verb.past and subject.person != 2:
        return "progressive"
    return tense


def draw_negation(author: Author, tense: Tense | None, subject: Phrase) -> str:
    """not or n't, as English allows; None stands for the verb be."""
    if tense in ("progressive", "future", None):
        return "n't" if subject.person and author.chance(0.25) else "not"
    if tense is MUST:
        return "not"
    return "n't" if tense is CAN or author.chance(0.85) else "not"


def draw_clitic(
    author: Author, verb: Verb, subject: Phrase, *, persons: bool = False
) -> Clitic | None:
    """An object pronoun that suits verb and subject, if any does.

    `persons` leaves out it and them, whose gender would be that of a noun mentioned before.
    """
    if not verb.objects or verb.to == "de" or verb.en in ("have", "want", "visit", *_GENERIC):
        return None
    if "gives" not in verb.traits and not verb.objects & {"person", "kin"}:
        return None if persons else DIRECT[author.pick(("it", "it", "them"))]
    name = author.pick(_PERSONAL)
    if (persons and name == "them") or name in _SELF[subject.person]:
        return None
    return INDIRECT[name] if verb.to or "gives" in verb.traits else DIRECT[name]


def event(
    author: Author,
    draft: Draft,
    subject: Phrase,
    *,
    verb: Verb | None = None,
    tense: Tense | None = None,
    negated: bool = False,
    asked: bool = False,
    adjunct: float = 0.3,
    clitics: float = 0.2,
    habits: float = 0.5,
    modals: float = 0.15,
    noun: Noun | None = None,
) -> Tense:
    """Write subject, verb, object, and perhaps where, when or with whom; returns the tense.

    `verb`, `tense` and the object's `noun` are drawn unless given; `adjunct`, `clitics`,
    `habits` and `modals` are probabilities.
    """
    verb = verb or author.pick(
        _ANIMAL_VERBS if is_animal(subject) else _NEGATED if negated else VERBS
    )
    if not tense:
        tense = draw_tense(author, verb, subject, modals=modals, once=not author.chance(habits))
    if tense is MUST and negated and "m" not in verb.uses:
        tense = CAN  # one cannot forbid what one cannot order: to see, to win
    mentioned = len(draft.english) > 3  # i think that you wrote it, but not: … a car and sold it
    clitic = None
    if author.chance(clitics):
        clitic = draw_clitic(author, verb, subject, persons=mentioned)
    habit = tense == "present" and "g" in verb.uses
    negation, adverb = draw_negation(author, tense, subject) if negated else "", None
    often = habit and author.chance(0.5)
    if often:
        negation = "never" if negated else ""
        adverb = None if negated else author.pick(ADVERBS)
    written = clause(
        draft,
        subject,
        verb,
        tense,
        negation=negation,
        asked=asked,
        adverb=adverb,
        clitic=clitic,
        full=author.chance(0.15),
    )
    if verb.objects and (not clitic or "gives" in verb.traits):
        object_phrase(author, draft, verb, written, subject, noun, negated=negated, habit=habit)
        if "gives" in verb.traits and not clitic:
            recipient(author, draft, subject)
    if habit and not often and author.chance(0.7):
        draft.words(*author.pick(TIMES["present"]))
    elif author.chance(adjunct):
        write_adjunct(author, draft, verb, tense, subject)
    return tense


def object_phrase(
    author: Author,
    draft: Draft,
    verb: Verb,
    written: Written,
    subject: Phrase,
    noun: Noun | None = None,
    *,
    negated: bool = False,
    habit: bool = False,
    known: bool = False,
) -> None:
    """Write an object of the verb just written, a known one if so asked: the door.

    One orders, forbids and denies what is known, except of verbs that take just any object.
    """
    noun = noun or author.pick((_ANIMAL_OBJECTS if is_animal(subject) else OBJECTS)[verb])
    while noun in subject.nouns:
        noun = author.pick(OBJECTS[verb])
    if verb.en in _GENERIC and "place" not in noun.kinds:
        many = "mass" not in noun.kinds
        if author.chance(0.7):
            determiner = "generic"
        else:
            many = many and author.chance(0.3)
            determiner = "these" if many else "this"
            if "unowned" not in noun.kinds and author.chance(0.5):
                determiner = own(subject)
        phrase = noun_phrase(determiner, noun, author.attributes(noun, 0.3), many)
    elif verb.en == "play":
        phrase = noun_phrase(author.pick(("the", "the", own(subject))), noun)
    elif verb.en == "have" and author.chance(0.15):
        number = "a" if negated or author.chance(0.4) else author.pick(NUMBERS[:4])
        noun = author.pick(_RELATIVES)
        phrase = noun_phrase(number, noun, (), number != "a", negated)
    else:
        # no partitive after à and de, and no "pas besoin d'une"
        known = known or "definite" in verb.traits
        definite = (
            known
            or (bool(verb.to) and (negated or verb.en != "need"))
            or (negated and verb not in ANY)
        )
        phrase = author.phrase(
            noun,
            definite=definite,
            negated=negated,
            habit=habit and not verb.to,
            created=verb.en in CREATING,
            mine=own(subject),
            plural=0.0 if verb.en == "need" else 0.2,
        )
    write_object(draft, verb, written, phrase)


def recipient(author: Author, draft: Draft, subject: Phrase) -> None:
    """Write to whom something is given."""
    draft.words("to", "à")
    draft.phrase(author.person(0.2, mine=own(subject), definite=True))


def write_adjunct(author: Author, draft: Draft, verb: Verb, tense: Tense, subject: Phrase) -> None:
    """Write where, with whom or when, as far as it makes sense with verb and subject."""
    roll, animal = author.random(), is_animal(subject)
    if roll < 0.4 and "where" in verb.traits:
        position(author, draft, subject) if animal else place(author, draft, verb.en)
    elif roll < 0.55 and "with" in verb.traits and not animal:
        companion(author, draft, "with", "avec")
    elif roll < 0.7 and "for" in verb.traits and not animal:
        companion(author, draft, "for", "pour")
    elif tense in TIMES and tense != "present":
        draft.words(*author.pick(TIMES[tense]))


def companion(author: Author, draft: Draft, english: str, french: str) -> None:
    """Write with whom or for whom."""
    draft.words(english, french)
    if author.chance(0.3):
        name = author.pick(("him", "her", "them"))
        draft.words(name, OBJECTIVE[name][2])
    else:
        draft.phrase(author.person(0.2, definite=True))


def quality(author: Author, draft: Draft, subject: Phrase, *, degree: float = 0.2) -> None:
    """Write an adjective after "is"."""
    choices = PREDICATES[subject.nouns[0]] if subject.nouns else PERSONAL_ADJECTIVES
    if subject.combinations:  # it has an adjective already: one that does not contradict it
        choices = CHANGING[subject.nouns[0]]
    graded(author, draft, subject, author.pick(choices), degree)


def graded(
    author: Author, draft: Draft, subject: Phrase, adjective: Adjective, degree: float
) -> None:
    """Write an adjective after "is", perhaps with very or too."""
    if adjective.en not in UNGRADED and author.chance(degree):
        draft.words(*author.pick(DEGREES))
    write_adjective(draft, subject, adjective)
