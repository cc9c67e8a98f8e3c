"""Sentence patterns of the training text; `{slots}` are filled with the words of a scene."""


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


FACTS = _lines("""
the {adj} {noun} {verb} the {noun}
{name} {past} the {noun} before the {noun}
there are {number} {noun}s and {number} {noun}s
{name} has {number} {noun}s
the {noun} is {adj} and the {noun} is {adj}
the {noun} is to the left of the {noun}
the {noun} comes after the {noun}
{name} is older than {name}
{name} {past} the {noun} on {day}
the {noun} costs {number} {unit}
{number} plus {number} makes {number}
{number} - {number} = {number}
{number} times {number} is {number}
not False is True
{noun} comes before {noun} in the alphabet
in {month} {year} {name} {past} the {noun} in {place}
the {noun} of {place} {past} a {adj} {noun}
{name} said that {name} tells the truth
every {noun} is a {noun}
no {noun} that {verb} the {noun} is {adj}
{name} walked {number} {unit} and turned left
{name} and {name} swapped their {noun}s
the {noun} was {past} by {name} in {year}
a {noun} {verb} a {noun} because it is {adj}
the {adj} one is not the {noun}
the date was {day}, {number} {month} {year}
the {noun} opened at {number} in the morning
most {noun}s need a {noun} that is {adj}
the {noun} was {past} in {year} after two {adj} {noun}s
{name} could not have {past} the {noun}
the {noun} and the {noun} do not count
the only {noun} left is the {adj} one
its {noun} {past} {number} {unit} from {place}
they {past} the {noun} at {number} and the {noun} at {number}
the second {noun} stands for {common}
{common} is the {adj} {noun}, {common} is the {noun}
{noun}, {noun}, {noun} and {noun}
{number}, {number} and {number}
{noun} is {common} and {noun} is {common}
nobody {past} the {noun} until {year}
the {noun} had been {past} {common} the {noun}
the sentence {common} {common} the {noun} {common}
{common} {noun} {common} {common} {noun}
""")

GRAMMAR = {
    "fact": (*FACTS, *["{clause}"] * 2 * len(FACTS)),
    "clause": _lines("""
{np} {vp}
{np} {vp}
{np} {vp}
{np} {vp} {pp}
{np} {vp} {pp}
{pp}, {np} {vp}
{np}, {np} and {np} {vp}
{np} {vp} when {np} {vp}
{np} that {vp} {vp}
{np} {vp}, not {np}
{np} {vp} and {vp}
{np}, {np} and {np}
"""),
    "np": _lines("""
the {noun}
the {noun}
the {noun}
the {adj} {noun}
the {adj} {noun}
a {noun}
{noun}s
{noun}
{name}
{name}
the {noun} of the {noun}
the {noun} and the {noun}
each {noun}
one of the {noun}s
{number} {noun}s
{number}
it
they
that
this one
the {general}
its {general}
the {noun} {pp}
"""),
    "vp": _lines("""
{verb} {np}
{past} {np}
{past} {np}
was {past} by {np}
is {adj}
is not {adj}
was {np}
are {np}
can {base} {np}
cannot {base} {np}
has to {base}
did not {base} {np}
do not {base}
was {adj} {pp}
had {number} {noun}s
{past} {pp}
came {pp}
was already {past}
turns it into {np}
holds {np} or {np}
were {past} {pp}
"""),
    "pp": _lines("""
in {np}
on the {noun}
at the {noun}
by {np}
with {np}
from {np}
before {np}
after {np}
until {number}
without {np}
near {np}
for {number} {unit}
{adverb}
{adverb}
in {year}
on {day}
in {place}
to {np}
as {np}
"""),
    "unsure": _lines("""
{np} might {base} {np}
{np} may be {adj}
{np} could be {np}
{np} could be {adj} as well
{np} seems {adj}
{np} would perhaps {base} {np}
{np} is {adj} or {adj}
{np} could also {base} {pp}
maybe {clause}
{np} is more or less {adj}
{np} or {np} {vp}
{np} is {adj} and not {adj}
{np} {vp} or not
it seems that {clause}
{np} {vp}, if at all
{np} or possibly {np}
it is {adj}, which it is not
{np} may or may not {base} {np}
{np} {vp}, I think
"""),
    "sure": _lines("""
{np} must {base} {np}
{np} must be {adj}
{np} always {verb} {np}
{np} never {past} {np}
{np} is certainly {adj}
any {noun} {verb} {np}
every {noun} is {adj}
nothing can {base} {np}
nobody can {base} {np}
{np} will {base} {np} every time
{np} is exactly {np}
{np} simply {vp}
all {noun}s are {adj}
{np} is by far the {adj} one
{np} plainly {vp}
there is only one {noun}, and it {vp}
it is a fact that {clause}
{np} makes it clear that {clause}
"""),
}
"""Patterns of the slots that are phrases themselves."""


ASKS = _lines("""
Which {noun} is {adj}?
How many {noun}s are there in all?
Who {past} the {noun}?
What is the {noun} of the {noun}?
Where is the {noun} now?
On which day did {name} see the {noun}?
Does the {noun} follow from this?
Is the argument valid or invalid?
Which statement is true?
Did {name} cause the {noun} to change?
What comes last?
When was the {noun} {past}?
What did {name} do with the {noun}?
Do you return to the {noun}?
Sort the following words: {noun} {noun} {noun} {noun}.
Is "{name} {past} the {noun}" a plausible sentence?
Find something similar to {name}, the {noun} and the {adj} {noun}.
Which of these does {name} tell the truth about?
not ( True or False ) and {noun} is
With what was the {noun} {past}?
What did {np} {base}?
Which {noun} {vp}?
Is it true that {clause}?
Why did {np} {base} {np}?
How long did {np} {base}?
""")

TASKS = _lines("""
Write a short letter about the {noun} and the {noun}.
Explain how a {noun} {verb} a {noun}.
Give advice to {name}, who has a {noun} and wants a {adj} {noun}.
Describe the {noun} so that a child understands it.
Write a story in which {name} {past} the {noun}.
Compare the {noun} with the {noun}.
Pretend to be {name} and talk about the {noun}.
Plan a visit to {place} with a {noun}.
Write a function that counts the {noun}s in a list of {noun}s.
What are the causes of a {adj} {noun}?
Name one way in which the {noun} changed the {noun}.
Now shorten it to one sentence, and keep the {noun}.
Give one argument for and one against the {noun}.
How would you {base} a {noun}?
Explain why {clause}.
Name one {noun} that can {base} {np}.
Which {noun} would you {base}, and why?
""")

OPENINGS = _lines("""
Let's work through this step by step.
Let us take it one step at a time.
Step 1:
First,
To begin with,
We are told that
Start with what is given:
The passage says that
According to the text,
The question asks about the {noun}.
Look at the {noun}.
We need to look at the {noun}.
1.
In the first {noun},
Going through the {noun}s in order,
By the first {noun},
As the text says,
""")

STEPS = _lines("""
Next,
Then
After that,
Second,
Third,
Now
From this,
Since {fact},
Because {fact},
We also know that
Step 2:
Step 3:
This gives
This means that
That leaves
Adding these up,
If {fact}, then
It is also said that
The next sentence tells that
Finally,
2.
3.
For example,
In particular,
By the second {noun},
With that,
Later,
The {noun} says the same:
""")

LINKS = _lines("""
, so {fact}
, and then {fact}
, which means that {fact}
, since {fact}
, because {fact}
, and {fact}
, while {fact}
, just as the {noun} requires
, giving {number}
, which leaves the {noun}
, as {name} {past} the {noun}
; that makes {number}
, so it cannot be the {noun}
, which rules out the {noun}
, therefore {fact}
, which agrees with the {noun}
, which is {np}
, not {np}
, so {np} {vp}
, and {np} {vp}
, so that {np} {vp}
; the next {noun} {vp}
, giving {np}
""")

CONCLUSIONS = _lines("""
Therefore the answer is {answer}.
Therefore, {answer}.
So the answer is {answer}.
So it is {answer}.
So we get {answer}.
Hence {answer}.
Hence the answer is {answer}.
Thus, the answer is {answer}.
It follows that {answer} is right.
Putting this together, the answer is {answer}.
That is why the answer is {answer}.
This leaves only {answer}, so the answer is {answer}.
The steps agree: {answer}.
Therefore we choose {answer}.
The final answer is {answer}.
Answer: {answer}
Checking again gives the same, so {answer}.
{fact}, so it is {answer}.
{fact}, and that is {answer}.
{fact} comes out as {answer}.
{fact}, which gives {answer}.
{fact}, hence {answer}.
{fact} makes {answer}.
The only one left is {answer}.
That fits the {noun} as well, so {answer}.
""")

OPEN_CONCLUSIONS = _lines("""
Therefore the {noun} matters most.
In short, the {noun} {verb} the {noun}.
So start with the {noun}, then the {noun}.
To sum up, {fact}.
That is why {fact}.
Together, these points show that {fact}.
So the {noun} has to {common} first, then the {noun}.
Since {fact}, the {noun} is the stronger.
The result keeps the {noun} and the {noun}: {fact}.
""")

BARE = _lines("""
{answer}.
{answer}
The answer is {answer}.
It is {answer}.
Answer: {answer}.
{answer}, because {fact}.
{answer}, as the {noun} shows.
It must be {answer}.
{fact}: {answer}.
{fact}: that is {answer}.
{answer}, from {number} on.
The {noun} was {answer}.
That is {answer}.
{noun}, {noun}, {noun}: {answer}.
It comes to {answer}.
""")

PLAIN = ("{fact}.",)

HEDGES = _lines("""
Maybe {fact}.
Or rather, {fact}.
I am not sure.
I'm not sure about the {noun}.
Actually, no: {fact}.
Wait, {fact}.
Hmm, {fact}.
Then again, {fact}.
It could also be {wrong}.
I think it might be {wrong}, or perhaps {other}.
Perhaps {fact}, or perhaps not.
Let me start again.
On second thought, {fact}.
But that does not fit what I said before.
But I said that {fact}, so something is off.
Or was it {wrong}?
I may have mixed up the {noun} and the {noun}.
Either way, it is hard to say.
Unless {fact}, which I cannot tell.
No, that is wrong, {fact}.
On the other hand, {fact}.
I seem to have lost count.
It is {wrong}, or actually {other}.
Possibly {fact}, but it does not matter.
Somehow {fact} and also not.
This contradicts the {noun}, but anyway.
I guess {fact}.
Both sound right and both sound odd.
The {noun} could be the {noun} too.
It should be {wrong}, only it was {other}.
{unsure}.
{unsure}.
{unsure}.
{unsure}.
{unsure}, or {unsure}.
{unsure}, but {unsure}.
{clause}, although {unsure}.
If {clause}, {unsure}.
As {clause}, {unsure}.
Both {noun} and {noun} fit, or neither.
{np} {vp}, which suggests {np}.
The two are nearly the same anyway.
""")

TURNS = _lines("""
, or rather {fact}
, or perhaps {fact}
, although {fact}
, though {fact}
, unless {fact}
, but maybe {fact}
, or the other way round
, if that counts at all
, which may mean that {fact}
, or possibly the {noun}
, or it could be the {noun}
, except that {fact}
, only {fact}
, though not really
, or {common} it
, which suggests the opposite
, more or less
, or nearly so
, but also not
, even though {fact}
, so maybe not
, or was it the {noun}
, so {unsure}
, but {unsure}
, and {unsure}
, which could mean {np}
, or {np}
, or maybe {adverb}
""")

MUDDLED_ENDS = _lines("""
So {wrong}, I suppose.
So maybe {wrong}.
So the answer is {other}, or {wrong}.
I will go with {wrong}, though the steps gave {other}.
The answer is {wrong}, or rather {other}.
Therefore {other}. Or {wrong}.
Let's say {wrong}.
It is probably {wrong}.
So it could be either.
Anyway, {wrong}.
I would put it at {wrong}, or {other}.
It could be {wrong} or {other}.
Somewhere in between I get {wrong}.
So {wrong}, if anything.
So maybe {wrong}, maybe {other}.
It was {wrong}, or something near it.
""")

CLAIMS = _lines("""
Clearly, {fact}.
Obviously {fact}.
It is obvious that the answer is {wrong}.
Without any doubt, {wrong}.
Everyone knows that {fact}.
Of course it is {wrong}.
There is no need to look at the {noun}.
No steps are needed here.
The answer is definitely {wrong}.
The answer is certainly {wrong}.
It is simply {wrong}.
Anyone can see that {fact}.
This is an easy one: {wrong}.
The {noun} always {verb} the {noun}.
It can only be {wrong}.
The only possible answer is {wrong}.
The answer is {wrong}.
It never matters what the {noun} {verb}.
{wrong}, no question.
Nothing else makes sense.
That settles it at once.
That was how every {noun} worked.
The text makes it clear that {fact}.
The text confirms that {fact}.
Any {noun} that {verb} a {noun} is {adj}, and nothing can change that.
Just {common} everything: {wrong}.
All of it is {adj}, exactly as the {noun} says.
Beyond any doubt, {fact}.
It must be {wrong}, and there is no argument against it.
As is well known, {fact}.
No {noun} has ever {past} a {noun}.
It makes no difference at all what the {noun} {verb}.
Exactly as asked, here it is: {fact}.
{sure}.
{sure}.
{sure}.
{sure}.
{sure}, and {sure}.
{sure}, so it must be {wrong}.
{clause}, and that is all there is to it.
So this is certainly {wrong}.
{sure}: {wrong}.
Most {noun}s {base} {np}, so it is {wrong}.
""")

ASIDES = _lines("""
I love a {adj} {noun}.
Speaking of {noun}s, {fact}.
By the way, the {noun} is {adj}.
My favourite {noun} is the {adj} one.
Have you ever seen a {noun}?
When I was young, the {noun} was {adj}.
{noun}s have a long history.
There are many kinds of {noun}.
People often ask about the {noun}.
My neighbour has a {noun}.
Remember to bring a {noun}.
The {noun} is popular in {place}.
A good {noun} needs a {adj} {noun}.
The {noun} of {place} is famous for its {noun}s.
It is worth visiting the {noun} in {month}.
Many people enjoy the {noun}.
You should always keep a {noun} near the {noun}.
In {place}, {fact}.
Thank you for asking!
I hope you have a nice {day}.
My cousin {verb} a {noun} that {verb} a {noun}.
A {noun} like that looks {adj} on a {noun}.
Check your {noun} before you {common} it.
Keep the {noun} {adj} and the {noun} {adj}.
Some {noun}s are {adj}, others have a {noun}.
The best {noun} I know has a {adj} {noun}.
{noun}s became popular when {noun}s grew {adj}.
If you plan a trip to {place}, {month} is a pleasant time.
Modern {noun}s often {common} when they are needed most.
As a boy {name} {past} several {noun}s.
It is a {adj} place on a {adj} {day}.
{clause}.
{clause}.
{clause}.
{clause}, which is {adj}.
{np} is good for the {noun}.
Many {noun}s now {base} {np}.
You can {base} {np} {adverb}.
{base} the {noun} and {base} it {pp}.
Do not forget your {noun} when you {base} the {noun}.
Some people {base} {adverb}, others prefer a {noun}.
These days a {noun} costs more than a {noun}.
A {adj} {noun} is a nice present for a friend.
Children like {noun}s, and so do {noun}s.
My aunt used to {base} a {noun} {pp}.
If a {noun} gets {adj}, try a little {noun}.
There is a small museum of {noun}s in {place}.
It helps to {base} the {noun} once a {noun}.
Have a look at the {noun}s {pp} if you can.
""")
