"""The built-in corpus: English–French sentence pairs with gold alignments, made by a grammar.

Where English leaves a choice, French has one fixed rendering, so that a source sentence has one
translation:

- you is tu, and an order is to tu, with "!": go . → va !; let 's go is the form for nous.
- i, you, we, they and people of whom nothing is known are masculine: they is ils, the teacher is
  le professeur. Only what she is, is feminine: she 's a baker → elle est boulangère.
- The object it is le. it 's cold → il fait froid, it 's late → il est tard; before a noun phrase
  it, he, she are c': he 's my brother → c'est mon frère. A profession alone has no article:
  he 's a doctor → il est médecin.
- Simple present and progressive are both the présent; going to is aller + infinitive. The simple
  past is the passé composé, but was and were are the imparfait. "i read" is past, never present.
- Questions have est-ce que, unless who is their subject or they ask where something is.
- bread is du pain, books are des livres (de vieux livres before an adjective), after like, love
  and hate le pain, les livres; after a negated verb a, some or nothing is de: je n'ai pas de pain.
- at is à and in is dans (but en france, au japon, à paris); home is chez and a pronoun; go home is
  rentrer; every day is tous les jours, last night hier soir; can is pouvoir.
- Whether an adjective stands before or after its noun is written in `lib.grammar.lexicon`.

An alignment links each French word to the English words it translates: du ↔ some, or of + the;
both words of ne … pas ↔ not; both verbs of the passé composé ↔ the English verb, but its auxiliary
↔ did if there is one; est-ce que ↔ the English auxiliary that stands first; the articles that
English lacks ↔ their noun. English words with no counterpart have no link: do, the be of "is
eating", the to of an infinitive, the a of "a doctor".

The words are in `lexicon` and `fixed`, their forms in `morphology`, the rules of the two languages
in `phrases` and `clauses`, what makes sense in `author`, `events` and `places`, and the kinds of
sentences in `simple`, `states`, `questions`, `compound` and `short`.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from lib.grammar import compound, questions, simple, states
from lib.grammar.author import Author
from lib.grammar.phrases import Combination, Sentence
from lib.grammar.short import short_sentences

__all__ = ["MAX_WORDS", "Combination", "Sentence", "generate"]

MAX_WORDS = 25  # English tokens of the longest sentences

_TRIES = 50  # for each sentence a recipe is to write, before it is said to know no more

# Kinds of sentences, and how many of each
RECIPES: tuple[tuple[Callable[[Author], Sentence], int], ...] = (
    (simple.statement, 7000),
    (simple.with_pronoun, 2500),
    (simple.ride, 60),
    (simple.motion, 2000),
    (simple.gift, 1800),
    (simple.enjoyment, 500),
    (states.state, 2000),
    (states.thing_quality, 2000),
    (states.thing_position, 1400),
    (states.identity, 1500),
    (states.existence, 1000),
    (states.weather, 60),
    (states.reply, 400),
    (questions.question, 2200),
    (questions.where_is, 400),
    (questions.where_when_why, 1000),
    (questions.who_does, 500),
    (questions.who_or_what, 700),
    (questions.how_many, 300),
    (questions.command, 1400),
    (questions.go_and_do, 350),
    (questions.let_us, 300),
    (questions.give_me, 500),
    (questions.order_with_pronoun, 500),
    (compound.because, 2200),
    (compound.contrast, 1000),
    (compound.coordination, 1000),
    (compound.relative_subject, 1000),
    (compound.relative_thing, 1000),
    (compound.relative_object, 800),
    (compound.opinion, 700),
    (compound.doubt, 500),
    (compound.chain, 1600),
)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Spare the collector the walk over ever more sentences, none of them garbage: a third off."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_no_garbage_collection()
def generate(seed: int = 0) -> list[Sentence]:
    """All sentence pairs of the built-in corpus, in random order; the same for the same seed."""
    author = Author(seed)
    found = {sentence.source: sentence for sentence in short_sentences()}
    for recipe, count in RECIPES:
        goal = len(found) + count
        for _ in range(_TRIES * count):
            sentence = recipe(author)
            if len(sentence.source) <= MAX_WORDS:
                found.setdefault(sentence.source, sentence)
            if len(found) == goal:
                break
        else:
            raise ValueError(
                f"{recipe.__name__} wrote only {len(found) - goal + count} of {count} new "
                f"sentences in {_TRIES * count} tries: lower its count in RECIPES, "
                "or give it more words"
            )
    sentences = list(found.values())
    Random(seed).shuffle(sentences)
    return sentences
