"""Sentences of several clauses: because, but, and, who, that, if."""

from lib.grammar.author import ANIMALS, KIN, PERSONS, Author, nouns
from lib.grammar.clauses import AVAIT, AVOIR, be_clause, clause, write_object
from lib.grammar.events import (
    CHANGING,
    CREATING,
    OBJECTS,
    draw_tense,
    event,
    graded,
    quality,
    verbs,
    write_adjunct,
)
from lib.grammar.fixed import CAN, IDIOMS, IT, MUST, PRONOUNS, WANT
from lib.grammar.lexicon import ADJECTIVES, SPECIAL_VERBS, VERBS
from lib.grammar.morphology import Noun, Verb
from lib.grammar.phrases import Draft, Phrase, Places, Sentence, noun_phrase
from lib.grammar.states import THINGS, write_air, write_state

# What one does, or with "not" does not do, and the reasons there can be: how one feels, the weather
# (rain, snow, frost, heat), the hour (late), a loss, a success, a wish
_MOTIVES = (
    ("", "eat, prepare", "hungry"),
    ("", "drink", "thirsty, heat"),
    ("", "wear, close", "cold, frost"),
    ("", "open, swim", "heat"),
    ("", "sleep", "tired, sick, sad, sleepy, late"),
    ("", "stay", "tired, sick, afraid, rain, snow, frost, late"),
    ("", "come in", "tired, hungry, cold, late, rain, snow, frost"),
    ("", "leave, come back", "tired, sick, hungry, cold, late, rain, wish"),
    ("", "go out", "heat, happy, wish"),
    ("", "cry", "sad, alone, lost, afraid, sick, loss"),
    ("", "smile, laugh, dance, sing", "happy, success"),
    ("", "call, talk to", "lost, sad, alone, sick"),
    ("", "sell, work", "wish"),
    ("", "run", "late, afraid, rain, cold, happy"),
    ("not", "sleep, eat", "sad, sick, afraid"),
    ("not", "work, dance, swim, go out, come, sing", "tired, sick, sleepy, sad, late"),
    ("not", "drive", "tired, sick, sleepy, afraid, snow"),
    ("not", "swim, go out, come, leave", "rain, snow, frost"),
    ("not", "open", "cold, frost, rain, snow, late"),
)
_REASONS = tuple(
    (negation, verb, tuple(reasons.split(", ")))
    for negation, names, reasons in _MOTIVES
    for verb in verbs(*names.split(", "))
)
_IDIOMS = dict(IDIOMS)
# What one takes for such a reason, of all that the verb can take
_SUITED = {
    "open": nouns("door", "window"),
    "close": nouns("door", "window"),
    "wear": nouns("coat", "sweater", "scarf", "hat"),
}
_COLD, _HOT, _LATE = ("cold", "froid"), ("hot", "chaud"), ("late", "tard")
_AIR = {"rain": _COLD, "snow": _COLD, "frost": _COLD, "heat": _HOT, "late": _LATE}
_ADJECTIVES = {adjective.en: adjective for adjective in ADJECTIVES}
_EVENTS = {
    "loss": verbs("lose", "break"),
    "success": verbs("find", "buy", "finish", "win"),
}
# For what one leaves, works or sells something
_WISHES = {
    "leave": verbs("work", "sleep", "eat"),
    "come back": verbs("work", "sleep", "eat", "help"),
    "go out": verbs("dance", "run", "buy"),
    "work": verbs("buy", "win"),
    "sell": verbs("buy", "leave"),
}
_TRANSITIVE = tuple(
    verb for verb in VERBS if len(OBJECTS[verb]) > 3 and verb.en not in ("have", "love")
)
# What two people do that goes together
_PAIRED = tuple(
    verbs(*pair.split(", "))
    for pair in (
        "sing, dance",
        "laugh, cry",
        "smile, laugh",
        "work, sleep",
        "run, swim",
        "come, leave",
        "come back, leave",
        "go out, come in",
        "sing, laugh",
        "work, dance",
        "swim, sleep",
    )
)
_PLAIN = tuple(v for v in VERBS if v.objects and not v.to and "gives" not in v.traits)
_TAKING = {
    noun: tuple(verb for verb in _PLAIN if noun in OBJECTS[verb] and verb.en != "have")
    for noun in {noun for verb in _PLAIN for noun in OBJECTS[verb]}
}
_THINK, _KNOW, _SAY = (SPECIAL_VERBS[name] for name in ("think", "know", "say"))
_HEADS = {
    verb: tuple(n for n in OBJECTS[verb] if n not in KIN and len(_TAKING[n]) > 1) for verb in _PLAIN
}
# Verbs whose object has a past: not "he is writing the letter that you read"
_HEADED = tuple(verb for verb in _PLAIN if verb.en not in CREATING)
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
    tense = draw_tense(author, verb, actor, modals=0.0, once=True)
    while reason == "wish" and tense == "past":
        tense = draw_tense(author, verb, actor, modals=0.0, once=True)
    if "i" in verb.uses and author.chance(0.15):
        tense = CAN if negation else WANT
    noun = author.pick(_SUITED[verb.name]) if verb.name in _SUITED else None
    options = {"noun": noun, "negated": bool(negation), "clitics": 0.0 if noun else 0.2}
    event(
        author,
        draft,
        actor,
        verb=verb,
        tense=tense,
        adjunct=0.0 if reason == "late" else 0.1,
        **options,
    )
    draft.words("because", "parce que")
    again, past = _again(subject), tense == "past"
    if reason in ("rain", "snow") and not past:
        clause(draft, IT, SPECIAL_VERBS[reason], "progressive")
    elif reason in _AIR:
        write_air(author, draft, _AIR[reason], past=past)
    elif reason == "wish":
        wished = author.pick(_WISHES[verb.name])
        wish = MUST if wished.en in ("work", "help") else WANT
        event(author, draft, again, verb=wished, tense=wish, adjunct=0.1, clitics=0.0)
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
    subject = _person(author)
    write_contrast(author, draft, subject, subject)
    return draft.finish()


def write_contrast(
    author: Author, draft: Draft, subject: Phrase, actor: Phrase, that: Places = ()
) -> None:
    """Write what `actor` does and does not; the second time it is called as `subject` is.

    `that` is the place of the English word that introduces both halves: French repeats it.
    """
    verb = author.pick(_TRANSITIVE)
    again = _again(subject)
    noun = author.pick([noun for noun in OBJECTS[verb] if noun not in subject.nouns])
    options = {"verb": verb, "adjunct": 0.0, "clitics": 0.0, "habits": 0.0}
    tense = event(author, draft, actor, noun=noun, **options)
    draft.words("but", "mais")
    draft.fr(that, *["que"] * len(that))
    noun = _related(author, verb, noun)
    event(author, draft, again, tense=tense, noun=noun, negated=True, **options)


def coordination(author: Author) -> Sentence:
    """my mother is buying bread and my father is buying cheese ."""
    draft = Draft()
    one = author.subject(animals=0.0)
    write_pair(author, draft, one, one)
    return draft.finish()


def write_pair(
    author: Author, draft: Draft, subject: Phrase, actor: Phrase, that: Places = ()
) -> None:
    """Write what `actor` and somebody else do, who is not taken for the `subject`.

    `that` is as in `write_contrast`.
    """
    other = _other(author, subject, pronouns=0.3)
    if author.chance(0.6):
        verb = author.pick(_TRANSITIVE)
        first = author.pick(OBJECTS[verb])
        second = _related(author, verb, first)
        options = {"verb": verb, "adjunct": 0.05, "clitics": 0.0, "habits": 0.0}
        tense = event(author, draft, actor, noun=first, **options)
        draft.words("and", "et")
        draft.fr(that, *["que"] * len(that))
        event(author, draft, other, tense=tense, noun=second, **options)
        return
    first, second = author.pick(_PAIRED)
    if author.chance(0.5):
        first, second = second, first
    tense = author.pick(("progressive", "past", "future"))
    clause(draft, actor, first, tense)
    if author.chance(0.2):
        write_adjunct(author, draft, first, tense, actor)
    draft.words("and", "et")
    draft.fr(that, *["que"] * len(that))
    clause(draft, other, second, tense)


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
    subject, verb = author.subject(animals=0.0, stable=True), author.pick(_HEADED)
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
    """A long one: i think that the man who … because …"""
    draft = Draft()
    that: Places = ()
    if author.chance(0.5):
        write_opinion(author, draft)
        that = (len(draft.english) - 1,)
    subject = _person(author, pronouns=0.25)
    actor = subject
    if len(subject.nouns) == 1 and subject.nouns[0] in PERSONS and author.chance(0.9):
        subject = noun_phrase("the", subject.nouns[0], (), subject.person > 2)
        draft.phrase(subject)
        write_relative(author, draft, subject)
        actor = subject.silent
    if author.chance(0.5):
        write_motivated(author, draft, subject, actor)
    else:
        author.pick((write_pair, write_contrast))(author, draft, subject, actor, that)
    return draft.finish()
