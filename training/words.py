"""The words the training text of the tiny judge is made of."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TOPICS = tuple(
    _words(topic)
    for topic in """
apple pear plum cherry orchard basket fruit branch harvest farmer ladder crate cider seed
train station platform ticket carriage passenger driver timetable signal track tunnel railway guard
ship harbour captain sail anchor cargo sailor lighthouse storm island tide port deck voyage
book library shelf author chapter page novel reader librarian poem title publisher essay cover
violin piano orchestra concert singer drum melody composer trumpet chorus song stage band rhythm
castle king queen knight tower wall throne army siege crown battle duke treaty prince
river bridge valley mountain lake forest hill waterfall meadow cliff stream canyon glacier desert
cat dog rabbit horse sheep cow goat hen duck donkey pig mouse kitten pony
eagle owl robin crow sparrow falcon heron swan nest feather wing beak penguin pelican
doctor nurse patient hospital medicine fever disease vaccine surgeon symptom clinic illness dose
teacher student school lesson classroom exam pupil homework desk grade course university lecture
planet star moon comet telescope orbit galaxy sun astronomer rocket satellite eclipse gravity Mars
atom molecule acid metal oxygen hydrogen carbon reaction liquid gas crystal laboratory chemist salt
computer program memory keyboard screen function variable loop code file bug server list array
bread butter cheese flour oven recipe kitchen cook soup sugar cake dough pepper onion
football goal team coach player match referee stadium league striker penalty pitch score champion
judge court lawyer law trial witness jury verdict contract crime police prison thief evidence
money bank coin price market shop customer loan profit tax trade merchant wage budget
house roof window door garden room stair chimney wall floor gate fence cellar attic
car road wheel engine brake truck bicycle bus garage traffic motor speed highway fuel
paint canvas painter museum sculpture portrait gallery brush statue drawing sketch artist exhibition
film actor director camera scene cinema movie script audience hero villain comedy drama thriller
rain snow wind cloud thunder winter summer spring autumn weather temperature frost fog climate
tree leaf root flower rose oak grass bush petal pine moss garden gardener tulip
president election vote minister parliament party senate government citizen mayor council
church temple monk priest prayer bishop monastery bible saint festival ritual altar pilgrim
number sum product digit fraction square remainder angle triangle circle side length area point
sentence word letter noun verb adjective vowel syllable spelling language grammar translation phrase
coat hat shirt shoe glove scarf dress button pocket wool cotton silk tailor cloth
box bag bottle jar drawer key lid marble cube token card dice pencil pen
meeting letter office manager worker email plan project report deadline client budget proposal team
dinosaur fossil bone rock layer earth volcano lava earthquake mineral coal cave stone geologist
tea coffee cup milk juice glass water breakfast lunch dinner table plate spoon fork
wolf bear lion tiger fox deer monkey elephant giraffe zoo hunter trap snake lizard
phone radio message newspaper television internet signal journalist letter news post mail wire
battery wire current lamp magnet circuit switch voltage electricity generator turbine engineer power
child mother father brother sister uncle aunt grandmother cousin family parent baby wedding friend
beach sand wave shell sea fish whale shark crab coral boat net swimmer surf
shirt jersey race runner medal swim jump marathon athlete record track trophy finish lap
dance dancer ballet step partner music floor costume waltz theatre rehearsal mirror shoe
""".strip().splitlines()
)

NAMES = _words("""
Anna Ben Clara David Emma Felix Grace Hugo Iris Jonas Kate Leo Maria Nina Oscar Paula Quinn Rosa
Sam Tara Uma Victor Wendy Yara Zoe Alice Bob Claire Dave Eve Fidel Gwen Ada Amir Bea Carl Dora
Elif Fatima George Hannah Ivan Julia Karim Lena Marta Noor Omar Petra Rafael Sofia Thomas Ursula
Vera Walter
""")

PLACES = _words("""
Paris Rome London Vienna Madrid Lisbon Cairo Tokyo Berlin Oslo Athens Lima Delhi Prague Dublin
Kyoto Toronto Naples Geneva Boston France Italy Spain Egypt Japan Norway Greece Peru India
Canada Scotland Poland Brazil Kenya Europe Africa America Asia
""")

ADJECTIVES = _words("""
red blue green yellow white black purple orange brown pink grey silver golden small large big
old new young long short tall heavy light fast slow cheap expensive warm cold quiet loud bright
dark early late first second third last left right wooden open closed empty full rare common
strong weak simple easy hard true false wide narrow clean rich poor ancient modern local royal
""")

VERBS = _words("""
holds follows meets finds carries moves opens closes builds sells buys reads writes keeps needs
uses makes takes gives shows passes reaches leaves enters joins owns counts names helps changes
turns brings sends wins loses covers crosses starts ends describes explains contains becomes
produces receives supports causes replaces
""")

PAST_VERBS = _words("""
held followed met found carried moved opened closed built sold bought read wrote kept needed
used made took gave showed passed reached left entered joined owned counted named helped changed
turned brought sent won lost covered crossed started ended described explained became produced
received supported caused replaced was
""")

UNITS = _words("""
metres minutes hours days weeks years miles pounds dollars steps points pages
""")

MONTHS = _words("""
January February March April May June July August September October November December
""")

WEEKDAYS = _words("""
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
""")

COMMON = _words("""
about above across after again all almost along already also although always among and another
any anyone anything are around ask at away back because been before behind being below best
better between both bring build but by call came can cannot case certain change check choose
claim clear come compare complete condition consider could day decide describe did different do
does done each either else enough even event every exactly example except explain fact fewer
figure find follow for found from further get given go good great group had half happen has have
he help her here him his how however idea if important in inside instead into is it item its
itself just keep kind know known later less let like list little look made main many matter mean
meaning measure middle might more most move much must name near need neither never next no none
nor not nothing now of off often on once one only option or order other our out outside over own
pair part people perhaps person place plain point position possible probably problem put quick
quite rather reach read real reason remain repeat require rest result return round rule said
same say second see seem sense sentence separate set several she should show side similar simply
since single situation some someone something sometimes sort stand start statement step still
story such suppose sure take tell than that the their them then there these they thing think
this those though thought three through time to together too total toward true try turn twice
two under unless until up upon us use usual value very was watch way we well were what when
where whether which while who whole whom whose why will with within without word work would
write wrong year yes yet you your zero four five six seven eight nine ten eleven twelve twenty
thirty hundred thousand first third fourth fifth sixth add added adding subtract subtracting
minus plus multiply divide equal equals count counting face facing forward backward north south
east west clockwise January premise conclusion valid invalid argument logic follows necessarily
passage paragraph text century born died founded located capital population empire region
""")

BASE_VERBS = _words("""
hold follow meet find carry move open close build sell buy read write keep need use make take
give show pass reach leave enter join own count name help change turn bring send win lose cover
cross start end describe explain contain become produce receive support cause replace choose
compare check repeat measure finish fall rise stand sit walk run drive fly grow cut draw paint
cook clean wash dry burn freeze melt mix press print copy sign call ask answer learn teach study
plan visit travel return stay wait watch hear listen speak say tell feel touch lift pull push
throw catch drop hide seek hunt feed drink eat sleep wake dress wear pay spend save borrow lend
owe earn trade guard protect attack defend fight lead serve
""")

GENERAL = _words("""
answer reason rule order list line row column step side part piece end start middle top bottom
front back corner edge centre group pair set number amount total sum share half quarter size
shape weight height length depth distance speed age date time hour minute day night week month
season year century morning noon evening name word letter sentence text passage paragraph page
note sign mark record report message claim fact idea thought opinion view question problem
choice option case example point detail place spot area town village city country region street
yard field path way trip visit journey man woman boy girl child person people neighbour cousin
guest visitor crowd crew member owner builder maker work job task duty trade craft tool machine
wheel handle spring blade rope string wire pipe tank food meal drink fruit bread meat oil wax
wood stone brick glass iron steel copper lead gold silver paper cloth leather paint ink dust
sand clay ash smoke fire flame heat light shadow sound noise smell taste colour red blue green
price cost gift prize reward fee change effect cause result outcome purpose use need want wish
hope fear luck chance risk danger trouble mistake error failure success
""")

ADVERBS = _words("""
first then later soon again twice once only still even just also together alone early late often
never always usually sometimes rarely already finally directly by hand at night in winter every
day for years noon order last front behind outside inside
""")
