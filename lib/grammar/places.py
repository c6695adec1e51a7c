"""Where, where to, where from: places drawn at random."""

from lib.grammar.author import KIN, PERSONS, Author, nouns, of_kinds
from lib.grammar.fixed import FIXED_PLACES, NAMED
from lib.grammar.morphology import Noun
from lib.grammar.phrases import Draft, Phrase, noun_phrase

_INSIDE, _AT, _GOALS = of_kinds("in"), of_kinds("at"), of_kinds("goal")
_ROOMS = nouns("kitchen", "bedroom", "office")
BUILDINGS = tuple(noun for noun in of_kinds("built", "near") if noun not in _ROOMS)
_HOMES = nouns("house", "village", "city", "castle")
_TOPS, _COVERS, _HOLDERS = of_kinds("top"), of_kinds("under"), of_kinds("hold")
_VESSELS = of_kinds("vessel")
_NAMES = tuple(NAMED)
_TABLE, _KITCHEN = nouns("table"), nouns("kitchen")
_MARKET = nouns("market")
_OUTSIDE = nouns("garden", "park", "street", "forest")

_TABLED = nouns("house", "garden", "kitchen", "school", "hotel", "restaurant")
# Where one does what one does not do just anywhere
_SCENES = {
    "eat": _TABLED,
    "drink": _TABLED,
    "prepare": nouns("kitchen", "restaurant"),
    "buy": _MARKET,
    "sell": _MARKET,
    "sleep": nouns("house", "garden", "bedroom", "hotel", "castle"),
    "run": nouns("garden", "street", "village", "forest", "park", "beach"),
    "work": nouns("kitchen", "village", "school", "market", "hotel", "restaurant", "museum")
    + nouns("station", "hospital", "library", "office", "garden"),
}

# Of each kind of thing: where it can be, as (English, French, nouns)
_POSITIONS = (
    ({"drink"}, (("in", "dans", _VESSELS), ("on", "sur", _TABLE), ("in", "dans", _KITCHEN))),
    ({"liquid"}, (("on", "sur", _TABLE), ("in", "dans", _KITCHEN))),
    ({"food"}, (("on", "sur", _TABLE), ("in", "dans", _HOLDERS + _KITCHEN))),
    (
        {"place", "near"},
        (
            ("near", "près de", BUILDINGS),
            ("behind", "derrière", BUILDINGS),
            ("in front of", "devant", BUILDINGS),
        ),
    ),
    (
        {"outdoor"},
        (
            ("in", "dans", _OUTSIDE),
            ("near", "près de", BUILDINGS),
            ("behind", "derrière", BUILDINGS),
        ),
    ),
    (
        {"animal"},
        (
            ("under", "sous", _COVERS),
            ("behind", "derrière", _COVERS),
            ("in", "dans", _ROOMS + _OUTSIDE + _HOMES[:1]),
            ("near", "près de", BUILDINGS),
            ("in front of", "devant", BUILDINGS),
        ),
    ),
    ({"wear"}, (("on", "sur", _TOPS), ("in", "dans", _HOLDERS + _ROOMS))),
    (
        set(),
        (
            ("on", "sur", _TOPS),
            ("on", "sur", _TOPS),
            ("under", "sous", _COVERS),
            ("in", "dans", _HOLDERS + _ROOMS),
            ("near", "près de", _TOPS),
            ("behind", "derrière", _TOPS),
        ),
    ),
)


def _positions(noun: Noun):
    return next(choices for kinds, choices in _POSITIONS if not kinds or kinds & noun.kinds)


def _name(author: Author, draft: Draft, preposition: str, column: int) -> None:
    """Write a country or city after a preposition: in paris, to japan, from italy."""
    name = author.pick(_NAMES)
    draft.words(preposition, NAMED[name][column])
    draft.words(name, NAMED[name][2])


def place(author: Author, draft: Draft, verb: str = "") -> None:
    """Write where, as suits the verb: in the garden, at the market, at school, in paris."""
    roll = author.random()
    if roll < 0.15:
        _name(author, draft, "in", 0)
    elif verb in _SCENES:
        noun = author.pick(_SCENES[verb])
        draft.words(*(("at", "à") if "at" in noun.kinds else ("in", "dans")))
        draft.phrase(noun_phrase("the", noun, author.attributes(noun, 0.2)))
    elif roll < 0.2:
        _fixed(draft, "at", author.pick(("school", "work")))
    elif roll < 0.55:
        draft.words("at", "à")
        draft.phrase(noun_phrase("the", author.pick(_AT)))
    else:
        draft.words("in", "dans")
        draft.phrase(author.phrase(author.pick(_INSIDE), definite=author.chance(0.8), plural=0.0))


def home(author: Author, draft: Draft) -> None:
    """Write where one lives: in a big house, near the station, in paris."""
    roll = author.random()
    if roll < 0.4:
        _name(author, draft, "in", 0)
    elif roll < 0.6:
        draft.words("near", "près de")
        draft.phrase(noun_phrase("the", author.pick(BUILDINGS)))
    else:
        draft.words("in", "dans")
        draft.phrase(author.phrase(author.pick(_HOMES), definite=True, plural=0.0))


def _fixed(draft: Draft, preposition: str, noun: str) -> None:
    """Write a place without an article in English: at work → au travail."""
    draft.words(preposition, "à")
    draft.words(noun, FIXED_PLACES[noun])


def goal(author: Author, draft: Draft, *, daily: bool = False) -> bool:
    """Write where to: to school, and if not daily, to japan; returns whether to a market."""
    roll = 0.15 + 0.85 * author.random() if daily else author.random()
    if roll < 0.15:
        _name(author, draft, "to", 0)
    elif roll < 0.25:
        _fixed(draft, "to", "school")  # not "to work": she is going to work → elle va travailler
    else:
        draft.words("to", "à")
        building = _building(author)
        draft.phrase(building)
        return building.nouns == _MARKET
    return False


def origin(author: Author, draft: Draft) -> None:
    """Write where from: from the market, from italy."""
    if author.chance(0.3):
        _name(author, draft, "from", 1)
    else:
        draft.words("from", "de")
        draft.phrase(_building(author))


def _building(author: Author) -> Phrase:
    noun = author.pick(_GOALS)
    adjectives = author.attributes(noun, 0.3)
    if not noun.kinds & {"unowned", "visit"} and author.chance(0.2):
        return noun_phrase(author.pick(("my", "your", "our", "their")), noun, adjectives)
    return noun_phrase("the", noun, adjectives)


def position(author: Author, draft: Draft, subject: Phrase) -> None:
    """Write where somebody or something is: on the table, near the station, at school."""
    noun = subject.nouns[0]
    if noun in PERSONS or noun in KIN:
        place(author, draft)
        return
    english, french, landmarks = author.pick(_positions(noun))
    landmark = author.pick(landmarks)
    while landmark is noun:
        landmark = author.pick(landmarks)
    draft.words(english, french)
    draft.phrase(author.phrase(landmark, definite=True, described=0.3, plural=0.0))
