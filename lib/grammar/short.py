"""The shortest sentences, all of them: go . → va !, i lost . → j'ai perdu ."""

from lib.grammar.author import PERSONAL_ADJECTIVES
from lib.grammar.clauses import (
    AVAIT,
    AVOIR,
    be_clause,
    clause,
    order,
    write_adjective,
)
from lib.grammar.events import (
    TENSES,
    stressed,
)
from lib.grammar.fixed import IDIOMS, PRONOUNS
from lib.grammar.phrases import Draft, Phrase, Sentence
from lib.grammar.simple import BARE, GO
from lib.grammar.states import JOBS, write_profession


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
