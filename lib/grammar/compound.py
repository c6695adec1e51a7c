"""Sentences of several clauses: because, but, and, who, that, if."""

from lib.grammar.author import ANIMALS, KIN, PERSONS, Author, nouns
from lib.grammar.clauses import AVAIT, AVOIR, be_clause, clause, write_object
from lib.grammar.events import (
    CHANGING,
    OBJECTS,
    TENSES,
    draw_tense,
    event,
    graded,
    quality,
    verbs,
)
from lib.grammar.fixed import IDIOMS, IT, MUST, PRONOUNS, WANT
from lib.grammar.lexicon import ADJECTIVES, SPECIAL_VERBS, VERBS
from lib.grammar.morphology import Noun, Verb
from lib.grammar.phrases import Draft, Phrase, Sentence, noun_phrase
from lib.grammar.simple import BARE, THINGS, write_air, write_state

# What one does, or with "not" does not do, and the reasons there can be: how one feels, the weather
# (rain, snow, frost), the hour (late), a loss, a find, a wish
_MOTIVES = (
    ("", "eat, prepare", "hungry"),
    ("", "drink", "thirsty, hot"),
    ("", "wear, close", "cold, frost"),
    ("", "open", "hot"),
    ("", "sleep", "tired, sick, sad, sleepy, late"),
    ("", "stay", "tired, sick, afraid, rain, snow, frost, late"),
    ("", "leave, come back, come in", "tired, sick, hungry, cold, late, rain, wish"),
    ("", "go out", "hot, hungry, wish"),
    ("", "cry", "sad, alone, lost, afraid, loss"),
    ("", "smile, laugh, dance, sing", "happy, find"),
    ("", "call, talk to", "lost, sad, alone, sick, loss, wish"),
    ("", "buy, need, want, look for", "wish, loss"),
    ("", "sell, take, bring, work, wait for", "wish"),
    ("", "run", "late, afraid, rain"),
    ("not", "sleep, eat", "sad, sick, afraid"),
    ("not", "work, dance, swim, go out, come, sing, drive", "tired, sick, sleepy, sad, late"),
    ("not", "swim, go out, come, leave", "rain, snow, frost"),
)
_REASONS = tuple(
    (negation, verb, tuple(reasons.split(", ")))
    for negation, names, reasons in _MOTIVES
    for verb in verbs(*names.split(", "))
)
_IDIOMS = dict(IDIOMS)
_DOORS = nouns("door", "window")
_COLD, _LATE = ("cold", "froid"), ("late", "tard")
_AIR = {"rain": _COLD, "snow": _COLD, "frost": _COLD, "late": _LATE}
_ADJECTIVES = {adjective.en: adjective for adjective in ADJECTIVES}
_EVENTS = {
    "loss": verbs("lose", "break", "forget"),
    "find": verbs("find", "buy", "see", "meet", "finish"),
    "wish": verbs("buy", "see", "help", "visit", "find", "read", "finish", "meet", "call"),
}
_TRANSITIVE = tuple(verb for verb in VERBS if len(OBJECTS[verb]) > 3 and verb.en != "have")
_PLAIN = tuple(v for v in VERBS if v.objects and not v.to and "gives" not in v.traits)
_TAKING = {
    noun: tuple(verb for verb in _PLAIN if noun in OBJECTS[verb])
    for noun in {noun for verb in _PLAIN for noun in OBJECTS[verb]}
}
_THINK, _KNOW, _SAY = (SPECIAL_VERBS[name] for name in ("think", "know", "say"))
_HEADS = {
    verb: tuple(n for n in OBJECTS[verb] if n not in KIN and len(_TAKING[n]) > 1) for verb in _PLAIN
}
_DESCRIBED = tuple(noun for noun in THINGS if noun in _TAKING and CHANGING[noun])
_ANIMATE = PERSONS + ANIMALS


def _again(subject: Phrase) -> Phrase:
    """The pronoun for a subject mentioned before; they is ils, so not for several women."""
    return PRONOUNS[("he", "she", "they")[subject.form]] if subject.nouns else subject


def _person(author: Author, **options) -> Phrase:
    """A subject that can be mentioned again."""
    subject = author.subject(animals=0.0, **options)
    while subject.form == 3:
        subject = author.subject(animals=0.0, **options)
    return subject


def _other(author: Author, subject: Phrase, **options) -> Phrase:
    """Another subject, which a reader does not take for the first: my mother left and you came."""
    other = author.subject(animals=0.0, **options)
    if not other.nouns and other.person in (2, 4) and (subject.nouns or other is subject):
        return PRONOUNS[author.pick(("i", "you", "we"))]
    return other


def _related(author: Author, verb: Verb, noun: Noun) -> Noun:
    """Another object of the verb, of the same kind if there is one: bread and cheese."""
    others = [other for other in OBJECTS[verb] if other is not noun]
    return author.pick([other for other in others if len(other.kinds & noun.kinds) > 1] or others)


# Because ------------------------------------------------------------------------------------


def write_motivated(author: Author, draft: Draft, subject: Phrase, actor: Phrase) -> None:
    """Write what `actor` does and why; the why calls it as it calls `subject`."""
    negation, verb, reasons = author.pick(_REASONS)
    reason = author.pick(reasons)
    tense = draw_tense(author, verb, actor, modals=0.1, once=True)
    while reason == "wish" and tense == "past":
        tense = draw_tense(author, verb, actor, once=True)
    noun = author.pick(_DOORS) if verb.en in ("open", "close") else None
    options = {"noun": noun, "negated": bool(negation), "clitics": 0.0 if noun else 0.2}
    event(author, draft, actor, verb=verb, tense=tense, adjunct=0.2, **options)
    draft.words("because", "parce que")
    again, past = _again(subject), tense == "past"
    if reason in ("rain", "snow") and not past:
        clause(draft, IT, SPECIAL_VERBS[reason], "progressive")
    elif reason in _AIR:
        write_air(author, draft, _AIR[reason], past=past)
    elif reason == "wish":
        wish, verb = author.pick((WANT, WANT, MUST)), author.pick(_EVENTS["wish"])
        event(author, draft, again, verb=verb, tense=wish, adjunct=0.1)
    elif reason in _EVENTS:
        verb = author.pick(_EVENTS[reason])
        event(author, draft, again, verb=verb, tense="past", adjunct=0.0, clitics=0.0)
    elif reason in _IDIOMS:
        be_clause(draft, again, was=past, forms=(AVOIR, AVAIT))
        draft.words(reason, _IDIOMS[reason])
    else:
        be_clause(draft, again, was=past)
        graded(author, draft, again, _ADJECTIVES[reason], 0.25)


def because(author: Author) -> Sentence:
    """he is crying because he lost his key ."""
    draft = Draft()
    subject = _person(author)
    write_motivated(author, draft, subject, subject)
    return draft.finish()


# But, and -----------------------------------------------------------------------------------


def contrast(author: Author) -> Sentence:
    """i like apples but i do n't like milk ."""
    draft = Draft()
    subject, verb = _person(author), author.pick(_TRANSITIVE)
    again = _again(subject)
    noun = author.pick(OBJECTS[verb])
    options = {"verb": verb, "adjunct": 0.0, "clitics": 0.0, "habits": 0.0}
    tense = event(author, draft, subject, noun=noun, **options)
    draft.words("but", "mais")
    noun = _related(author, verb, noun)
    event(author, draft, again, tense=tense, noun=noun, negated=True, **options)
    return draft.finish()


def coordination(author: Author) -> Sentence:
    """my mother is buying bread and my father is buying cheese ."""
    draft = Draft()
    one = author.subject(animals=0.0)
    other = _other(author, one, pronouns=0.3)
    verb = author.pick(_TRANSITIVE)
    if author.chance(0.5):
        first = author.pick(OBJECTS[verb])
        second = _related(author, verb, first)
        options = {"verb": verb, "adjunct": 0.05, "clitics": 0.0, "habits": 0.0}
        tense = event(author, draft, one, noun=first, **options)
        draft.words("and", "et")
        event(author, draft, other, tense=tense, noun=second, **options)
        return draft.finish()
    letter = author.pick("gcf")
    able = _BARE_WITH[letter]
    options = {"tense": TENSES[letter], "adjunct": 0.25, "habits": 0.0, "clitics": 0.0}
    first, second = author.pick(able), author.pick(able)
    while second is first:
        second = author.pick(able)
    event(author, draft, one, verb=first, **options)
    draft.words("and", "et")
    event(author, draft, other, verb=second, **options)
    return draft.finish()


_BARE_WITH = {
    letter: tuple(verb for verb in BARE if letter in verb.uses and not verb.objects)
    for letter in TENSES
}

# Who, that ----------------------------------------------------------------------------------


def _head(author: Author, noun: Noun) -> Phrase:
    """The noun phrase that a relative clause is about."""
    if noun.kinds & {"mass", "place"} or author.chance(0.75):
        determiner, plural = "the", False
    else:
        determiner, plural = author.pick((("this", False), ("these", True), ("the", True)))
    return noun_phrase(determiner, noun, author.attributes(noun, 0.2, stable=True), plural)


def write_relative(author: Author, draft: Draft, head: Phrase, main: Verb | None = None) -> None:
    """Write a relative clause about what has just been written: … that my sister bought.

    `main` is the verb that the head is the object of, if any; another is taken.
    """
    noun = head.nouns[0]
    if noun in _ANIMATE and (noun not in _TAKING or author.chance(0.5)):
        who = "that" if noun in ANIMALS else "who"
        subject = head._replace(english=(who,), french=("qui",), sources=((0,),), combinations=())
        event(author, draft, subject, adjunct=0.35, clitics=0.1, modals=0.0, habits=0.0)
        return
    draft.words("that", "que")
    subject, verb = (
        author.subject(animals=0.0, pronouns=0.6, stable=True),
        author.pick(_TAKING[noun]),
    )
    while noun in subject.nouns:
        subject = author.subject(animals=0.0)
    while verb is main:
        verb = author.pick(_TAKING[noun])
    tense = draw_tense(author, verb, subject, modals=0.0, once=True)
    clause(draft, subject, verb, tense, preceding=head.form)
    draft.combinations.append(("verb", verb.name, noun.name))


def relative_subject(author: Author) -> Sentence:
    """the girl who lives in paris is waiting for the bus ."""
    draft = Draft()
    head = _head(author, author.pick(_ANIMATE))
    draft.phrase(head)
    write_relative(author, draft, head)
    if author.chance(0.35):
        write_state(author, draft, head.silent)
    else:
        event(author, draft, head.silent, negated=author.chance(0.15), adjunct=0.15, habits=0.0)
    return draft.finish()


def relative_thing(author: Author) -> Sentence:
    """the car that my sister bought is very expensive ."""
    draft = Draft()
    head = _head(author, author.pick(_DESCRIBED))
    draft.phrase(head)
    write_relative(author, draft, head)
    be_clause(draft, head.silent)
    silent = head if head.combinations else head.silent
    quality(author, draft, silent._replace(english=(), french=(), sources=()))
    return draft.finish()


def relative_object(author: Author) -> Sentence:
    """i 'm reading the book that you gave me ."""
    draft = Draft()
    subject, verb = author.subject(animals=0.0, stable=True), author.pick(_PLAIN)
    written = clause(draft, subject, verb, draw_tense(author, verb, subject, once=True))
    head = _head(author, author.pick(_HEADS[verb]))
    write_object(draft, verb, written, head)
    write_relative(author, draft, head, verb)
    return draft.finish()


# That, if -----------------------------------------------------------------------------------


def write_opinion(author: Author, draft: Draft) -> Phrase:
    """Write the beginning of an opinion, my father thinks that …; returns its subject."""
    subject = author.subject(animals=0.0, pronouns=0.7, stable=True)
    clause(draft, subject, author.pick((_THINK, _THINK, _KNOW, _SAY)), "present")
    draft.words("that", "que")
    return subject


def _write_fact(author: Author, draft: Draft, after: Phrase) -> None:
    if author.chance(0.5):
        subject = _other(author, after, stable=True)
        write_state(author, draft, subject, was=author.chance(0.2))
    else:
        event(author, draft, _other(author, after), adjunct=0.2, habits=0.0)


def opinion(author: Author) -> Sentence:
    """i think that the dog is hungry ."""
    draft = Draft()
    _write_fact(author, draft, write_opinion(author, draft))
    return draft.finish()


def doubt(author: Author) -> Sentence:
    """i do n't know if he 's home . → je ne sais pas s'il est chez lui ."""
    draft = Draft()
    asked = author.chance(0.3)
    subject = PRONOUNS["you"] if asked else author.subject(animals=0.0, pronouns=0.8)
    clause(draft, subject, _KNOW, "present", negation="" if asked else "n't", asked=asked)
    draft.words("if", "si")
    _write_fact(author, draft, subject)
    return draft.finish("?" if asked else ".")


def chain(author: Author) -> Sentence:
    """A long one: i think that the man who … because … and …"""
    draft = Draft()
    if author.chance(0.35):
        write_opinion(author, draft)
    subject = _person(author, pronouns=0.25)
    actor = subject
    if len(subject.nouns) == 1 and subject.nouns[0] in PERSONS and author.chance(0.9):
        subject = noun_phrase("the", subject.nouns[0], (), subject.person > 2)
        draft.phrase(subject)
        write_relative(author, draft, subject)
        actor = subject.silent
    write_motivated(author, draft, subject, actor)
    if author.chance(0.5) or len(draft.english) < 12:
        draft.words("and", "et")
        event(author, draft, _other(author, subject), habits=0.0)
    return draft.finish()
