"""Words that are few: pronouns, verbs that take a verb, idioms, times and names of places."""

from lib.grammar.clauses import Clitic, Modal
from lib.grammar.phrases import Phrase

PRONOUNS = {
    en: Phrase((en,), (fr,), ((0,),), person, gender)
    for en, fr, person, gender in (
        ("i", "je", 0, "m"),
        ("you", "tu", 1, "m"),
        ("he", "il", 2, "m"),
        ("she", "elle", 2, "f"),
        ("we", "nous", 3, "m"),
        ("they", "ils", 4, "m"),
    )
}
IT = Phrase(("it",), ("il",), ((0,),))  # it 's raining → il pleut
THIS = Phrase(("it",), ("ce",), ((0,),))  # it 's my car → c'est ma voiture
WHO = Phrase(("who",), ("qui",), ((0,),))

# English object pronoun: French direct, indirect, after a preposition; the form of a participle
OBJECTIVE = {
    "me": ("me", "me", "moi", 0),
    "you": ("te", "te", "toi", 0),
    "him": ("le", "lui", "lui", 0),
    "her": ("la", "lui", "elle", 1),
    "us": ("nous", "nous", "nous", 2),
    "them": ("les", "leur", "eux", 2),
    "it": ("le", "", "", 0),
}
DIRECT = {en: Clitic(en, french[0], french[3]) for en, french in OBJECTIVE.items()}
INDIRECT = {en: Clitic(en, french[1]) for en, french in OBJECTIVE.items()}
OWNERS = ("my", "your", "his", "her", "our", "their")
NUMBERS = ("two", "three", "four", "five", "ten")

WANT = Modal("want", "wants", ("veux", "veux", "veut", "voulons", "veulent"), True)
LIKE = Modal("like", "likes", ("aime", "aimes", "aime", "aimons", "aiment"), True)
CAN = Modal("can", "can", ("peux", "peux", "peut", "pouvons", "peuvent"), False)
MUST = Modal("must", "must", ("dois", "dois", "doit", "devons", "doivent"), False)

# she is hungry → elle a faim; the first four also of animals, the first five a reason
IDIOMS = (
    ("hungry", "faim"),
    ("thirsty", "soif"),
    ("cold", "froid"),
    ("afraid", "peur"),
    ("sleepy", "sommeil"),
    ("right", "raison"),
    ("wrong", "tort"),
)
DEGREES = (("very", "très"), ("too", "trop"))
ADVERBS = (("often", "souvent"), ("always", "toujours"))
TIMES = {
    "past": (("yesterday", "hier"), ("this morning", "ce matin"), ("last night", "hier soir")),
    "present": (
        ("every day", "tous les jours"),
        ("every morning", "tous les matins"),
        ("in the evening", "le soir"),
    ),
    "progressive": (("now", "maintenant"), ("today", "aujourd'hui")),
    "future": (("tomorrow", "demain"), ("tonight", "ce soir"), ("today", "aujourd'hui")),
}

# English name: in or to, from, French name
NAMED = {
    "france": ("en", "de", "france"),
    "italy": ("en", "de", "italie"),
    "england": ("en", "de", "angleterre"),
    "japan": ("à le", "de le", "japon"),
    "canada": ("à le", "de le", "canada"),
    "paris": ("à", "de", "paris"),
    "london": ("à", "de", "londres"),
    "rome": ("à", "de", "rome"),
}
# Places without an article in English: French article and noun
FIXED_PLACES = {"school": "la école", "work": "le travail"}
