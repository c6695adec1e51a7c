"""The kinds of sentences, and how many of each."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from lib.grammar.author import (
    ANIMALS,
    DIRECT,
    IDIOMS,
    INDIRECT,
    KIN,
    LIKE,
    MUST,
    OBJECTS,
    PERSONAL_ADJECTIVES,
    PERSONS,
    PREDICATES,
    PRONOUNS,
    TENSES,
    TIMES,
    WANT,
    Author,
    of_kinds,
    own,
    stressed,
)
from lib.grammar.clauses import (
    AVAIT,
    AVOIR,
    ETAIT,
    ETRE,
    FAIRE,
    FAISAIT,
    Written,
    be_clause,
    clause,
    order,
    write_adjective,
    write_object,
)
from lib.grammar.lexicon import NOUNS, SPECIAL_VERBS, VERBS
from lib.grammar.phrases import Draft, Phrase, Sentence, noun_phrase

_GO, _GO_HOME, _LIVE, _THINK, _KNOW, _SAY = (
    replace(SPECIAL_VERBS[name], particle=())
    for name in ("go to", "go home", "live", "think", "know", "say")
)
_RAIN = (SPECIAL_VERBS["rain"], SPECIAL_VERBS["snow"])
_VERB = {verb.name: verb for verb in VERBS}
_NOUN = {noun.name: noun for noun in NOUNS}
_BARE = tuple(
    replace(v, particle=()) if v.objects else v
    for v in VERBS
    if not v.objects or "bare" in v.traits
)
_GIVING = tuple(verb for verb in VERBS if "gives" in verb.traits)
_ACTIVE = tuple(v for v in VERBS if {"m", "p"} <= set(v.uses) and "gives" not in v.traits)
_PURPOSES = tuple(
    _VERB[name]
    for name in (
        "buy",
        "sell",
        "see",
        "look for",
        "wait for",
        "help",
        "read",
        "eat",
        "prepare",
        "visit",
    )
)
_ENJOYED = tuple(v for v in VERBS if "where" in v.traits and {"g", "i"} <= set(v.uses) and not v.to)
_ASKABLE = tuple(v for v in VERBS if v.objects and not v.to and "gives" not in v.traits)
_IT = Phrase(("it",), ("il",), ((0,),))
_THIS = Phrase(("it",), ("ce",), ((0,),))
_WHO = Phrase(("who",), ("qui",), ((0,),))
_THERE = Phrase(("there",), ("il",), ((0,),))
_THINGS = tuple(
    noun for noun in NOUNS if PREDICATES[noun] and not noun.kinds & {"person", "kin", "animal"}
)
_LOCATED = of_kinds("small", "animal", "built", "wear")
_EXISTING = of_kinds("animal", "small", "food", "drink", "person")
_SEXED = {
    "m": of_kinds("job")
    + tuple(_NOUN[n] for n in ("father", "brother", "uncle", "son", "king", "hero")),
    "f": tuple(_NOUN[n] for n in ("mother", "sister", "aunt", "woman", "girl", "queen", "actress")),
}
_BE_CALM = tuple(
    a for a in PERSONAL_ADJECTIVES if a.en in ("calm", "kind", "serious", "strong", "happy")
)
_BE_SAD = tuple(a for a in PERSONAL_ADJECTIVES if a.en in ("sad", "shy", "curious"))
_REASONS = tuple(
    a
    for a in PERSONAL_ADJECTIVES
    if a.en in ("tired", "sick", "sad", "happy", "lost", "busy", "alone", "ready")
)
_HAPPENED = tuple(
    _VERB[name] for name in ("lose", "find", "break", "forget", "buy", "see", "finish")
)


# Pieces ---------------------------------------------------------------------------------------


def _infinitive(author: Author, draft: Draft, subject: Phrase) -> None:
    """Write a purpose: … to buy bread."""
    draft.words("to", "pour")
    verb = author.pick(_PURPOSES)
    main = draft.en(verb.en, *verb.particle)
    draft.fr(main, verb.infinitive)
    author.object(draft, verb, Written(main, ()), subject)


def _again(subject: Phrase) -> Phrase | None:
    """The pronoun for a subject mentioned before; none for feminine plurals, since they is ils."""
    if not subject.nouns:
        return subject
    if subject.form == 3:
        return None
    return PRONOUNS[("he", "she", "they")[subject.form]]


def _reason(author: Author, draft: Draft, subject: Phrase, tense) -> None:
    """Write why: … because she lost her key."""
    draft.words("because", "parce que")
    again, roll, past = _again(subject), author.random(), tense == "past"
    if again is None or roll < 0.1:
        _weather(author, draft, past=past)
    elif roll < 0.35:
        be_clause(draft, again, was=past, forms=(AVOIR, AVAIT))
        draft.words(*author.pick(IDIOMS[:6]))
    elif roll < 0.6:
        be_clause(draft, again, was=past)
        if author.chance(0.25):
            draft.words(*author.pick((("very", "très"), ("too", "trop"))))
        write_adjective(draft, again, author.pick(_REASONS))
    elif roll < 0.8 and not past:
        author.event(
            draft,
            again,
            verb=author.pick(_ACTIVE),
            tense=author.pick((WANT, WANT, MUST)),
            adjunct=0.1,
        )
    else:
        author.event(draft, again, verb=author.pick(_HAPPENED), tense="past", adjunct=0.0)


def _weather(author: Author, draft: Draft, *, past=False, negated=False, asked=False) -> None:
    """Write the weather: it 's cold, it was raining is left out."""
    roll, negation = author.random(), author.pick(("not", "n't")) if negated else ""
    if roll < 0.35:
        clause(
            draft,
            _IT,
            author.pick(_RAIN),
            "past" if past else "progressive",
            negation=("n't" if past else negation) if negated else "",
            asked=asked,
        )
        return
    late = roll < 0.6
    be_clause(
        draft,
        _IT,
        was=past,
        negation=negation,
        asked=asked,
        forms=(ETRE, ETAIT) if late else (FAIRE, FAISAIT),
    )
    if author.chance(0.3) and not negated:
        draft.words(*author.pick((("very", "très"), ("too", "trop"))))
    draft.words(
        *author.pick(
            (("late", "tard"), ("early", "tôt")) if late else (("cold", "froid"), ("hot", "chaud"))
        )
    )


def _relative(author: Author, draft: Draft, head: Phrase) -> None:
    """Write a relative clause about what has just been written: … that my sister bought."""
    noun = head.nouns[0]
    verbs = [verb for verb in _ASKABLE if noun in OBJECTS[verb]]
    animate = noun.kinds & {"person", "kin", "animal"}
    if animate and author.chance(0.5):
        who = ("that" if "animal" in noun.kinds else "who",)
        author.event(
            draft,
            head._replace(english=who, french=("qui",), sources=((0,),), combinations=()),
            tense=None,
            adjunct=0.35,
            clitics=0.1,
            modals=False,
        )
        return
    draft.words("that", "que")
    subject = author.subject(animals=0, pronouns=0.6)
    verb = author.pick(verbs)
    clause(draft, subject, verb, author.tense(verb, subject, modals=False), preceding=head.form)
    draft.combinations.append(("verb", verb.name, noun.name))


def _opinion(author: Author, draft: Draft) -> None:
    """Write the beginning of an opinion: my father thinks that …"""
    subject = author.subject(animals=0, pronouns=0.7)
    clause(draft, subject, author.pick((_THINK, _THINK, _KNOW, _SAY)), "present")
    draft.words("that", "que")


# Simple sentences -----------------------------------------------------------------------------


def statement(author: Author) -> Sentence:
    """she is washing her red car ."""
    draft = Draft()
    negated = author.chance(0.22)
    subject = author.subject(definite=negated or author.chance(0.7))
    author.event(draft, subject, negated=negated)
    return draft.finish()


def with_pronoun(author: Author) -> Sentence:
    """i do n't see her ."""
    draft = Draft()
    author.event(draft, author.subject(), negated=author.chance(0.25), clitics=1.0)
    return draft.finish()


def arrival(author: Author) -> Sentence:
    """the train is not going to leave today ."""
    draft = Draft()
    subject = noun_phrase(author.pick(("the", "this")), author.pick(of_kinds("ride")))
    verb = author.pick([verb for verb in VERBS if verb.by == "ride"])
    author.event(
        draft,
        subject,
        verb=verb,
        tense=author.pick(("progressive", "past", "future")),
        negated=author.chance(0.3),
        adjunct=0,
    )
    return draft.finish()


def motion(author: Author) -> Sentence:
    """he went to the market to buy bread ."""
    draft, roll = Draft(), author.random()
    subject = author.subject(animals=0)
    negated = author.chance(0.15)
    if roll < 0.2:
        clause(draft, subject, _LIVE, "present", negation="n't" if negated else "")
        author.place(draft)
        return draft.finish()
    tense = author.pick(
        ("progressive", "progressive", "past", "past", "past", "future", WANT, MUST)
    )
    options = {
        "negation": author.negation(tense, subject) if negated else "",
        "full": author.chance(0.15),
    }
    if roll < 0.35:
        clause(draft, subject, _GO_HOME, tense, **options)
        draft.fr(draft.en("home"), "chez", stressed(subject))
    elif roll < 0.5:
        clause(draft, subject, _VERB[author.pick(("come", "come back"))], tense, **options)
        author.origin(draft)
    else:
        written = clause(draft, subject, _GO, tense, **options)
        author.goal(draft)
        if author.chance(0.35) and not negated:
            _infinitive(author, draft, subject)
            return draft.finish()
    if tense in TIMES and author.chance(0.3):
        draft.words(*author.pick(TIMES[tense]))
    elif author.chance(0.15):
        author.companion(draft)
    return draft.finish()


def gift(author: Author) -> Sentence:
    """he gives the boy a book ."""
    draft = Draft()
    subject, verb = author.subject(animals=0), author.pick(_GIVING)
    tense = author.tense(verb, subject)
    if author.chance(0.7):
        author.event(
            draft, subject, verb=verb, tense=tense, negated=author.chance(0.2), clitics=0.6
        )
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
    """she likes to dance with her brother ."""
    draft = Draft()
    author.event(
        draft,
        author.subject(animals=0),
        verb=author.pick(_ENJOYED),
        tense=LIKE,
        negated=author.chance(0.2),
        adjunct=0.5,
        clitics=0,
    )
    return draft.finish()


def state(author: Author) -> Sentence:
    """my father was very tired ."""
    draft = Draft()
    author.state(draft, author.subject(), was=author.chance(0.35), negated=author.chance(0.25))
    return draft.finish()


def quality(author: Author) -> Sentence:
    """the old house is not expensive ."""
    draft = Draft()
    noun = author.pick(_THINGS)
    subject = author.phrase(noun, definite=True, described=0.25)
    negation = author.negation("be", subject) if author.chance(0.22) else ""
    be_clause(draft, subject, was=author.chance(0.25), negation=negation)
    if not negation and author.chance(0.2):
        draft.words(*author.pick((("very", "très"), ("too", "trop"))))
    choices = [a for a in PREDICATES[noun] if ("adj", a.en, noun.name) not in subject.combinations]
    write_adjective(draft, subject, author.pick(choices))
    return draft.finish()


def position(author: Author) -> Sentence:
    """the key is under the table ."""
    draft = Draft()
    subject = author.phrase(author.pick(_LOCATED), definite=True, described=0.25)
    asked = author.chance(0.15)
    negation = author.negation("be", subject) if author.chance(0.2) and not asked else ""
    be_clause(draft, subject, was=author.chance(0.2), negation=negation, asked=asked)
    author.position(draft, subject)
    return draft.finish("?" if asked else ".")


def identity(author: Author) -> Sentence:
    """he 's a good doctor . it 's not my car ."""
    draft, roll = Draft(), author.random()
    asked, was = author.chance(0.15), author.chance(0.15)
    negated = not asked and author.chance(0.2)
    if roll < 0.35:
        gender = author.pick(("m", "f"))
        noun = author.pick(_SEXED[gender])
        subject = _THIS._replace(english=("he" if gender == "m" else "she",))
        phrase = author.phrase(noun, described=0.6, plural=0)
        if "job" in noun.kinds and phrase.english[0] in ("a", "an") and not phrase.combinations:
            phrase = noun_phrase("the", noun)
    else:
        noun = author.pick(_THINGS)
        phrase = author.phrase(noun, described=0.6, plural=0)
        subject = _THIS
    be_clause(
        draft,
        subject,
        was=was,
        asked=asked,
        negation=author.negation("be", subject) if negated else "",
    )
    draft.phrase(phrase)
    return draft.finish("?" if asked else ".")


def existence(author: Author) -> Sentence:
    """there is no milk in the kitchen ."""
    draft = Draft()
    noun = author.pick(_EXISTING)
    mass = "mass" in noun.kinds
    plural = not mass and author.chance(0.5)
    was, roll = author.chance(0.2), author.random()
    word = ("were" if plural else "was") if was else ("are" if plural else "is")
    asked = roll > 0.85
    french = "avait" if was else "a"
    negated = roll < 0.25
    determiner = (
        "no"
        if negated
        else ""
        if mass
        else author.pick(("two", "three", "many", "some"))
        if plural
        else "a"
    )
    phrase = noun_phrase(determiner, noun, author.adjectives(noun, 0.3), plural)
    at = draft.en(word) if asked else ()
    there = draft.en("there")
    at = at or draft.en("'s" if word == "is" and author.chance(0.5) else word)
    start = draft.read(phrase)
    if asked:
        draft.fr(at, "est-ce", "que")
    draft.fr(there, "il")
    if negated:
        draft.fr((start,), "ne")
    draft.fr(there, "y")
    draft.fr(at, french)
    if negated:
        draft.fr((start,), "pas")
    draft.render(phrase, start)
    author.position(draft, phrase)
    return draft.finish("?" if asked else ".")


def weather(author: Author) -> Sentence:
    """it 's raining in paris ."""
    draft = Draft()
    past, asked = author.chance(0.3), author.chance(0.2)
    _weather(author, draft, past=past, asked=asked, negated=not asked and author.chance(0.25))
    if author.chance(0.5):
        draft.words(*author.pick(TIMES["past" if past else "progressive"]))
    return draft.finish("?" if asked else ".")


# Questions and orders -------------------------------------------------------------------------


def question(author: Author) -> Sentence:
    """are you looking for your key ?"""
    draft = Draft()
    if author.chance(0.3):
        author.state(draft, author.subject(first=False), was=author.chance(0.3), asked=True)
    else:
        author.event(draft, author.subject(first=False), asked=True, adjunct=0.2)
    return draft.finish("?")


def open_question(author: Author) -> Sentence:
    """where did you buy this book ?"""
    draft, roll = Draft(), author.random()
    subject = author.subject(first=False, pronouns=0.6, animals=0)
    if roll < 0.15:
        noun = author.pick(_LOCATED + PERSONS + KIN)
        phrase = author.phrase(noun, definite=True, described=0.25)
        draft.words("where", "où")
        was = author.chance(0.2)
        at = draft.en(("were" if was else "are") if phrase.person > 2 else ("was" if was else "is"))
        draft.fr(at, (ETAIT if was else ETRE)[phrase.person])
        draft.phrase(phrase)
    elif roll < 0.3:
        draft.words("where", "où")
        verb = author.pick([verb for verb in VERBS if "where" in verb.traits])
        author.event(
            draft,
            subject,
            verb=verb,
            asked=True,
            adjunct=0,
            tense=author.pick([TENSES[u] for u in verb.uses if u in "gcf"]),
            clitics=0.1,
        )
    elif roll < 0.4:
        draft.words("when", "quand")
        verb = author.pick([verb for verb in VERBS if {"c", "f"} <= set(verb.uses)])
        author.event(
            draft,
            subject,
            verb=verb,
            asked=True,
            adjunct=0,
            tense=author.pick(("past", "future")),
            clitics=0.15,
        )
    elif roll < 0.55:
        draft.words("why", "pourquoi")
        if author.chance(0.3):
            author.state(draft, subject, was=author.chance(0.3), asked=True)
        else:
            author.event(draft, subject, asked=True, adjunct=0.1, clitics=0.15)
    elif roll < 0.7:
        if author.chance(0.2):
            author.state(draft, _WHO, was=author.chance(0.3))
        else:
            author.event(draft, _WHO, adjunct=0.3)
    else:
        verb = author.pick(_ASKABLE)
        personal = bool(verb.objects & {"person"}) and author.chance(0.6)
        draft.words(*(("who", "qui") if personal else ("what", "que")))
        while not personal and not [n for n in OBJECTS[verb] if n not in PERSONS + KIN + ANIMALS]:
            verb = author.pick(_ASKABLE)
        tense = author.tense(verb, subject)
        clause(draft, subject, verb, tense, asked=True)
        author.adjunct(draft, verb, tense, False, False) if author.chance(0.25) else None
    return draft.finish("?")


def how_many(author: Author) -> Sentence:
    """how many books do you have ?"""
    draft = Draft()
    verb = _VERB[author.pick(("have", "want", "see", "buy", "sell", "eat"))]
    noun = author.pick(
        [n for n in OBJECTS[verb] if "mass" not in n.kinds and not n.kinds & {"kin", "place"}]
    )
    draft.phrase(noun_phrase("how many", noun, author.adjectives(noun, 0.25), True))
    draft.combinations.append(("verb", verb.name, noun.name))
    clause(draft, author.subject(first=False, animals=0), verb, "present", asked=True)
    return draft.finish("?")


def command(author: Author) -> Sentence:
    """do n't open the door ."""
    draft, roll = Draft(), author.random()
    negated = author.chance(0.25)
    subject = PRONOUNS["you"]
    if roll < 0.12 and not negated:
        _together(author, draft)
    elif roll < 0.3:
        verb = author.pick([v for v in _BARE if "m" in v.uses])
        order(draft, verb, negated=negated)
        if author.chance(0.85):
            author.adjunct(draft, verb, "future", False, False)
    elif roll < 0.4:
        order(draft, _GO, negated=negated)
        author.goal(draft)
        if author.chance(0.3) and not negated:
            _infinitive(author, draft, subject)
    else:
        verb = author.pick([v for v in VERBS if "m" in v.uses and v.objects])
        written = order(draft, verb, negated=negated)
        author.object(draft, verb, written, subject, negated=negated)
        if "gives" in verb.traits:
            draft.words("to", "à")
            draft.phrase(author.person(0.2, definite=True, mine="your"))
        elif author.chance(0.15):
            author.adjunct(draft, verb, "future", False, False)
    if author.chance(0.12):
        draft.words(",", ",")
        draft.words("please", "s' il te plaît")
    return draft.finish(".", "!")


def _together(author: Author, draft: Draft) -> None:
    """let 's eat the cake → mangeons le gâteau."""
    verb = author.pick([v for v in _ACTIVE if not v.to])
    at = draft.en("let", "'s", verb.en, *verb.particle)
    draft.fr(at, verb.present[3])
    if verb.objects:
        author.object(draft, verb, Written(at, ()), PRONOUNS["we"])
    elif author.chance(0.5):
        author.adjunct(draft, verb, "future", False, False)


def short_command(author: Author) -> Sentence:
    """give me the key . wait for us at the station ."""
    draft, negated = Draft(), author.chance(0.2)
    if author.chance(0.5):
        verb = author.pick(_GIVING)
        clitic = INDIRECT[author.pick(("me", "me", "us", "him", "her", "them"))]
        written = order(draft, verb, negated=negated, clitic=clitic)
        author.object(draft, verb, written, PRONOUNS["you"], negated=negated)
    elif author.chance(0.6):
        verb = _VERB[
            author.pick(("help", "wait for", "follow", "listen to", "look at", "call", "invite"))
        ]
        order(
            draft,
            verb,
            negated=negated,
            clitic=DIRECT[author.pick(("me", "us", "him", "her", "them"))],
        )
        author.adjunct(draft, verb, "future", False, False)
    else:
        verb = _VERB[
            author.pick(("take", "eat", "read", "open", "close", "wash", "buy", "sell", "drink"))
        ]
        order(draft, verb, negated=negated, clitic=DIRECT[author.pick(("it", "them"))])
        author.adjunct(draft, verb, "future", False, False)
    if author.chance(0.15):
        draft.words(",", ",")
        draft.words("please", "s' il te plaît")
    return draft.finish(".", "!")


# Compound sentences ---------------------------------------------------------------------------


def because(author: Author) -> Sentence:
    """he is crying because he lost his key ."""
    draft = Draft()
    subject = author.subject(animals=0)
    tense = author.event(draft, subject, negated=author.chance(0.2), adjunct=0.15)
    _reason(author, draft, subject, tense)
    return draft.finish()


def contrast(author: Author) -> Sentence:
    """i like apples but i do n't like milk ."""
    draft = Draft()
    subject = author.subject(animals=0)
    again = _again(subject) or subject
    verb = author.pick([v for v in VERBS if v.objects])
    tense = author.event(draft, subject, verb=verb, adjunct=0, clitics=0)
    draft.words("but", "mais")
    author.event(draft, again, verb=verb, tense=tense, negated=True, adjunct=0, clitics=0.1)
    return draft.finish()


def coordination(author: Author) -> Sentence:
    """my mother is reading and my father is working ."""
    draft = Draft()
    tense = author.event(draft, author.subject(animals=0), adjunct=0.1, clitics=0.1)
    draft.words("and", "et")
    other = author.subject(animals=0)
    while True:
        verb = author.verb(other)
        letter = {v: k for k, v in TENSES.items()}.get(tense, "i")
        if letter in verb.uses and not (letter == "p" and verb.en == verb.past):
            break
    author.event(draft, other, verb=verb, tense=tense, adjunct=0.1, clitics=0.1)
    return draft.finish()


def relative(author: Author) -> Sentence:
    """the car that my sister bought is very expensive ."""
    draft, roll = Draft(), author.random()
    if roll < 0.35:
        head = author.phrase(author.pick(_THINGS), definite=True, described=0.2)
        draft.phrase(head)
        _relative(author, draft, head)
        be_clause(draft, head.silent)
        if author.chance(0.3):
            draft.words(*author.pick((("very", "très"), ("too", "trop"))))
        write_adjective(draft, head, author.pick(PREDICATES[head.nouns[0]]))
    elif roll < 0.7:
        head = author.phrase(author.pick(PERSONS + ANIMALS), definite=True, described=0.2)
        draft.phrase(head)
        _relative(author, draft, head)
        if author.chance(0.3):
            author.state(draft, head.silent)
        else:
            author.event(draft, head.silent, negated=author.chance(0.15), adjunct=0.15)
    else:
        subject = author.subject(animals=0)
        verb = author.pick([v for v in _ASKABLE if v.en not in ("have",)])
        written = clause(draft, subject, verb, author.tense(verb, subject))
        head = author.phrase(author.pick(OBJECTS[verb]), definite=True, described=0.2)
        write_object(draft, verb, written, head)
        _relative(author, draft, head)
    return draft.finish()


def opinion(author: Author) -> Sentence:
    """i think that the dog is hungry ."""
    draft = Draft()
    asked = False
    if author.chance(0.6):
        _opinion(author, draft)
    else:
        asked = author.chance(0.3)
        subject = PRONOUNS["you"] if asked else author.subject(animals=0, pronouns=0.8)
        clause(draft, subject, _KNOW, "present", negation="" if asked else "n't", asked=asked)
        draft.words("if", "si")
    if author.chance(0.5):
        author.state(draft, author.subject(), was=author.chance(0.2))
    else:
        author.event(draft, author.subject(), adjunct=0.2)
    return draft.finish("?" if asked else ".")


def chain(author: Author) -> Sentence:
    """A long one: i think that the man who … because … and …"""
    draft = Draft()
    if author.chance(0.3):
        _opinion(author, draft)
    subject = author.subject(animals=0, pronouns=0.3)
    actor = subject
    if len(subject.nouns) == 1 and author.chance(0.7):
        draft.phrase(subject)
        _relative(author, draft, subject)
        actor = subject.silent
    tense = author.event(draft, actor, negated=author.chance(0.1), adjunct=0.2, clitics=0.15)
    if author.chance(0.7):
        _reason(author, draft, subject, tense)
    if author.chance(0.6) or len(draft.english) < 12:
        draft.words(*author.pick((("and", "et"), ("but", "mais"))))
        author.event(draft, author.subject(animals=0), adjunct=0.2, clitics=0.15)
    return draft.finish()


def reply(author: Author) -> Sentence:
    """no , i 'm not hungry ."""
    draft = Draft()
    negated = author.chance(0.5)
    draft.words(*(("no", "non") if negated else ("yes", "oui")))
    draft.words(",", ",")
    if author.chance(0.5):
        author.state(draft, author.subject(pronouns=0.9), negated=negated)
    else:
        author.event(draft, author.subject(pronouns=0.9), negated=negated, adjunct=0)
    return draft.finish()


def short() -> list[Sentence]:
    """Every pronoun with every adjective, idiom and verb that needs no object."""
    drafts: list[Draft] = []

    def new() -> Draft:
        drafts.append(Draft())
        return drafts[-1]

    for subject in PRONOUNS.values():
        for negation in ("", "not"):
            for was in (False, True):
                for adjective in PERSONAL_ADJECTIVES:
                    be_clause(new(), subject, negation=negation, was=was)
                    write_adjective(drafts[-1], subject, adjective)
                for words in IDIOMS:
                    be_clause(new(), subject, negation=negation, was=was, forms=(AVOIR, AVAIT))
                    drafts[-1].words(*words)
                be_clause(new(), subject, negation=negation, was=was)
                drafts[-1].fr(drafts[-1].en("home"), "chez", stressed(subject))
            for verb in _BARE:
                for letter, tense in TENSES.items():
                    if letter in verb.uses and (letter != "p" or verb.en != verb.past):
                        no = "n't" if negation and tense in ("present", "past") else negation
                        clause(new(), subject, verb, tense, negation=no)
    sentences = [draft.finish() for draft in drafts]
    for verb in (*_BARE, _GO):
        for negated in (False, True):
            if "m" in verb.uses and not (verb is _GO and negated):
                draft = Draft()
                order(draft, verb, negated=negated)
                sentences.append(draft.finish(".", "!"))
    return sentences


_RECIPES: tuple[tuple[Callable[[Author], Sentence], int], ...] = (
    (statement, 9000),
    (with_pronoun, 3000),
    (arrival, 60),
    (motion, 2200),
    (gift, 1800),
    (enjoyment, 800),
    (state, 2500),
    (quality, 2200),
    (position, 1500),
    (identity, 1500),
    (existence, 1200),
    (weather, 60),
    (question, 2500),
    (open_question, 2500),
    (how_many, 300),
    (command, 2000),
    (short_command, 1000),
    (because, 2500),
    (contrast, 1200),
    (coordination, 1200),
    (relative, 2500),
    (opinion, 1200),
    (chain, 1800),
    (reply, 500),
)


def generate(seed: int = 0) -> list[Sentence]:
    """All sentence pairs of the built-in corpus, in random order; the same for the same seed."""
    author = Author(seed)
    found = {sentence.source: sentence for sentence in short()}
    for recipe, count in _RECIPES:
        goal = len(found) + count
        while len(found) < goal:
            sentence = recipe(author)
            found.setdefault(sentence.source, sentence)
    sentences = list(found.values())
    Random(seed).shuffle(sentences)
    return sentences
