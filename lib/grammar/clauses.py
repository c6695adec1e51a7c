"""Clauses in both languages at once: tense, negation, questions, object pronouns, orders.

English comes first, then French, so that each French word can name the English words it comes
from. English words without a counterpart (do, the be of "is eating", to) stay unlinked.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lib.grammar.morphology import Adjective, Verb, agreed
from lib.grammar.phrases import Draft, Phrase, Places

BE = ("am", "are", "is", "are", "are")
WAS = ("was", "were", "was", "were", "were")
ETRE = ("suis", "es", "est", "sommes", "sont")
ETAIT = ("étais", "étais", "était", "étions", "étaient")
AVOIR = ("ai", "as", "a", "avons", "ont")
AVAIT = ("avais", "avais", "avait", "avions", "avaient")
FAIRE = ("fais", "fais", "fait", "faisons", "font")
FAISAIT = ("faisais", "faisais", "faisait", "faisions", "faisaient")
ALLER = ("vais", "vas", "va", "allons", "vont")

_SHORT = {"am": "'m", "are": "'re", "is": "'s"}
_CONTRACTING = {(word,) for word in ("i", "you", "he", "she", "we", "they", "it", "there")}


class Clitic(NamedTuple):
    """An object pronoun: English, French before the verb, the form of participles it asks for."""

    en: str
    fr: str
    form: int = 0


class Modal(NamedTuple):
    """A verb that takes another: `to` tells "want to" from "can"."""

    en: str
    third: str
    present: tuple[str, ...]
    to: bool


class Written(NamedTuple):
    """Where a clause has put its English verb and the preposition after it."""

    verb: Places
    preposition: Places


def _auxiliary(tense: str | Modal, person: int, asked: bool, negated: bool) -> str:
    """The English auxiliary: be, can, must, did, or do if the clause needs one."""
    if tense in ("progressive", "future"):
        return BE[person]
    if isinstance(tense, Modal) and not tense.to:
        return tense.en
    if not (asked or negated):
        return ""
    if tense == "past":
        return "did"
    return "does" if person == 2 else "do"


def _write_auxiliary(
    draft: Draft, auxiliary: str, subject: Phrase, negation: str, full: bool
) -> tuple[Places, Places]:
    """Write auxiliary and negation after the subject; returns both places."""
    helping: Places = ()
    if auxiliary == "can" and negation == "n't":
        helping = draft.en("ca")
    elif auxiliary:
        short = not full and negation != "n't" and subject.english in _CONTRACTING
        helping = draft.en(_SHORT.get(auxiliary, auxiliary) if short else auxiliary)
    return helping, draft.en(*negation.split())


def _write_verb(
    draft: Draft, verb: Verb, tense: str | Modal, third: bool, helped: bool
) -> tuple[Places, Places]:
    """Write the English verb after its auxiliary; returns places of the first and main verb."""
    if tense == "future":
        return draft.en("going", "to")[:1], draft.en(verb.en)
    if isinstance(tense, Modal) and tense.to:
        words = (tense.third if third else tense.en).split()
        return draft.en(*words, "to")[: len(words)], draft.en(verb.en)
    if tense == "progressive":
        main = draft.en(verb.ing)
    elif tense == "past" and not helped:
        main = draft.en(verb.past)
    else:
        main = draft.en(verb.third if third else verb.en)
    return main, main


def clause(
    draft: Draft,
    subject: Phrase,
    verb: Verb,
    tense: str | Modal,
    *,
    negation: str = "",
    asked: bool = False,
    adverb: tuple[str, str] | None = None,
    clitic: Clitic | None = None,
    preceding: int = 0,
    full: bool = False,
) -> Written:
    """Write subject and verb, as statement or question, with an object pronoun if there is one.

    Args:
        tense: "present", "progressive", "past" (passé composé), "future" (near), or a modal verb.
        negation: "", "not", "n't" or "never".
        adverb: one that stands before the English and after the French verb (often, souvent).
        preceding: the form of a direct object that stands before (la pomme que j'ai mangée).
        full: write "he is" where English allows "he 's".
    """
    person = subject.person
    auxiliary = _auxiliary(tense, person, asked, negation in ("not", "n't"))
    asking = draft.en(auxiliary) if asked else ()
    start = draft.read(subject)
    helping, no = _write_auxiliary(draft, "" if asked else auxiliary, subject, negation, full)
    helping = helping or asking
    often = draft.en(adverb[0]) if adverb else ()
    third = person == 2 and not auxiliary
    finite, main = _write_verb(draft, verb, tense, third, bool(auxiliary))
    preposition = draft.en(*verb.particle)
    main = main if verb.to else main + preposition
    pronoun = draft.en(clitic.en) if clitic else ()
    pronoun = preposition + pronoun if verb.to else pronoun

    if asked:
        draft.fr(asking, "est-ce", "que")
    draft.render(subject, start)
    draft.fr(no, *["ne"] * bool(no))
    infinitive = tense == "future" or isinstance(tense, Modal)
    if clitic and not infinitive:
        draft.fr(pronoun, clitic.fr)
    if tense == "future":
        draft.fr(finite, ALLER[person])
    elif isinstance(tense, Modal):
        draft.fr(finite if tense.to else helping, tense.present[person])
    elif tense == "past":
        draft.fr(helping or main, (ETRE if "etre" in verb.traits else AVOIR)[person])
    else:
        draft.fr(main, verb.present[person])
    if no:
        draft.fr(no, "jamais" if negation == "never" else "pas")
    if adverb:
        draft.fr(often, adverb[1])
    if clitic and infinitive:
        draft.fr(pronoun, clitic.fr)
    if infinitive:
        draft.fr(main, verb.infinitive)
    elif tense == "past":
        before = clitic.form if clitic else preceding
        draft.fr(main, agreed(verb.participle, subject.form if "etre" in verb.traits else before))
    if verb.tail:
        draft.fr(main, verb.tail)
    return Written(main, preposition)


def order(draft: Draft, verb: Verb, *, negated: bool = False, clitic: Clitic | None = None):
    """Write an imperative to tu, with an object pronoun if there is one; returns `Written`.

    help me → aide-moi, do n't help me → ne m'aide pas.
    """
    no = draft.en("do", "n't")[1:] if negated else ()
    main = draft.en(verb.en)
    preposition = draft.en(*verb.particle)
    main = main if verb.to else main + preposition
    pronoun = draft.en(clitic.en) if clitic else ()
    pronoun = preposition + pronoun if verb.to else pronoun
    if negated:
        draft.fr(no, "ne")
        if clitic:
            draft.fr(pronoun, clitic.fr)
        draft.fr(main, verb.imperative)
        draft.fr(no, "pas")
    elif clitic:
        draft.fr(main + pronoun, f"{verb.imperative}-{'moi' if clitic.fr == 'me' else clitic.fr}")
    else:
        draft.fr(main, verb.imperative)
    return Written(main, preposition)


def be_clause(
    draft: Draft,
    subject: Phrase,
    *,
    was: bool = False,
    negation: str = "",
    asked: bool = False,
    forms: tuple[Sequence[str], Sequence[str]] = (ETRE, ETAIT),
    full: bool = False,
) -> None:
    """Write subject and "be"; `forms` are present and imperfect of its French verb."""
    word = (WAS if was else BE)[subject.person]
    asking = draft.en(word) if asked else ()
    start = draft.read(subject)
    at, no = _write_auxiliary(draft, "" if asked else word, subject, negation, full)
    if asked:
        draft.fr(asking, "est-ce", "que")
    draft.render(subject, start)
    if no:
        draft.fr(no, "ne")
    draft.fr(at or asking, forms[was][subject.person])
    if no:
        draft.fr(no, "pas")


def write_object(draft: Draft, verb: Verb, written: Written, phrase: Phrase) -> None:
    """Write the object of the verb just written, with the French preposition it needs."""
    if verb.to:
        draft.fr(written.preposition or written.verb, verb.to)
    draft.combinations += [("verb", verb.name, noun.name) for noun in phrase.nouns]
    draft.phrase(phrase)


def write_adjective(draft: Draft, subject: Phrase, adjective: Adjective) -> None:
    """Write a predicative adjective that agrees with its subject."""
    draft.fr(draft.en(adjective.en), adjective.fr[subject.form])
    draft.combinations += [("adj", adjective.en, noun.name) for noun in subject.nouns]
