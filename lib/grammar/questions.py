"""Questions and orders."""

from lib.grammar.author import ANIMALS, KIN, PERSONS, Author, of_kinds
from lib.grammar.clauses import ETAIT, ETRE, Written, clause, order
from lib.grammar.events import (
    ANY,
    OBJECTS,
    draw_tense,
    event,
    object_phrase,
    recipient,
    verbs,
    write_adjunct,
)
from lib.grammar.fixed import DIRECT, INDIRECT, PRONOUNS, WHO
from lib.grammar.lexicon import VERBS
from lib.grammar.phrases import Draft, Sentence, noun_phrase
from lib.grammar.places import goal, place
from lib.grammar.simple import BARE, GIVING, GO, purpose
from lib.grammar.states import write_state

_SOUGHT = of_kinds("small", "animal", "built", "wear", "person", "kin")
_PLACED = tuple(verb for verb in VERBS if "where" in verb.traits and {"c", "f"} <= set(verb.uses))
_TIMED = tuple(verb for verb in VERBS if {"c", "f"} <= set(verb.uses))
_PLAIN = tuple(v for v in VERBS if v.objects and not v.to and "gives" not in v.traits)
_OF_PERSONS = tuple(verb for verb in _PLAIN if "person" in verb.objects)
_OF_THINGS = tuple(
    verb for verb in _PLAIN if set(OBJECTS[verb]) - {*PERSONS, *KIN, *ANIMALS} and verb.en != "know"
)
_COUNTED = {
    verb: tuple(n for n in OBJECTS[verb] if not n.kinds & {"mass", "kin", "place"})
    for verb in verbs("have", "want", "see", "buy", "sell", "eat")
}
_ORDERED = tuple(verb for verb in VERBS if "m" in verb.uses and verb.objects)
_ORDERED_BARE = tuple(verb for verb in BARE if "m" in verb.uses)
_SHARED = tuple(
    v for v in VERBS if {"m", "p"} <= set(v.uses) and not v.to and "gives" not in v.traits
)
_FOR_PERSONS = verbs("help", "wait for", "follow", "listen to", "call")
_FOR_THINGS = verbs("take", "eat", "read", "buy", "sell", "look for")


# Questions ----------------------------------------------------------------------------------


def question(author: Author) -> Sentence:
    """are you looking for your key ?"""
    draft = Draft()
    if author.chance(0.3):
        subject = author.subject(first=False, stable=True)
        write_state(author, draft, subject, was=author.chance(0.3), asked=True)
    else:
        event(author, draft, author.subject(first=False), asked=True, adjunct=0.2)
    return draft.finish("?")


def where_is(author: Author) -> Sentence:
    """where are my shoes ?"""
    draft = Draft()
    draft.words("where", "où")
    phrase = author.phrase(author.pick(_SOUGHT), definite=True, described=0.25)
    was = author.chance(0.2)
    plural = phrase.person > 2
    at = draft.en(("were" if plural else "was") if was else ("are" if plural else "is"))
    draft.fr(at, (ETAIT if was else ETRE)[phrase.person])
    draft.phrase(phrase)
    return draft.finish("?")


def where_when_why(author: Author) -> Sentence:
    """where did you buy this book ?"""
    draft, roll = Draft(), author.random()
    subject = author.subject(first=False, pronouns=0.6, animals=0.0, stable=True)
    tense = author.pick(("past", "past", "future"))
    if roll < 0.4:
        draft.words("where", "où")
        verb = author.pick(_PLACED)
        event(author, draft, subject, verb=verb, tense=tense, asked=True, adjunct=0.0, clitics=0.1)
    elif roll < 0.65:
        draft.words("when", "quand")
        verb = author.pick(_TIMED)
        event(author, draft, subject, verb=verb, tense=tense, asked=True, adjunct=0.0, clitics=0.1)
    else:
        draft.words("why", "pourquoi")
        if author.chance(0.3):
            write_state(author, draft, subject, was=author.chance(0.3), asked=True)
        else:
            event(author, draft, subject, asked=True, adjunct=0.1, clitics=0.15, habits=0.0)
    return draft.finish("?")


def who_does(author: Author) -> Sentence:
    """who opened the door ?"""
    draft = Draft()
    if author.chance(0.2):
        write_state(author, draft, WHO, was=author.chance(0.3))
    else:
        event(author, draft, WHO, adjunct=0.3)
    return draft.finish("?")


def who_or_what(author: Author) -> Sentence:
    """what are you looking for ?"""
    draft = Draft()
    person = author.chance(0.35)
    draft.words(*(("who", "qui") if person else ("what", "que")))
    subject = author.subject(first=False, pronouns=0.6, animals=0.0, stable=True)
    verb = author.pick(_OF_PERSONS if person else _OF_THINGS)
    tense = draw_tense(author, verb, subject, once=True)
    clause(draft, subject, verb, tense, asked=True)
    if author.chance(0.25):
        write_adjunct(author, draft, verb, tense, subject)
    return draft.finish("?")


def how_many(author: Author) -> Sentence:
    """how many books do you have ? how many apples did she buy ?"""
    draft = Draft()
    verb = author.pick(tuple(_COUNTED))
    noun = author.pick(_COUNTED[verb])
    counted = noun_phrase("how many", noun, author.attributes(noun, 0.25), True)
    draft.phrase(counted)
    draft.combinations.append(("verb", verb.name, noun.name))
    pronouns = 1.0 if verb.en == "have" else 0.5  # not: … est-ce que ta sœur a ?
    subject = author.subject(first=False, animals=0.0, stable=True, pronouns=pronouns)
    tense = draw_tense(author, verb, subject, modals=0.0, once=True)
    clause(draft, subject, verb, tense, asked=True, preceding=counted.form)
    return draft.finish("?")


# Orders -------------------------------------------------------------------------------------


def _please(author: Author, draft: Draft) -> Sentence:
    """Close an order, now and then politely."""
    if author.chance(0.12):
        draft.words(",", ",")
        draft.words("please", "s' il te plaît")
    return draft.finish(".", "!")


def command(author: Author) -> Sentence:
    """do n't open the door ."""
    draft, negated = Draft(), author.chance(0.25)
    verb = author.pick(_ORDERED)
    written = order(draft, verb, negated=negated)
    known = negated or verb not in ANY or author.chance(0.6)
    object_phrase(author, draft, verb, written, PRONOUNS["you"], negated=negated, known=known)
    if "gives" in verb.traits:
        recipient(author, draft, PRONOUNS["you"])
    elif author.chance(0.15):
        write_adjunct(author, draft, verb, "future", PRONOUNS["you"])
    return _please(author, draft)


def go_and_do(author: Author) -> Sentence:
    """wait at the station . go to the market to buy bread ."""
    draft, negated = Draft(), author.chance(0.25)
    if author.chance(0.4):
        verb = author.pick(_ORDERED_BARE)
        order(draft, verb, negated=negated)
        write_adjunct(author, draft, verb, "future", PRONOUNS["you"])
    else:
        order(draft, GO, negated=negated)
        market = goal(author, draft)
        if author.chance(0.3) and not negated:
            purpose(author, draft, PRONOUNS["you"], market)
    return _please(author, draft)


def let_us(author: Author) -> Sentence:
    """let 's eat the cake . → mangeons le gâteau !"""
    draft, verb = Draft(), author.pick(_SHARED)
    at = draft.en("let", "'s", verb.en, *verb.particle)
    draft.fr(at, verb.present[3])
    if verb.objects:
        known = verb not in ANY or author.chance(0.6)
        object_phrase(author, draft, verb, Written(at, ()), PRONOUNS["we"], known=known)
    if author.chance(0.4):
        write_adjunct(author, draft, verb, "future", PRONOUNS["we"])
    return draft.finish(".", "!")


def give_me(author: Author) -> Sentence:
    """give me the key . → donne-moi la clé !"""
    draft, negated = Draft(), author.chance(0.2)
    verb, clitic = author.pick(GIVING), author.pick(_TO_PERSONS)
    written = order(draft, verb, negated=negated, clitic=clitic)
    you = PRONOUNS["you"]
    object_phrase(author, draft, verb, written, you, negated=negated, known=negated)
    return _please(author, draft)


def order_with_pronoun(author: Author) -> Sentence:
    """wait for us at the station . → attends-nous à la gare !"""
    draft, negated, persons = Draft(), author.chance(0.2), author.chance(0.6)
    verb = author.pick(_FOR_PERSONS if persons else _FOR_THINGS)
    clitic = author.pick(_PERSON_CLITICS if persons else _THING_CLITICS)
    order(draft, verb, negated=negated, clitic=clitic)
    if "where" in verb.traits and author.chance(0.6):
        place(author, draft, verb.en)
    else:
        write_adjunct(author, draft, verb, "future", PRONOUNS["you"])
    return _please(author, draft)


_TO_PERSONS = tuple(INDIRECT[name] for name in ("me", "me", "us", "him", "her", "them"))
_PERSON_CLITICS = tuple(DIRECT[name] for name in ("me", "us", "him", "her", "them"))
_THING_CLITICS = tuple(DIRECT[name] for name in ("it", "them"))
