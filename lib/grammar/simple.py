"""Sentences of one clause: statements, descriptions, the weather."""

from dataclasses import replace

from lib.grammar.author import KIN, PERSONAL_ADJECTIVES, PERSONS, Author, nouns, of_kinds, own
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
)
from lib.grammar.events import (
    CHANGING,
    OBJECTS,
    PREDICATES,
    TENSES,
    companion,
    draw_negation,
    draw_tense,
    event,
    is_animal,
    object_phrase,
    quality,
    stressed,
    verbs,
)
from lib.grammar.fixed import IDIOMS, IT, LIKE, MUST, OWNERS, PRONOUNS, THIS, TIMES, WANT
from lib.grammar.lexicon import FEMININES, SPECIAL_VERBS, VERBS
from lib.grammar.morphology import Noun
from lib.grammar.phrases import Draft, Phrase, Sentence, noun_phrase
from lib.grammar.places import BUILDINGS, goal, home, origin, place, position

GO, GO_HOME = (replace(SPECIAL_VERBS[name], particle=()) for name in ("go to", "go home"))
# Verbs as they are used without an object: wait for him, but just wait
BARE = tuple(
    replace(verb, particle=()) if verb.objects else verb
    for verb in VERBS
    if not verb.objects or "bare" in verb.traits
)
GIVING = tuple(verb for verb in VERBS if "gives" in verb.traits)
JOBS = of_kinds("job")
THINGS = tuple(noun for noun in PREDICATES if PREDICATES[noun] and noun not in PERSONS + KIN)
_ENJOYED = verbs("sleep", "work", "dance", "swim", "sing", "run", "eat", "drink", "read", "play")
_PURPOSES = verbs("buy", "sell", "see", "look for", "wait for", "help", "eat", "prepare", "visit")
_LOCATED = of_kinds("small", "animal", "wear") + BUILDINGS
_EXISTING = of_kinds("animal", "small", "food", "drink", "person")
_MALE = JOBS + nouns("father", "brother", "uncle", "son", "king", "hero")
_FEMALE = nouns("mother", "sister", "aunt", "woman", "girl", "queen", "actress")
_RIDES, _RIDING = of_kinds("ride"), tuple(verb for verb in VERBS if verb.by == "ride")
_HOT_OR_COLD = (("cold", "froid"), ("hot", "chaud"))
_LATE_OR_EARLY = (("late", "tard"), ("early", "tôt"))


# Events -------------------------------------------------------------------------------------


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
    tense = draw_tense(author, verb, subject)
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


def purpose(author: Author, draft: Draft, subject: Phrase) -> None:
    """Write what for: … to buy bread."""
    draft.words("to", "pour")
    verb = author.pick(_PURPOSES)
    main = draft.en(verb.en, *verb.particle)
    draft.fr(main, verb.infinitive)
    object_phrase(author, draft, verb, Written(main, ()), subject)


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
        goal(author, draft, daily=tense == "present")
        if tense != "present" and author.chance(0.35) and not negated:
            purpose(author, draft, subject)
            return draft.finish()
    if tense in TIMES and roll >= 0.15 and (tense == "present" or author.chance(0.35)):
        draft.words(*author.pick(TIMES[tense]))
    elif roll >= 0.15 and author.chance(0.2):
        companion(author, draft, "with", "avec")
    return draft.finish()


_COMING = verbs("come", "come back")

# Descriptions -------------------------------------------------------------------------------


def write_state(
    author: Author, draft: Draft, subject: Phrase, *, was=False, negated=False, asked=False
) -> None:
    """Write how somebody is: hungry, home, at the station, a doctor, tired."""
    roll, animal = author.random(), is_animal(subject)
    idiom = roll < 0.15
    be_clause(
        draft,
        subject,
        was=was,
        negation=draw_negation(author, None, subject) if negated else "",
        asked=asked,
        forms=(AVOIR, AVAIT) if idiom else (ETRE, ETAIT),
        full=author.chance(0.15),
    )
    if idiom:
        draft.words(*author.pick(IDIOMS[:5] if animal else IDIOMS))
    elif roll < 0.22 and not animal:
        draft.fr(draft.en("home"), "chez", stressed(subject))
    elif roll < 0.4:
        position(author, draft, subject) if animal else place(author, draft)
    elif roll < 0.46 and not subject.nouns and subject.person < 3:
        write_profession(draft, subject, author.pick(JOBS))
    else:
        quality(author, draft, subject, degree=0.0 if negated else 0.2)


def write_profession(draft: Draft, subject: Phrase, job: Noun) -> None:
    """Write what somebody is, without an article in French: a baker → boulangère."""
    draft.en(noun_phrase("a", job).english[0])
    feminine = subject.gender == "f"
    draft.fr(draft.en(job.name), FEMININES[job.name] if feminine else job.fr[0])


def state(author: Author) -> Sentence:
    """my father was very tired ."""
    draft = Draft()
    was, negated = author.chance(0.35), author.chance(0.25)
    subject = author.subject(stable=True, every=0.0 if negated else 0.03)
    write_state(author, draft, subject, was=was, negated=negated)
    return draft.finish()


def thing_quality(author: Author) -> Sentence:
    """the old house is not expensive ."""
    draft = Draft()
    noun = author.pick(THINGS)
    described = 0.3 if CHANGING[noun] else 0.0
    subject = author.phrase(noun, definite=True, described=described, stable=True)
    negation = draw_negation(author, None, subject) if author.chance(0.22) else ""
    be_clause(draft, subject, was=author.chance(0.25), negation=negation)
    quality(author, draft, subject, degree=0.0 if negation else 0.2)
    return draft.finish()


def thing_position(author: Author) -> Sentence:
    """the key is under the table ."""
    draft = Draft()
    subject = author.phrase(author.pick(_LOCATED), definite=True, described=0.25)
    asked = author.chance(0.15)
    negated = author.chance(0.2) and not asked
    negation = draw_negation(author, None, subject) if negated else ""
    be_clause(draft, subject, was=author.chance(0.2), negation=negation, asked=asked)
    position(author, draft, subject)
    return draft.finish("?" if asked else ".")


def identity(author: Author) -> Sentence:
    """he 's a good doctor . it 's not my car ."""
    draft, roll = Draft(), author.random()
    asked, was = author.chance(0.15), author.chance(0.15)
    subject, noun = THIS, author.pick(THINGS)
    if roll < 0.35:
        male = author.chance(0.5)
        noun = author.pick(_MALE if male else _FEMALE)
        subject = THIS._replace(english=("he" if male else "she",))
    adjectives = author.attributes(noun, 0.6)
    if noun in KIN or ("unowned" not in noun.kinds and author.chance(0.4)):
        determiner = author.pick(OWNERS)
    elif "mass" in noun.kinds:
        determiner = ""
    else:  # he 's a doctor → il est médecin: see `write_state`
        determiner = "the" if noun in JOBS and not adjectives else author.pick(("a", "a", "the"))
    phrase = noun_phrase(determiner, noun, () if noun in KIN else adjectives)
    negated = author.chance(0.2) and not asked
    negation = draw_negation(author, None, subject) if negated else ""
    be_clause(draft, subject, was=was, asked=asked, negation=negation)
    draft.phrase(phrase)
    return draft.finish("?" if asked else ".")


def existence(author: Author) -> Sentence:
    """there is no milk in the kitchen . → il n'y a pas de lait dans la cuisine ."""
    draft = Draft()
    noun = author.pick(_EXISTING)
    plural = "mass" not in noun.kinds and author.chance(0.5)
    was, asked = author.chance(0.2), author.chance(0.15)
    negated = not asked and author.chance(0.25)
    if negated:
        determiner = "no"
    elif plural:
        determiner = author.pick(("two", "three", "many", "some"))
    else:
        determiner = "" if "mass" in noun.kinds else "a"
    phrase = noun_phrase(determiner, noun, author.attributes(noun, 0.3), plural)
    word = ("were" if plural else "was") if was else ("are" if plural else "is")
    at = draft.en(word) if asked else ()
    there = draft.en("there")
    at = at or draft.en("'s" if word == "is" and author.chance(0.5) else word)
    start = draft.read(phrase)
    no = (start,) if negated else ()
    if asked:
        draft.fr(at, "est-ce", "que")
    draft.fr(there, "il")
    if negated:
        draft.fr(no, "ne")
    draft.fr(there, "y")
    draft.fr(at, "avait" if was else "a")
    if negated:
        draft.fr(no, "pas")
    draft.render(phrase, start)
    position(author, draft, phrase)
    return draft.finish("?" if asked else ".")


def write_weather(author: Author, draft: Draft, *, past=False, negated=False, asked=False) -> None:
    """Write the weather or the hour: it 's raining, it 's cold, it 's late."""
    roll = author.random()
    if roll < 0.35:
        tense = "past" if past else "progressive"
        negation = draw_negation(author, tense, IT) if negated else ""
        verb = SPECIAL_VERBS[author.pick(("rain", "snow"))]
        clause(draft, IT, verb, tense, negation=negation, asked=asked)
        return
    words = author.pick(_LATE_OR_EARLY if roll < 0.6 else _HOT_OR_COLD)
    write_air(author, draft, words, past=past, negated=negated, asked=asked)


def write_air(
    author: Author,
    draft: Draft,
    words: tuple[str, str],
    *,
    past: bool = False,
    negated: bool = False,
    asked: bool = False,
) -> None:
    """Write the hour (it 's late → il est tard) or how warm it is (it 's cold → il fait froid)."""
    negation = draw_negation(author, None, IT) if negated else ""
    forms = (ETRE, ETAIT) if words in _LATE_OR_EARLY else (FAIRE, FAISAIT)
    be_clause(draft, IT, was=past, negation=negation, asked=asked, forms=forms)
    if author.chance(0.3) and not negated:
        draft.words("very", "très")
    draft.words(*words)


def weather(author: Author) -> Sentence:
    """it 's raining today ."""
    draft = Draft()
    past, asked = author.chance(0.3), author.chance(0.2)
    write_weather(author, draft, past=past, asked=asked, negated=not asked and author.chance(0.25))
    if author.chance(0.5):
        draft.words(*author.pick(TIMES["past" if past else "progressive"]))
    return draft.finish("?" if asked else ".")


def reply(author: Author) -> Sentence:
    """no , i 'm not hungry ."""
    draft = Draft()
    negated = author.chance(0.5)
    draft.words(*(("no", "non") if negated else ("yes", "oui")))
    draft.words(",", ",")
    if author.chance(0.5):
        write_state(author, draft, author.subject(pronouns=0.9, stable=True), negated=negated)
    else:
        event(author, draft, author.subject(pronouns=0.9), negated=negated, adjunct=0.0)
    return draft.finish()


# All short ones -----------------------------------------------------------------------------


def _short_states(subject: Phrase, negation: str, was: bool) -> list[Draft]:
    drafts = []
    for adjective in PERSONAL_ADJECTIVES:
        drafts.append(Draft())
        be_clause(drafts[-1], subject, negation=negation, was=was)
        write_adjective(drafts[-1], subject, adjective)
    for words in IDIOMS:
        drafts.append(Draft())
        be_clause(drafts[-1], subject, negation=negation, was=was, forms=(AVOIR, AVAIT))
        drafts[-1].words(*words)
    drafts.append(Draft())
    be_clause(drafts[-1], subject, negation=negation, was=was)
    drafts[-1].fr(drafts[-1].en("home"), "chez", stressed(subject))
    for job in JOBS if subject.person < 3 else ():
        drafts.append(Draft())
        be_clause(drafts[-1], subject, negation=negation, was=was)
        write_profession(drafts[-1], subject, job)
    return drafts


def _short_events(subject: Phrase, negated: bool) -> list[Draft]:
    drafts = []
    for verb in BARE:
        for letter, tense in TENSES.items():
            if letter in verb.uses:
                drafts.append(Draft())
                negation = "n't" if tense in ("present", "past") else "not"
                clause(drafts[-1], subject, verb, tense, negation=negation if negated else "")
    return drafts


def short_sentences() -> list[Sentence]:
    """Every pronoun with every adjective, idiom and verb that needs no object; every order."""
    drafts = []
    for subject in PRONOUNS.values():
        for negation in ("", "not"):
            drafts += _short_states(subject, negation, was=False)
            drafts += _short_states(subject, negation, was=True)
            drafts += _short_events(subject, bool(negation))
    sentences = [draft.finish() for draft in drafts]
    for verb in (*BARE, GO):
        if "m" in verb.uses:
            draft = Draft()
            order(draft, verb)
            sentences.append(draft.finish(".", "!"))
    return sentences
