"""The built-in corpus: English–French sentence pairs with gold alignments, made by a grammar."""

from lib.grammar.phrases import Combination, Sentence
from lib.grammar.sentences import generate

__all__ = ["Combination", "Sentence", "generate"]
