"""The words of the built-in corpus: nouns, adjectives and verbs, as tables.

To add a word, add one line to a table; the comment above each table explains its columns. What
`lib.grammar.morphology` derives by rule is not written; a `/` introduces an irregular form. The
last columns say what a word means, coarsely, so that nobody eats a boat: an adjective
describes nouns of its kinds, and a verb takes objects of its kinds.
"""

from lib.grammar.morphology import Adjective, Noun, Verb

# English[/plural]  French[/plural]  gender  kinds
# A few kinds steer grammar, not meaning. kin: family, always with a possessive; unowned: never with
# one; single: never plural; mass: water, bread; job: a profession (its feminine in FEMININES);
# in, at: places one can be in (dans) or at (à); goal: places one goes to; fodder: animals eat it;
# outdoor: not in houses; liquid: neither in bags nor in boxes;
# top, under, hold, vessel: things are on it, under it, in it, drinks are in it.
_NOUNS = """
man/men             homme             m  person adult unowned
woman/women         femme             f  person adult unowned
boy                 garçon            m  person unowned
girl                fille             f  person unowned
child/children      enfant            m  person
friend              ami               m  person adult
neighbor            voisin            m  person adult
teacher             professeur        m  person adult job
doctor              médecin           m  person adult job
student             étudiant          m  person job
baker               boulanger         m  person adult job unowned
singer              chanteur          m  person adult job unowned
farmer              fermier           m  person adult job unowned
lawyer              avocat            m  person adult job
king                roi               m  person adult unowned
queen               reine             f  person adult unowned
actress             actrice           f  person adult unowned
hero/heroes         héros             m  person unowned
mother              mère              f  kin single
father              père              m  kin single
brother             frère             m  kin
sister              sœur              f  kin
uncle               oncle             m  kin
aunt                tante             f  kin
son                 fils              m  kin
grandmother         grand-mère        f  kin single
dog                 chien             m  animal pet
cat                 chat              m  animal pet
horse               cheval/chevaux    m  animal pet outdoor
bird                oiseau            m  animal
rabbit              lapin             m  animal pet
cow                 vache             f  animal pet outdoor
mouse/mice          souris            f  animal
owl                 hibou/hiboux      m  animal unowned outdoor
apple               pomme             f  food fruit fodder
orange              orange            f  food
pear                poire             f  food fruit
egg                 œuf               m  food fresh
cake                gâteau            m  food cook
tomato/tomatoes     tomate            f  food fruit
carrot              carotte           f  food fodder
sandwich            sandwich          m  food cook
onion               oignon            m  food
bean                haricot           m  food
bread               pain              m  food mass fresh fodder
cheese              fromage           m  food mass national fodder
meat                viande            f  food mass cook fodder
chocolate           chocolat          m  food mass
rice                riz               m  food mass cook
soup                soupe             f  food mass cook hot finish liquid
fish                poisson           m  food mass cook fresh fodder
honey               miel              m  food mass liquid
water               eau               f  drink mass hot fodder
milk                lait              m  drink mass hot fodder fresh
coffee              café              m  drink mass hot cook tasty
tea                 thé               m  drink mass hot cook tasty
wine                vin               m  drink mass national wine tasty costly
juice               jus               m  drink mass
beer                bière             f  drink mass national tasty
book                livre             m  text goods small national finish
letter              lettre            f  text small write finish reply
newspaper           journal/journaux  m  text goods national
story/stories       histoire          f  text write tale told
poem                poème             m  text write tale learn told finish
article             article           m  text write finish
novel               roman             m  text goods write national tale finish
hat                 chapeau           m  wear goods coloured
coat                manteau           m  wear goods coloured wash
shirt               chemise           f  wear goods coloured wash
dress               robe              f  wear goods coloured wash pretty
scarf/scarves       écharpe           f  wear goods coloured wash pretty
sweater             pull              m  wear goods coloured wash
skirt               jupe              f  wear goods coloured wash pretty
car                 voiture           f  vehicle goods coloured wash drive national fix
bike                vélo              m  vehicle goods coloured wash fix
bus/buses           bus               m  vehicle drive ride coloured unowned
train               train             m  vehicle ride unowned
boat                bateau            m  vehicle goods coloured build fix
truck               camion            m  vehicle goods coloured drive wash fix
plane               avion             m  vehicle ride unowned
table               table             f  thing goods large wash top under heavy
chair               chaise            f  thing goods coloured break top under
bed                 lit               m  thing goods large top under heavy
lamp                lampe             f  thing goods break
mirror              miroir            m  thing goods large break heavy
clock               horloge           f  thing goods break fix
key                 clé               f  thing small
bag                 sac               m  thing goods coloured large open close hold heavy carry
box                 boîte             f  thing coloured large open close hold heavy carry top
knife/knives        couteau           m  thing goods small wash
plate               assiette          f  thing goods wash break coloured
bowl                bol               m  thing goods wash break coloured vessel
cup                 tasse             f  thing goods wash break coloured vessel
bottle              bouteille         f  thing open close small carry vessel
umbrella            parapluie         m  thing goods coloured open close small carry
phone               téléphone         m  thing goods break fix small
computer            ordinateur        m  thing goods break fix
ball                ballon            m  thing goods coloured small carry
gift                cadeau            m  thing goods open small carry
flower              fleur             f  thing goods coloured pretty small
tree                arbre             m  thing large under draw
guitar              guitare           f  thing goods music break
violin              violon            m  thing goods music break
piano               piano             m  thing goods music large heavy
ticket              billet            m  thing goods small
ring                bague             f  thing goods pretty small
painting            tableau           m  thing goods large show heavy
house               maison            f  place in large goods coloured built build draw clean
garden              jardin            m  place in large pretty
kitchen             cuisine           f  place in large built clean
bedroom             chambre           f  place in large built clean
street              rue               f  place in calm long unowned
village             village           m  place in calm pretty visit goal
forest              forêt             f  place in large unowned
park                parc              m  place in large goal unowned
city                ville             f  place in large visit unowned
school              école             f  place in at goal large built
market              marché            m  place at goal large unowned
church              église            f  place in at goal large visit built unowned
hotel               hôtel             m  place in at goal large built unowned clean costly
restaurant          restaurant        m  place in at goal unowned national built fine costly
museum              musée             m  place in at goal large visit built unowned
station             gare              f  place at goal large built unowned
hospital            hôpital/hôpitaux  m  place in at goal large built unowned
library             bibliothèque      f  place in at goal large built unowned
office              bureau            m  place in at goal
beach               plage             f  place at goal large unowned
castle              château           m  place in large visit goal draw
bridge              pont              m  near build large long under unowned
door                porte             f  part coloured open close large wash
window              fenêtre           f  part open close large wash break
film                film              m  show national tale
song                chanson           f  tune national tale write learn
question            question          f  task reply
exercise            exercice          m  task finish
lesson              leçon             f  task learn
word                mot               m  task learn
idea                idée              f  thought
dream               rêve              m  thought tale
"""

# The French feminine of a profession: she is a baker → elle est boulangère.
FEMININES = {
    "teacher": "professeure",
    "doctor": "médecin",
    "student": "étudiante",
    "baker": "boulangère",
    "singer": "chanteuse",
    "farmer": "fermière",
    "lawyer": "avocate",
}

# English  French[/feminine[/masculine plural[/before vowel]]]  place  kinds
# place: before or after the French noun; "alone": never beside a noun, only after "is"; "beside":
# before the noun and never after "is"
_ADJECTIVES = """
big          grand                             before  large vehicle
small        petit                             before  animal vehicle thing place small wear
old          vieux/vieille/vieux/vieil         before  adult animal vehicle thing place text wear
new          nouveau/nouvelle/nouveaux/nouvel  beside  vehicle thing wear text goods built
young        jeune                             before  adult animal
beautiful    beau/belle/beaux/bel              before  animal vehicle thing place wear tale
pretty       joli                              before  pretty
good         bon/bonne                         before  food tasty fine text show job tale thought
bad          mauvais                           before  tasty fine text show tale job thought
long         long/longue                       before  text tale long
red          rouge                             after   coloured fruit wine
blue         bleu                              after   coloured
green        vert                              after   coloured fruit
white        blanc/blanche                     after   coloured animal wine
black        noir                              after   coloured animal
yellow       jaune                             after   coloured fruit
gray         gris                              after   coloured animal
expensive    cher                              alone   goods costly
heavy        lourd                             after   heavy
clean        propre                            after   wash clean
dirty        sale                              after   wash clean animal
broken       cassé                             after   break
hot          chaud                             after   hot
cold         froid                             after   hot
interesting  intéressant                       after   text show tale task thought visit
difficult    difficile                         after   task
easy         facile                            after   task
important    important                         after   task thought
strange      étrange                           after   tale thought animal show place
sad          triste                            after   person tale show
funny        drôle                             after   tale show
famous       célèbre                           after   person visit show text
modern       moderne                           after   built vehicle
delicious    délicieux                         after   food tasty
fresh        frais/fraîche                     after   fresh
happy        heureux                           after   person
tired        fatigué                           after   person animal
sick         malade                            after   person animal
rich         riche                             after   person
intelligent  intelligent                       after   person animal
strong       fort                              alone   person
calm         calme                             after   person animal calm
curious      curieux                           after   person animal
shy          timide                            after   person
kind         gentil/gentille                   before  person
serious      sérieux                           after   person
french       français                          after   person national
italian      italien                           after   person national
english      anglais                           after   person national
japanese     japonais                          after   person national
tall         grand                             alone   person
ready        prêt                              alone   person
lost         perdu                             alone   person animal
busy         occupé                            alone   person
alone        seul                              alone   person animal
"""

# Adjectives that are never "very" or "too".
_UNGRADED = """
red blue green white black yellow gray french italian english japanese
delicious broken ready lost alone
"""

# English[/past[/ing]] [particle]; French[: present, participle]; objects; options
# Options: with the passé composé with "etre"; to=à or de before the French object; tail=besoin
# after the finite verb; uses=… and by=… as in `Verb`; "where", "with", "for": it goes with a place,
# a companion, somebody it is done for; "gives": it takes "to somebody"; "bare": it also stands
# without its object; "definite": its object is a known one.
_VERBS = """
eat/ate; manger; food; by=animal where bare with
drink/drank; boire: bois bois boit buvons boivent bu; drink; by=animal where with
buy/bought; acheter: achète achètes achète achetons achètent acheté; goods food drink; where for
sell/sold; vendre: vends vends vend vendons vendent vendu; goods food drink; where
see/saw/seeing; voir: vois vois voit voyons voient vu; \
    person kin animal vehicle thing wear place part show near; uses=pcfi by=animal where
look at; regarder; person kin animal vehicle thing show near wear; by=animal bare
look for; chercher; animal goods small at; by=animal uses=pgcim where with for
wait for; attendre: attends attends attend attendons attendent attendu; person kin ride; where bare
listen to; écouter; person kin tune told; bare
read/read; lire: lis lis lit lisons lisent lu; text; where
write/wrote; écrire: écris écris écrit écrivons écrivent écrit; write; for
wear/wore; porter; wear; uses=pgc
open; ouvrir: ouvre ouvres ouvre ouvrons ouvrent ouvert; open
close; fermer; close
wash; laver; wash
find/found; trouver; animal small wear; uses=cfi where
lose/lost; perdre: perds perds perd perdons perdent perdu; small wear; uses=c where bare
break/broke; casser; break; uses=cf
fix; réparer; fix
drive/drove; conduire: conduis conduis conduit conduisons conduisent conduit; drive; bare
draw/drew; dessiner; draw animal; for
build/built; construire: construis construis construit construisons construisent construit; build
feed/fed; nourrir: nourris nourris nourrit nourrissons nourrissent nourri; animal
love; adorer; food drink tune show animal text; uses=p definite
like; aimer; food drink tune show animal wear text place; uses=p definite
hate; détester; food drink tune show; uses=p definite
know/knew; connaître: connais connais connaît connaissons connaissent connu; \
    person at tune visit; uses=p
help; aider; person kin; where
meet/met; rencontrer; person; uses=cfi where
call; appeler: appelle appelles appelle appelons appellent appelé; person kin
invite; inviter; person kin
follow; suivre: suis suis suit suivons suivent suivi; person kin animal; by=animal
visit; visiter; visit
carry/carried; porter; carry
take/took; prendre: prends prends prend prenons prennent pris; small ride
forget/forgot/forgetting; oublier; small learn; uses=cm bare definite
bring/brought; apporter; small food drink; for
prepare; préparer; cook; where with for
choose/chose; choisir: choisis choisis choisit choisissons choisissent choisi; wear small goods; for
finish; finir: finis finis finit finissons finissent fini; finish; definite
understand/understood; \
    comprendre: comprends comprends comprend comprenons comprennent compris; \
    person task tale; uses=pc bare definite
explain; expliquer; task thought
learn; apprendre: apprends apprends apprend apprenons apprennent appris; learn
have/had; avoir: ai as a avons ont eu; animal vehicle goods small thought; uses=p
want/wanted; vouloir: veux veux veut voulons veulent voulu; pet vehicle goods food drink; uses=p
need; avoir: ai as a avons ont eu; vehicle goods small; to=de tail=besoin uses=p
talk to; parler; person kin; to=à where
answer; répondre: réponds réponds répond répondons répondent répondu; person kin reply; to=à
talk about; parler; person kin show text task thought; to=de
play; jouer; music; to=de where with
give/gave; donner; small pet; gives
show/showed; montrer; small wear show; gives
send/sent; envoyer: envoie envoies envoie envoyons envoient envoyé; small; gives
lend/lent; prêter; small goods; gives
sleep/slept; dormir: dors dors dort dormons dorment dormi; ; by=animal where
work; travailler; ; where with
cry/cried; pleurer; ; where
laugh; rire: ris ris rit rions rient ri
sing/sang; chanter; tune; where bare with
dance; danser; ; where with
swim/swam/swimming; nager; ; by=animal with
smile; sourire: souris souris sourit sourions sourient souri
win/won/winning; gagner; ; uses=cfi
run/ran/running; courir: cours cours court courons courent couru; ; by=animal where
come/came; venir: viens viens vient venons viennent venu; ; etre with
come/came back; revenir: reviens reviens revient revenons reviennent revenu; ; etre with
arrive; arriver; ; etre uses=gcf by=ride with
leave/left; partir: pars pars part partons partent parti; ; etre by=ride with
go/went out; sortir: sors sors sort sortons sortent sorti; ; etre with
come/came in; entrer; ; etre
fall/fell; tomber; ; etre uses=cf by=animal where
stay; rester; ; etre uses=pcfim with
"""

# Verbs that the rules call by name: motion, weather, living, opinions.
_SPECIAL_VERBS = """
go/went to; aller: vais vas va allons vont allé; ; etre
go/went home; rentrer; ; etre
live; habiter; ; uses=p
rain; pleuvoir: - - pleut - - plu; ; uses=gcf
snow; neiger; ; uses=gcf
think/thought; penser; ; uses=p
know/knew; savoir: sais sais sait savons savent su; ; uses=p
say/said; dire: dis dis dit disons disent dit; ; uses=p
"""


NOUNS = tuple(map(Noun.read, _NOUNS.strip().splitlines()))
ADJECTIVES = tuple(map(Adjective.read, _ADJECTIVES.strip().splitlines()))
VERBS = tuple(map(Verb.read, _VERBS.strip().splitlines()))
SPECIAL_VERBS = {verb.name: verb for verb in map(Verb.read, _SPECIAL_VERBS.strip().splitlines())}
UNGRADED = frozenset(_UNGRADED.split())
