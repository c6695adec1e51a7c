"""The words of the built-in corpus: nouns, adjectives and verbs, as tables.

To add a word, add one line to a table; the comment above each table explains its columns. Plurals,
feminines and conjugations that follow the rules are derived; a `/` introduces what does not.
`kinds` say what a word means, coarsely, so that nobody eats a boat: a verb takes objects of its
kinds, an adjective describes nouns of its kinds.
"""

from dataclasses import dataclass

# French words that begin with h but take no elision: le héros, not l'héros.
H_ASPIRE = frozenset(("héros", "haricot", "haricots", "hibou", "hiboux", "huit"))


def starts_with_vowel(word: str) -> bool:
    """Whether a French word calls for elision before it (l'arbre, l'homme, but le héros)."""
    return word[0] in "aeiouyhéèêâîôœ" and word not in H_ASPIRE


def _plural_en(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _plural_fr(word: str) -> str:
    if word.endswith(("s", "x", "z")):
        return word
    return word + ("x" if word.endswith(("eau", "jeu")) else "s")


def _feminine(word: str) -> str:
    endings = {"e": "e", "x": "se", "er": "ère", "en": "enne", "el": "elle", "eur": "euse"}
    for ending in sorted(endings, key=len, reverse=True):
        if word.endswith(ending):
            return word.removesuffix(ending) + endings[ending]
    return word + "e"


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun in both languages; index the forms with `plural` (False, True)."""

    en: tuple[str, str]
    fr: tuple[str, str]
    gender: str
    kinds: frozenset[str]

    @property
    def name(self) -> str:
        """The English singular, which stands for the noun in `Sentence.combinations`."""
        return self.en[0]


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective; `fr` is indexed with (feminine) + 2 × (plural), `place` is relative to the noun.

    `before_vowel` is the masculine singular before a vowel (bel, nouvel, vieil).
    """

    en: str
    fr: tuple[str, str, str, str]
    before_vowel: str
    place: str
    kinds: frozenset[str]


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb; `present` is indexed with the person: je, tu, il or elle, nous, ils.

    Attributes:
        particle: what follows the English verb before its object ("at" in "look at").
        to: the French preposition before the object ("à" in "parler à"), or "".
        uses: the forms that make sense in English. p: simple present; g: progressive; c: past;
            f: near future; i: after another verb; m: imperative.
        subjects: kinds of noun that can do it.
        etre: whether the passé composé takes être.
    """

    en: str
    past: str
    third: str
    ing: str
    particle: tuple[str, ...]
    infinitive: str
    present: tuple[str, ...]
    participle: str
    to: str
    objects: frozenset[str]
    subjects: frozenset[str]
    uses: str
    etre: bool

    @property
    def imperative(self) -> str:
        """The form for tu: no -s after -e or in va (mange !, va !, but finis !)."""
        tu = self.present[1]
        return tu[:-1] if tu.endswith(("es", "vas")) else tu


# English[/plural]  French[/plural]  gender  kinds
# person: can be subject of most verbs; kin: family, always "my", "his" …; job: a profession;
# unowned: never with a possessive; single: no plural; mass: bread, water, takes du, de la;
# at / in: the preposition of a place; large: big ones are "grand"; hot: can be hot or cold
_NOUNS = """
man/men             homme             m  person unowned
woman/women         femme             f  person unowned
boy                 garçon            m  person young unowned
girl                fille             f  person young unowned
child/children      enfant            m  person small
friend              ami               m  person
neighbor            voisin            m  person
teacher             professeur        m  person job
doctor              médecin           m  person job
student             étudiant          m  person job
baker               boulanger         m  person job unowned
singer              chanteur          m  person job unowned
farmer              fermier           m  person job unowned
lawyer              avocat            m  person job
king                roi               m  person unowned
queen               reine             f  person unowned
actress             actrice           f  person unowned
hero/heroes         héros             m  person unowned
mother              mère              f  kin single
father              père              m  kin single
brother             frère             m  kin
sister              sœur              f  kin
uncle               oncle             m  kin
aunt                tante             f  kin
son                 fils              m  kin
daughter            fille             f  kin
grandmother         grand-mère        f  kin single
dog                 chien             m  animal
cat                 chat              m  animal
horse               cheval/chevaux    m  animal strong
bird                oiseau            m  animal
rabbit              lapin             m  animal
cow                 vache             f  animal
mouse/mice          souris            f  animal
owl                 hibou/hiboux      m  animal unowned
apple               pomme             f  food fruit
orange              orange            f  food
pear                poire             f  food fruit
egg                 œuf               m  food cook
cake                gâteau            m  food cook
tomato/tomatoes     tomate            f  food fruit
carrot              carotte           f  food
sandwich            sandwich          m  food cook
onion               oignon            m  food
bean                haricot           m  food
bread               pain              m  food mass
cheese              fromage           m  food mass national
meat                viande            f  food mass cook
chocolate           chocolat          m  food mass
rice                riz               m  food mass cook
soup                soupe             f  food mass cook hot
fish                poisson           m  food mass cook
honey               miel              m  food mass
water               eau               f  drink mass hot
milk                lait              m  drink mass hot
coffee              café              m  drink mass hot cook
tea                 thé               m  drink mass hot cook
wine                vin               m  drink mass national wine
juice               jus               m  drink mass
beer                bière             f  drink mass national
book                livre             m  text goods small national
letter              lettre            f  text small write
newspaper           journal/journaux  m  text goods national
story/stories       histoire          f  text write tale
poem                poème             m  text write tale
article             article           m  text write
novel               roman             m  text goods write national tale
hat                 chapeau           m  wear goods coloured
coat                manteau           m  wear goods coloured wash
shirt               chemise           f  wear goods coloured wash
dress               robe              f  wear goods coloured wash pretty
scarf/scarves       écharpe           f  wear goods coloured wash pretty
sweater             pull              m  wear goods coloured wash
skirt               jupe              f  wear goods coloured wash pretty
car                 voiture           f  vehicle goods coloured wash drive national
bike                vélo              m  vehicle goods coloured wash
bus/buses           bus               m  vehicle drive wait coloured
train               train             m  vehicle wait unowned
boat                bateau            m  vehicle goods coloured
truck               camion            m  vehicle goods coloured drive wash
plane               avion             m  vehicle wait unowned
table               table             f  thing goods large wash
chair               chaise            f  thing goods coloured break
bed                 lit               m  thing goods large
lamp                lampe             f  thing goods break
mirror              miroir            m  thing goods large break
clock               horloge           f  thing goods break fix
key                 clé               f  thing small
bag                 sac               m  thing goods coloured large open small
box                 boîte             f  thing coloured large open small
knife/knives        couteau           m  thing goods small wash
plate               assiette          f  thing goods wash break coloured
glass               verre             m  thing goods wash break
cup                 tasse             f  thing goods wash break coloured
bottle              bouteille         f  thing open small
umbrella            parapluie         m  thing goods coloured open small
phone               téléphone         m  thing goods break fix small
computer            ordinateur        m  thing goods break fix
ball                ballon            m  thing goods coloured small
gift                cadeau            m  thing goods open small
flower              fleur             f  thing goods coloured pretty small
tree                arbre             m  thing large
guitar              guitare           f  thing goods music break
violin              violon            m  thing goods music break
piano               piano             m  thing goods music large
ticket              billet            m  thing goods small
ring                bague             f  thing goods pretty small
painting            tableau           m  thing goods large show
house               maison            f  place in large goods coloured
garden              jardin            m  place in large pretty
kitchen             cuisine           f  place in large
bedroom             chambre           f  place in large
street              rue               f  place in calm unowned
village             village           m  place in calm pretty visit
forest              forêt             f  place in large unowned
park                parc              m  place in large unowned
city                ville             f  place in large visit
school              école             f  place at large
market              marché            m  place at large unowned
church              église            f  place at large visit unowned
hotel               hôtel             m  place at large unowned
restaurant          restaurant        m  place at unowned national
museum              musée             m  place at large visit unowned
station             gare              f  place at large unowned
hospital            hôpital/hôpitaux  m  place at large unowned
library             bibliothèque      f  place at large unowned
office              bureau            m  place at
beach               plage             f  place at large unowned
castle              château           m  place in large visit
bridge              pont              m  build large unowned
door                porte             f  part coloured open large wash
window              fenêtre           f  part open large wash break
film                film              m  show national tale
song                chanson           f  music-piece national tale write
game                jeu               m  goods tale
question            question          f  task
exercise            exercice          m  task
lesson              leçon             f  task
word                mot               m  task
idea                idée              f  thought
dream               rêve              m  thought tale
"""

# English  French[/feminine[/masculine plural[/before vowel]]]  place  kinds
# place "alone": never beside its noun, only after "is"
_ADJECTIVES = """
big          grand                         before  large vehicle
small        petit                         before  animal vehicle thing place small wear
old          vieux/vieille/vieux/vieil     before  person animal vehicle thing place text wear
new          nouveau/nouvelle/nouveaux/nouvel  before  vehicle thing wear text goods place
young        jeune                         before  person animal
beautiful    beau/belle/beaux/bel          before  animal vehicle thing place wear tale part
pretty       joli                          before  pretty
good         bon/bonne                     before  food drink text show job tale thought
bad          mauvais                       before  drink text show tale job thought
long         long/longue                   before  text show tale
red          rouge                         after   coloured fruit wine
blue         bleu                          after   coloured
green        vert                          after   coloured fruit
white        blanc/blanche                 after   coloured animal wine
black        noir                          after   coloured animal
yellow       jaune                         after   coloured fruit
gray         gris                          after   coloured animal
expensive    cher                          after   goods
heavy        lourd                         after   large-thing thing
clean        propre                        after   wash
dirty        sale                          after   wash animal
broken       cassé                         after   break
hot          chaud                         after   hot
cold         froid                         after   hot
interesting  intéressant                   after   text show tale task thought visit
difficult    difficile                     after   task
easy         facile                        after   task
important    important                     after   task thought
strange      étrange                       after   tale thought animal show place
sad          triste                        after   person tale show
funny        drôle                         after   tale show
famous       célèbre                       after   person visit show text
modern       moderne                       after   visit large vehicle
delicious    délicieux                     after   food
fresh        frais/fraîche                 after   food
happy        heureux                       after   person
tired        fatigué                       after   person animal
sick         malade                        after   person animal
rich         riche                         after   person
intelligent  intelligent                   after   person animal
strong       fort                          after   person strong
calm         calme                         after   person animal calm
curious      curieux                       after   person animal
shy          timide                        after   person
kind         gentil/gentille               after   person
serious      sérieux                       after   person
french       français                      after   person national
italian      italien                       after   person national
english      anglais                       after   person national
japanese     japonais                      after   person national
tall         grand                         alone   person
ready        prêt                          alone   person
lost         perdu                         alone   person animal
busy         occupé                        alone   person
alone        seul                          alone   person animal
"""

_CONCRETE = "animal vehicle goods thing wear place part text"

# English[/past[/ing]] [particle]; French[: present, participle]; objects; options
# Options: uses=…, to=à or de, subjects=…, and "etre" for the passé composé with être.
_VERBS = f"""
eat/ate; manger; food; subjects=person,kin,animal
drink/drank; boire: bois bois boit buvons boivent bu; drink; subjects=person,kin,animal
buy/bought; acheter: achète achètes achète achetons achètent acheté; goods food drink
sell/sold; vendre: vends vends vend vendons vendent vendu; goods food drink
see/saw/seeing; voir: vois vois voit voyons voient vu; person kin {_CONCRETE} build; uses=pcfi subjects=person,kin,animal
look at; regarder; person kin animal vehicle thing show build; subjects=person,kin,animal
look for; chercher; animal goods small place; subjects=person,kin,animal
wait for; attendre: attends attends attend attendons attendent attendu; person kin wait
listen to; écouter; person kin music-piece tale-told
read/read; lire: lis lis lit lisons lisent lu; text
write/wrote; écrire: écris écris écrit écrivons écrivent écrit; write
wear/wore; porter; wear; uses=pgfi
open; ouvrir: ouvre ouvres ouvre ouvrons ouvrent ouvert; open
close; fermer; open
wash; laver; wash
find/found; trouver; animal small wear; uses=cfi
lose/lost; perdre: perds perds perd perdons perdent perdu; small wear; uses=cf
break/broke; casser; break; uses=cf
fix; réparer; vehicle fix; uses=pgcfim
drive/drove; conduire: conduis conduis conduit conduisons conduisent conduit; drive
like; aimer; food drink music-piece show animal wear; uses=p
hate; détester; food drink music-piece; uses=p
know/knew; connaître: connais connais connaît connaissons connaissent connu; person place music-piece tale; uses=p
help; aider; person kin
call; appeler: appelle appelles appelle appelons appellent appelé; person kin
visit; visiter; visit
invite; inviter; person kin
follow; suivre: suis suis suit suivons suivent suivi; person kin animal; subjects=person,kin,animal
carry/carried; porter; small
take/took; prendre: prends prends prend prenons prennent pris; small wait
forget/forgot/forgetting; oublier; small task; uses=cfim
bring/brought; apporter; small food drink; uses=pgcfim
prepare; préparer; cook
choose/chose; choisir: choisis choisis choisit choisissons choisissent choisi; wear small goods
finish; finir: finis finis finit finissons finissent fini; text task
understand/understood; comprendre: comprends comprends comprend comprenons comprennent compris; person task tale; uses=pci
explain; expliquer; task thought
learn; apprendre: apprends apprends apprend apprenons apprennent appris; task music-piece poem
have/had; avoir: ai as a avons ont eu; animal vehicle goods small thought; uses=p
want/wanted; vouloir: veux veux veut voulons veulent voulu; animal vehicle goods food drink; uses=p
talk to; parler; person kin animal; to=à
answer; répondre: réponds réponds répond répondons répondent répondu; person kin; to=à
talk about; parler; person kin show text task thought; to=de
sleep/slept; dormir: dors dors dort dormons dorment dormi; ; subjects=person,kin,animal
work; travailler; ;
cry/cried; pleurer; ;
laugh; rire: ris ris rit rions rient ri; ;
sing/sang; chanter; music-piece;
dance; danser; ;
swim/swam/swimming; nager; ; subjects=person,kin,animal
smile; sourire: souris souris sourit sourions sourient souri; ;
win/won/winning; gagner; ; uses=cfi
run/ran/running; courir: cours cours court courons courent couru; ; subjects=person,kin,animal
come/came; venir: viens viens vient venons viennent venu; ; etre
arrive; arriver; ; etre
leave/left; partir: pars pars part partons partent parti; ; etre
fall/fell; tomber; ; etre uses=cf subjects=person,kin,animal
stay; rester; ; etre
go/went; aller: vais vas va allons vont allé; ; etre uses=pgcfi
"""


def _nouns() -> list[Noun]:
    nouns = []
    for line in _NOUNS.strip().splitlines():
        en, fr, gender, *kinds = line.split()
        en, _, en_plural = en.partition("/")
        fr, _, fr_plural = fr.partition("/")
        forms_en, forms_fr = (en, en_plural or _plural_en(en)), (fr, fr_plural or _plural_fr(fr))
        nouns.append(Noun(forms_en, forms_fr, gender, frozenset(kinds)))
    return nouns


def _adjectives() -> list[Adjective]:
    adjectives = []
    for line in _ADJECTIVES.strip().splitlines():
        en, fr, place, *kinds = line.split()
        masculine, feminine, plural, before_vowel = (*fr.split("/"), "", "", "")[:4]
        feminine, plural = feminine or _feminine(masculine), plural or _plural_fr(masculine)
        forms = (masculine, feminine, plural, feminine + "s")
        adjectives.append(Adjective(en, forms, before_vowel or masculine, place, frozenset(kinds)))
    return adjectives


def _regular(infinitive: str) -> list[str]:
    stem = infinitive.removesuffix("er")
    soft = "e" if stem.endswith("g") else ""
    return [stem + "e", stem + "es", stem + "e", stem + soft + "ons", stem + "ent", stem + "é"]


def _verbs() -> list[Verb]:
    verbs = []
    for line in _VERBS.strip().splitlines():
        english, french, objects, options = (*line.split(";"), "")[:4]
        forms, *particle = english.split()
        en, past, ing = (*forms.split("/"), "", "")[:3]
        infinitive, _, conjugation = french.strip().partition(":")
        *present, participle = conjugation.split() or _regular(infinitive)
        given = dict(option.partition("=")[::2] for option in options.split())
        stem = en.removesuffix("e")
        third = {"have": "has"}.get(en, "goes" if en == "go" else _plural_en(en))
        verbs.append(
            Verb(
                en=en,
                past=past or stem + "ed",
                third=third,
                ing=ing or stem + "ing",
                particle=tuple(particle),
                infinitive=infinitive,
                present=tuple(present),
                participle=participle,
                to=given.get("to", ""),
                objects=frozenset(objects.split()),
                subjects=frozenset(given.get("subjects", "person,kin").split(",")),
                uses=given.get("uses", "pgcfim"),
                etre="etre" in given,
            )
        )
    return verbs


NOUNS = _nouns()
ADJECTIVES = _adjectives()
VERBS = _verbs()
