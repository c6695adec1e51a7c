"""The built-in corpus: English–French sentence pairs with gold alignments (first version)."""

from random import Random

from lib.lexicon import ADJECTIVES, NOUNS, VERBS, Adjective, Noun
from lib.syntax import (
    AVAIT,
    AVOIR,
    PRONOUNS,
    Clitic,
    Draft,
    Modal,
    Phrase,
    Sentence,
    add_object,
    bare,
    be_clause,
    clause,
    genitive,
    joined,
    noun_phrase,
)

CLITICS = {
    "it": Clitic("it", "le", 0),
    "him": Clitic("him", "le", 0),
    "her": Clitic("her", "la", 1),
    "them": Clitic("them", "les", 2),
    "me": Clitic("me", "me", 0),
    "you": Clitic("you", "te", 0),
    "us": Clitic("us", "nous", 2),
}
INDIRECT = {
    "him": Clitic("him", "lui", 0),
    "her": Clitic("her", "lui", 0),
    "them": Clitic("them", "leur", 0),
    "me": Clitic("me", "me", 0),
    "you": Clitic("you", "te", 0),
    "us": Clitic("us", "nous", 0),
}
_SAME = {"i": "me us", "we": "me us", "you": "you", "he": "", "she": "", "they": ""}
_DO = {"present": "p", "progressive": "g", "past": "c", "future": "f"}
MODALS = (
    Modal("want", "wants", ("veux", "veux", "veut", "voulons", "veulent"), True),
    Modal("can", "can", ("peux", "peux", "peut", "pouvons", "peuvent"), False),
    Modal("must", "must", ("dois", "dois", "doit", "devons", "doivent"), False),
)
HOME = {"i": "moi", "you": "toi", "he": "lui", "she": "elle", "we": "nous", "they": "eux"}
IDIOMS = (
    ("hungry", "faim"),
    ("thirsty", "soif"),
    ("cold", "froid"),
    ("hot", "chaud"),
    ("afraid", "peur"),
    ("right", "raison"),
    ("wrong", "tort"),
    ("sleepy", "sommeil"),
)
TIMES = {
    "past": (("yesterday", "hier"), ("this morning", "ce matin")),
    "present": (
        ("every day", "chaque jour"),
        ("in the morning", "le matin"),
        ("in the evening", "le soir"),
    ),
    "progressive": (("now", "maintenant"), ("today", "aujourd'hui")),
    "future": (("tomorrow", "demain"), ("tonight", "ce soir"), ("today", "aujourd'hui")),
}
ADVERBS = (("often", "souvent"), ("always", "toujours"))
_OWNERS = ("my", "your", "his", "her", "our", "their")
_NUMBERS = ("two", "three", "four", "five", "ten")
_IN = {"in": "dans", "at": "à"}


def _kinds(*kinds: str) -> list[Noun]:
    return [noun for noun in NOUNS if noun.kinds & set(kinds)]


PERSONS, KIN, ANIMALS, PLACES = (
    _kinds("person"),
    _kinds("kin"),
    _kinds("animal"),
    _kinds("at", "in"),
)
THINGS = _kinds(
    "thing", "vehicle", "wear", "text", "food", "drink", "place", "show", "tale", "task"
)
_ATTRIBUTES = {
    noun: [a for a in ADJECTIVES if a.kinds & noun.kinds and a.place != "alone"] for noun in NOUNS
}
_PREDICATES = {
    noun: [
        a
        for a in ADJECTIVES
        if a.kinds & (noun.kinds | ({"person"} if "kin" in noun.kinds else set()))
    ]
    for noun in NOUNS
}
_OBJECTS = {verb: [noun for noun in NOUNS if noun.kinds & verb.objects] for verb in VERBS}
_PERSONAL = [a for a in ADJECTIVES if "person" in a.kinds]


class _Author:
    """Writes random sentences."""

    def __init__(self, seed: int):
        self.random = Random(seed).random

    def pick(self, choices):
        return choices[int(self.random() * len(choices))]

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    # Noun phrases -------------------------------------------------------------------------

    def adjectives(self, noun: Noun, probability: float) -> tuple[Adjective, ...]:
        if not self.chance(probability) or not _ATTRIBUTES[noun]:
            return ()
        first = self.pick(_ATTRIBUTES[noun])
        if first.place == "before" and self.chance(0.25):
            second = self.pick(_ATTRIBUTES[noun])
            if second.place == "after":
                return (first, second)
        return (first,)

    def determiner(self, noun: Noun, definite: bool) -> tuple[str, bool]:
        """A determiner and whether the noun is plural."""
        plural = self.chance(0.2) and "single" not in noun.kinds
        if "kin" in noun.kinds:
            return self.pick(_OWNERS), plural
        if "mass" in noun.kinds:
            return ("the" if definite else self.pick(("the", "", "some", ""))), False
        roll = self.random()
        if roll < 0.25 and "unowned" not in noun.kinds:
            return self.pick(_OWNERS), plural
        if roll < 0.35:
            return ("these" if plural else "this"), plural
        if definite or roll < 0.6:
            return "the", plural
        if plural:
            return self.pick(("some", "", *_NUMBERS, "many")), True
        return "a", False

    def phrase(self, noun: Noun, definite=False, negated=False, described=0.4) -> Phrase:
        if self.chance(0.06) and not negated and "kin" not in noun.kinds:
            return self.owned(noun)
        determiner, plural = self.determiner(noun, definite or (negated and self.chance(0.6)))
        if negated and determiner in (*_NUMBERS, "many", "some"):
            determiner = "" if plural else "the"
        probability = 0.0 if "kin" in noun.kinds else described
        return noun_phrase(determiner, noun, self.adjectives(noun, probability), plural, negated)

    def owned(self, noun: Noun) -> Phrase:
        owner = self.pick(KIN) if self.chance(0.5) else self.pick(PERSONS)
        determiner = self.pick(_OWNERS) if "kin" in owner.kinds else "the"
        plural = self.chance(0.2) and not noun.kinds & {"single", "mass"}
        return genitive(
            noun_phrase(determiner, owner), bare(noun, self.adjectives(noun, 0.3), plural)
        )

    def subject(self, animals=0.1, pronouns=0.5, definite=False) -> Phrase:
        if self.chance(pronouns):
            return self.pick(tuple(PRONOUNS.values()))
        if self.chance(animals):
            return self.phrase(self.pick(ANIMALS), definite=definite or self.chance(0.7))
        noun = self.pick(KIN) if self.chance(0.35) else self.pick(PERSONS)
        phrase = self.phrase(noun, definite=definite or self.chance(0.7), described=0.3)
        if self.chance(0.06):
            other = self.phrase(self.pick(PERSONS), definite=True, described=0.2)
            return joined(phrase, "and", "et", other)
        return phrase

    # Clauses ------------------------------------------------------------------------------

    def tense(self, uses: str):
        letter = self.pick("".join(u * w for u, w in zip("pgcfi", (4, 3, 5, 2, 2)) if u in uses))
        if letter == "i":
            return self.pick(MODALS)
        return {"p": "present", "g": "progressive", "c": "past", "f": "future"}[letter]

    def verb(self, subject: Phrase, uses="pgcfi"):
        animal = subject.noun is not None and "animal" in subject.noun.kinds
        while True:
            verb = self.pick(VERBS)
            if verb.en == "go" or (animal and "animal" not in verb.subjects):
                continue
            if set(uses) & set(verb.uses):
                return verb

    def event(self, draft: Draft, subject: Phrase, negated=False, asked=False, adjunct=0.3) -> None:
        verb = self.verb(subject)
        tense = self.tense(verb.uses)
        if (
            verb.en == "read"
            and tense == "present"
            and subject.person != 2
            and not (negated or asked)
        ):
            tense = "progressive"
        clitic = self.clitic(verb, subject) if self.chance(0.2) else None
        habit = tense == "present" and "g" in verb.uses and not asked
        negation = "not" if negated else ""
        adverb = None
        if habit and self.chance(0.2):
            if negated:
                negation = "never"
            else:
                adverb = self.pick(ADVERBS)
        written = clause(
            draft,
            subject,
            verb,
            tense,
            negation=negation,
            asked=asked,
            clitic=clitic,
            adverb=adverb,
            full=self.chance(0.15),
        )
        if verb.objects and not clitic:
            noun = self.pick(_OBJECTS[verb])
            if verb.en in ("like", "hate") and self.chance(0.6) and "kin" not in noun.kinds:
                phrase = noun_phrase(
                    "generic", noun, self.adjectives(noun, 0.3), "mass" not in noun.kinds
                )
            else:
                phrase = self.phrase(
                    noun, definite=verb.en in ("like", "hate") or bool(verb.to), negated=negated
                )
            add_object(draft, verb, written, phrase)
        if self.chance(adjunct):
            self.place(draft) if self.chance(0.4) or tense not in TIMES else self.time(draft, tense)

    def clitic(self, verb, subject: Phrase) -> Clitic | None:
        if not verb.objects or verb.to == "de" or verb.en in ("have", "want", "like", "hate"):
            return None
        if not verb.objects & {"person", "kin"}:
            return CLITICS[self.pick(("it", "them"))]
        banned = _SAME.get("".join(subject.english[:1]), "").split()
        choices = [name for name in INDIRECT if name not in banned]
        return (INDIRECT if verb.to else CLITICS)[self.pick(choices)]

    def time(self, draft: Draft, tense: str) -> None:
        english, french = self.pick(TIMES[tense])
        draft.fr(draft.en(*english.split()), *french.split())

    def place(self, draft: Draft) -> None:
        noun = self.pick(PLACES)
        preposition = "at" if "at" in noun.kinds else "in"
        draft.fr(draft.en(preposition), _IN[preposition])
        draft.both(self.phrase(noun, definite=True, described=0.25))

    def state(self, draft: Draft, subject: Phrase, was=False, negated=False, asked=False) -> None:
        full = self.chance(0.15)
        roll = self.random()
        if roll < 0.15:
            english, french = self.pick(IDIOMS)
            be_clause(
                draft,
                subject,
                was=was,
                negated=negated,
                asked=asked,
                full=full,
                forms=(AVOIR, AVAIT),
            )
            draft.fr(draft.en(english), french)
            return
        be_clause(draft, subject, was=was, negated=negated, asked=asked, full=full)
        if roll < 0.25:
            name = "".join(subject.english[:1])
            stressed = HOME.get(name) or {0: "lui", 1: "elle", 2: "eux", 3: "elles"}[subject.form]
            draft.fr(draft.en("home"), "chez", stressed)
        elif roll < 0.45:
            self.place(draft)
        else:
            adjectives = _PERSONAL if subject.noun is None else _PREDICATES[subject.noun]
            adjective = self.pick(adjectives)
            if not negated and self.chance(0.15):
                draft.fr(draft.en("very"), "très")
            draft.fr(draft.en(adjective.en), adjective.fr[subject.form])
            if subject.noun:
                draft.combinations.append(("adj", adjective.en, subject.noun.name))

    # Sentences ----------------------------------------------------------------------------

    def statement(self) -> Sentence:
        draft = Draft()
        negated = self.chance(0.25)
        self.event(draft, self.subject(definite=negated), negated=negated)
        return draft.finish()

    def question(self) -> Sentence:
        draft = Draft()
        if self.chance(0.7):
            self.event(draft, self.subject(definite=True), asked=True, adjunct=0.15)
        else:
            self.state(draft, self.subject(definite=True), was=self.chance(0.3), asked=True)
        return draft.finish("?")

    def description(self) -> Sentence:
        draft = Draft()
        if self.chance(0.5):
            self.state(draft, self.subject(definite=True), self.chance(0.3), self.chance(0.3))
            return draft.finish()
        noun = self.pick(THINGS)
        subject = self.phrase(noun, definite=True, described=0.2)
        adjective = self.pick(_PREDICATES[noun])
        was = self.chance(0.25)
        be_clause(draft, subject, was=was, negated=self.chance(0.25))
        if self.chance(0.15):
            draft.fr(draft.en("very"), "très")
        draft.fr(draft.en(adjective.en), adjective.fr[subject.form])
        draft.combinations.append(("adj", adjective.en, noun.name))
        return draft.finish()

    def order(self) -> Sentence:
        draft = Draft()
        verb = self.pick([verb for verb in VERBS if "m" in verb.uses])
        negated = self.chance(0.3)
        no = draft.en("do", "n't")[1:] if negated else ()
        main = draft.en(verb.en)
        preposition = draft.en(*verb.particle)
        if not verb.to:
            main += preposition
        if negated:
            draft.fr(no, "ne")
        draft.fr(main, verb.imperative)
        if negated:
            draft.fr(no, "pas")
        if verb.objects:
            phrase = self.phrase(self.pick(_OBJECTS[verb]), definite=bool(verb.to), negated=negated)
            if verb.to:
                draft.fr(preposition or main, verb.to)
            draft.combinations.append(
                ("verb", " ".join((verb.en, *verb.particle)), phrase.noun.name)
            )
            draft.both(phrase)
        elif self.chance(0.6):
            self.place(draft)
        return draft.finish(".", "!")

    def because(self) -> Sentence:
        draft = Draft()
        subject = self.subject(animals=0)
        self.event(draft, subject, negated=self.chance(0.15), adjunct=0.1)
        draft.fr(draft.en("because"), "parce", "que")
        if self.chance(0.5):
            self.state(draft, self.subject(definite=True))
        else:
            self.event(draft, self.subject(definite=True), adjunct=0.1)
        return draft.finish()

    def both(self) -> Sentence:
        draft = Draft()
        self.event(draft, self.subject(definite=True), adjunct=0.2)
        english, french = self.pick((("and", "et"), ("but", "mais")))
        draft.fr(draft.en(english), french)
        self.event(draft, self.subject(definite=True), negated=english == "but", adjunct=0.2)
        return draft.finish()

    def related(self) -> Sentence:
        draft = Draft()
        subject = self.phrase(self.pick(PERSONS), definite=True, described=0.2)
        draft.both(subject)
        if self.chance(0.5):
            who = Phrase(("who",), ("qui",), ((0,),), subject.person, subject.gender)
            self.event(draft, who, negated=self.chance(0.1), adjunct=0.1)
        else:
            draft.fr(draft.en("that"), "que")
            verb = self.pick([v for v in VERBS if "person" in v.objects and not v.to])
            clause(
                draft,
                self.subject(animals=0, definite=True),
                verb,
                self.tense(verb.uses),
                antecedent=subject.form,
            )
        silent = subject._replace(english=(), french=(), sources=(), combinations=())
        if self.chance(0.4):
            self.state(draft, silent)
        else:
            self.event(draft, silent, negated=self.chance(0.15), adjunct=0.2)
        return draft.finish()


def _short() -> list[Sentence]:
    """Every pronoun with every adjective and every verb that needs no object."""
    sentences = []
    for name, subject in PRONOUNS.items():
        for adjective in _PERSONAL:
            for negated in (False, True):
                draft = Draft()
                be_clause(draft, subject, negated=negated)
                draft.fr(draft.en(adjective.en), adjective.fr[subject.form])
                sentences.append(draft.finish())
        draft = Draft()
        be_clause(draft, subject)
        draft.fr(draft.en("home"), "chez", HOME[name])
        sentences.append(draft.finish())
        for verb in VERBS:
            if verb.objects and verb.en != "lose" or verb.en == "go":
                continue
            for tense in ("present", "progressive", "past"):
                if _DO[tense] in verb.uses:
                    for negation in ("", "not"):
                        draft = Draft()
                        clause(draft, subject, verb, tense, negation=negation)
                        sentences.append(draft.finish())
    for verb in VERBS:
        if not verb.objects and "m" in verb.uses:
            draft = Draft()
            draft.fr(draft.en(verb.en), verb.imperative)
            sentences.append(draft.finish(".", "!"))
    return sentences


_RECIPES = (
    ("statement", 16_000),
    ("question", 5_000),
    ("description", 6_000),
    ("order", 3_000),
    ("because", 4_000),
    ("both", 3_000),
    ("related", 3_000),
)


def generate(seed: int = 0) -> list[Sentence]:
    """All sentence pairs of the built-in corpus, in random order; the same for the same seed."""
    author = _Author(seed)
    found = {sentence.source: sentence for sentence in _short()}
    for name, count in _RECIPES:
        recipe, goal = getattr(author, name), len(found) + count
        while len(found) < goal:
            sentence = recipe()
            found.setdefault(sentence.source, sentence)
    sentences = list(found.values())
    Random(seed).shuffle(sentences)
    return sentences
