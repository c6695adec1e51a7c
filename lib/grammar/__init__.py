"""The built-in corpus: English–French sentence pairs with gold alignments, made by a grammar."""

from collections.abc import Callable
from random import Random

from lib.grammar import compound, questions, simple
from lib.grammar.author import Author
from lib.grammar.phrases import Combination, Sentence

__all__ = ["MAX_WORDS", "Combination", "Sentence", "generate"]

MAX_WORDS = 25  # English tokens of the longest sentences

# Kinds of sentences, and how many of each
RECIPES: tuple[tuple[Callable[[Author], Sentence], int], ...] = (
    (simple.statement, 7000),
    (simple.with_pronoun, 2500),
    (simple.ride, 60),
    (simple.motion, 2000),
    (simple.gift, 1800),
    (simple.enjoyment, 500),
    (simple.state, 2000),
    (simple.thing_quality, 2000),
    (simple.thing_position, 1400),
    (simple.identity, 1500),
    (simple.existence, 1000),
    (simple.weather, 60),
    (simple.reply, 400),
    (questions.question, 2200),
    (questions.where_is, 400),
    (questions.where_when_why, 1000),
    (questions.who_does, 500),
    (questions.who_or_what, 700),
    (questions.how_many, 300),
    (questions.command, 1400),
    (questions.go_and_do, 350),
    (questions.let_us, 300),
    (questions.order_with_pronoun, 900),
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


def generate(seed: int = 0) -> list[Sentence]:
    """All sentence pairs of the built-in corpus, in random order; the same for the same seed."""
    author = Author(seed)
    found = {sentence.source: sentence for sentence in simple.short_sentences()}
    for recipe, count in RECIPES:
        goal = len(found) + count
        while len(found) < goal:
            sentence = recipe(author)
            if len(sentence.source) <= MAX_WORDS:
                found.setdefault(sentence.source, sentence)
    sentences = list(found.values())
    Random(seed).shuffle(sentences)
    return sentences
