"""Sentences that say how, what or where somebody or something is; the weather."""

from lib.grammar.author import KIN, PERSONS, Author, nouns, of_kinds
from lib.grammar.clauses import (
    AVAIT,
    AVOIR,
    ETAIT,
    ETRE,
    FAIRE,
    FAISAIT,
    be_clause,
    clause,
)
from lib.grammar.events import (
    CHANGING,
    PREDICATES,
    draw_negation,
    event,
    is_animal,
    quality,
    stressed,
)
from lib.grammar.fixed import IDIOMS, IT, OWNERS, THIS, TIMES
from lib.grammar.lexicon import FEMININES, SPECIAL_VERBS
from lib.grammar.morphology import Noun
from lib.grammar.phrases import Draft, Phrase, Sentence, noun_phrase
from lib.grammar.places import BUILDINGS, place, position

JOBS = of_kinds("job")
THINGS = tuple(noun for noun in PREDICATES if PREDICATES[noun] and noun not in PERSONS + KIN)
_LOCATED = of_kinds("small", "animal", "wear") + BUILDINGS
_EXISTING = of_kinds("animal", "small", "food", "drink", "person")
_MALE = JOBS + nouns("father", "brother", "uncle", "son", "king", "hero")
_FEMALE = nouns("mother", "sister", "aunt", "woman", "girl", "queen", "actress")
_HOT_OR_COLD = (("cold", "froid"), ("hot", "chaud"))
_LATE_OR_EARLY = (("late", "tard"), ("early", "tôt"))


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
        draft.words(*author.pick(IDIOMS[:4] if animal else IDIOMS))
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
