"""Sentences of one clause in which something happens."""

from dataclasses import replace

from lib.grammar.author import KIN, PERSONS, Author, of_kinds, own
from lib.grammar.clauses import (
    Written,
    clause,
)
from lib.grammar.events import (
    OBJECTS,
    companion,
    draw_negation,
    draw_tense,
    event,
    object_phrase,
    stressed,
    verbs,
)
from lib.grammar.fixed import LIKE, MUST, TIMES, WANT
from lib.grammar.lexicon import SPECIAL_VERBS, VERBS
from lib.grammar.phrases import Draft, Phrase, Sentence, noun_phrase
from lib.grammar.places import goal, home, origin

GO, GO_HOME = (replace(SPECIAL_VERBS[name], particle=()) for name in ("go to", "go home"))
# Verbs as they are used without an object: wait for him, but just wait
BARE = tuple(
    replace(verb, particle=()) if verb.objects else verb
    for verb in VERBS
    if not verb.objects or "bare" in verb.traits
)
GIVING = tuple(verb for verb in VERBS if "gives" in verb.traits)
_ENJOYED = verbs("sleep", "work", "dance", "swim", "sing", "run", "eat", "drink", "read", "play")
_TRADING = verbs("buy", "sell")
_MEETING = verbs("see", "look for", "wait for", "help", "meet", "talk to")
_RIDES, _RIDING = of_kinds("ride"), tuple(verb for verb in VERBS if verb.by == "ride")
_COMING = verbs("come", "come back")


def statement(author: Author) -> Sentence:
    """she is washing her red car ."""
    draft = Draft()
    negated = author.chance(0.22)
    subject = author.subject(definite=negated or author.chance(0.7), every=0.0 if negated else 0.04)
    event(author, draft, subject, negated=negated)
    return draft.finish()


def with_pronoun(author: Author) -> Sentence:
    """i do n't see her ."""
    draft = Draft()
    event(author, draft, author.subject(), negated=author.chance(0.25), clitics=1.0)
    return draft.finish()


def ride(author: Author) -> Sentence:
    """the train is not going to leave ."""
    draft = Draft()
    subject = noun_phrase(author.pick(("the", "this")), author.pick(_RIDES))
    tense = author.pick(("progressive", "past", "future"))
    negation = draw_negation(author, tense, subject) if author.chance(0.3) else ""
    clause(draft, subject, author.pick(_RIDING), tense, negation=negation)
    if author.chance(0.5):
        draft.words(*author.pick(TIMES[tense]))
    return draft.finish()


def gift(author: Author) -> Sentence:
    """he gives the boy a book ."""
    draft = Draft()
    subject, verb = author.subject(animals=0.0), author.pick(GIVING)
    tense = draw_tense(author, verb, subject, once=True)
    if author.chance(0.7):
        negated = author.chance(0.2)
        event(author, draft, subject, verb=verb, tense=tense, negated=negated, clitics=0.6)
        return draft.finish()
    written = clause(draft, subject, verb, tense)
    person = author.person(0.2, definite=True, mine=own(subject))
    thing = author.phrase(author.pick(OBJECTS[verb]), described=0.3, mine=own(subject))
    at_person, at_thing = draft.read(person), draft.read(thing)
    draft.render(thing, at_thing)
    draft.fr(written.verb, "à")
    draft.render(person, at_person)
    draft.combinations.append(("verb", verb.name, thing.nouns[0].name))
    return draft.finish()


def enjoyment(author: Author) -> Sentence:
    """she likes to play the violin ."""
    draft = Draft()
    subject, verb = author.subject(animals=0.0), author.pick(_ENJOYED)
    if verb.objects and not verb.to:
        written = clause(draft, subject, verb, LIKE)
        object_phrase(author, draft, verb, written, subject, habit=True)
    else:
        negated = author.chance(0.3)
        event(author, draft, subject, verb=verb, tense=LIKE, negated=negated, adjunct=0.0)
        if "with" in verb.traits and author.chance(0.4):
            companion(author, draft, "with", "avec")
    return draft.finish()


def purpose(author: Author, draft: Draft, subject: Phrase, market: bool) -> None:
    """Write what for: … to buy bread, if to a market, … to see my brother, if elsewhere."""
    draft.words("to", "pour")
    verb = author.pick(_TRADING if market else _MEETING)
    noun = None if market else author.pick(KIN if "kin" in verb.objects else PERSONS)
    main = draft.en(verb.en, *verb.particle)
    draft.fr(main, verb.infinitive)
    object_phrase(author, draft, verb, Written(main, ()), subject, noun)


def motion(author: Author) -> Sentence:
    """he went to the market to buy bread ."""
    draft, roll = Draft(), author.random()
    subject = author.subject(animals=0.0)
    negated = author.chance(0.15)
    tense = author.pick(("present", "progressive", "past", "past", "past", "future", WANT, MUST))
    if roll < 0.15:
        tense = "present"
    negation = draw_negation(author, tense, subject) if negated else ""
    if roll < 0.15:
        clause(draft, subject, SPECIAL_VERBS["live"], tense, negation=negation)
        home(author, draft)
    elif roll < 0.3:
        clause(draft, subject, GO_HOME, tense, negation=negation)
        draft.fr(draft.en("home"), "chez", stressed(subject))
    elif roll < 0.45:
        clause(draft, subject, author.pick(_COMING), tense, negation=negation)
        origin(author, draft)
    else:
        clause(draft, subject, GO, tense, negation=negation)
        market = goal(author, draft, daily=tense == "present")
        if tense != "present" and author.chance(0.35) and not negated:
            purpose(author, draft, subject, market)
            return draft.finish()
    if tense in TIMES and roll >= 0.15 and (tense == "present" or author.chance(0.35)):
        draft.words(*author.pick(TIMES[tense]))
    elif roll >= 0.15 and author.chance(0.2):
        companion(author, draft, "with", "avec")
    return draft.finish()
