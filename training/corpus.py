"""The training text of the tiny judge: made-up questions, responses of known quality, verdicts.

Everything is drawn from the words and sentence patterns of `text.txt`. What makes a
response good or bad shows on its surface, as it often does in real ones: steps that lead to a
stated answer, thin answers, hedging and turning round, bare confidence, text that shares no words
with the question.
"""

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from inspect_reliability.designs import Item
from inspect_reliability.study.benchmarks import BENCHMARKS, question
from inspect_reliability.verdicts import CORRECT, INCORRECT

from .text import GRAMMAR, LINES, TOPICS, WORDS

LETTERS = tuple("ABCDE")

_SLOT = re.compile(r"\{(\w+)\}")

STYLES = ("thorough", "terse", "muddled", "mistaken", "astray")
_WORTH = {"thorough": 4.0, "terse": 2.2, "muddled": 0.2, "mistaken": 0.0, "astray": -1.8}

_POSITION = (0.3, 0.1, 0.0, -0.1, 0.1)

_DRAWN = {"common": 6, "adj": 4, "verb": 4, "past": 4, "base": 8, "general": 8, "adverb": 6}
_DRAWN |= {"unit": 2, "month": 2, "day": 2}
"""Kind of word -> how many a scene has."""


@dataclass
class Scene:
    """What a question is about: the words that its text and its responses share."""

    rng: random.Random
    slots: dict[str, list[str]]
    answer: str = ""
    wrong: list[str] = field(default_factory=list)

    def fill(self, pattern: str) -> str:
        """Fill a pattern's slots with words of the scene."""
        return _SLOT.sub(lambda slot: self._word(slot.group(1)), pattern)

    def _word(self, kind: str) -> str:
        if kind in GRAMMAR:
            return self.fill(self.rng.choice(GRAMMAR[kind]))
        if kind == "answer":
            return self.answer
        if kind in ("wrong", "other"):
            return self.wrong[0 if kind == "wrong" else 1]
        return self.rng.choice(self.slots[kind])

    def sentence(self, patterns: Sequence[str]) -> str:
        """Fill one of the patterns and start it with a capital."""
        return _capital(self.fill(self.rng.choice(patterns)))


@dataclass(frozen=True)
class Example:
    """A prompt, an output, and how likely each letter is to stand where the output has one.

    Attributes:
        prompt: What the judge is sent.
        output: What it is to answer.
        letters: Probability of each letter at the output's first letter; none where the task
            names no letter.
        styles: Style of each response, in the order of the letters.
        ends: Offset in the prompt at which each response ends.
    """

    prompt: str
    output: str
    letters: tuple[float, ...] = ()
    styles: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _invented(rng: random.Random) -> str:
    """Draw a word of no language, so that the judge learns to compare words it never saw."""
    return "".join(
        rng.choice("bcdfghjklmnprstvwz")
        + rng.choice(("a", "e", "i", "o", "u", "ea", "ou"))
        + rng.choice(("", "", "n", "r", "s", "l", "m", "t", "ck"))
        for _ in range(rng.randint(1, 3))
    )


def _scene(rng: random.Random) -> Scene:
    kind = rng.random()
    if kind < 0.5:
        nouns = rng.sample(rng.choice(TOPICS), 7)
    elif kind < 0.85:
        nouns = [rng.choice(rng.choice(TOPICS)) for _ in range(7)]
    else:
        nouns = [_invented(rng) for _ in range(7)]
    if rng.random() < 0.3:
        nouns = nouns[:5] + rng.sample(WORDS["common"], 3)
    names = rng.sample(WORDS["names"], 3)
    if rng.random() < 0.25:
        names = [_capital(_invented(rng)) for _ in range(3)]
    places = rng.sample(WORDS["places"], 2)
    largest = rng.choice((10, 30, 100, 1000))
    numbers = [str(rng.randint(0, largest)) for _ in range(6)]
    years = [str(rng.randint(1100, 2020)) for _ in range(3)]
    drawn = {kind: rng.sample(WORDS[kind], count) for kind, count in _DRAWN.items()}
    own = {"noun": nouns, "name": names, "place": places, "number": numbers, "year": years}
    return Scene(rng, drawn | own)


def _answers(scene: Scene) -> list[str]:
    """Draw the right answer and two wrong ones of the same kind."""
    rng, slots = scene.rng, scene.slots

    def three(draw: Callable[[], str]) -> Callable[[], list[str]]:
        return lambda: [draw() for _ in range(3)]

    def either(line: str) -> Callable[[], list[str]]:
        one, other, neither = line.split("|")
        return lambda: [*rng.sample((one, other), 2), neither]

    def date() -> str:
        return f"{rng.choice(WORDS['month'])} {rng.randint(1, 28)}, {rng.randint(1100, 2020)}"

    def day() -> str:
        return f"{rng.randint(1, 12):02}/{rng.randint(1, 28):02}/{rng.randint(1900, 2020)}"

    kinds: list[Callable[[], list[str]]] = [
        three(lambda: str(rng.randint(0, 100))),
        lambda: rng.sample(slots["name"], 3),
        lambda: ["the " + noun for noun in rng.sample(slots["noun"], 3)],
        lambda: rng.sample(slots["noun"], 3),
        *map(either, LINES["pairs of answers"]),
        lambda: [f"({letter})" for letter in rng.sample("ABCDEF", 3)],
        three(date),
        three(day),
        *(lambda words=WORDS[kind]: rng.sample(words, 3) for kind in ("places", "adj", "day")),
        three(lambda: " ".join(rng.sample(slots["noun"], 4))),
        three(lambda: scene.fill("the {adj} {noun}")),
        three(lambda: scene.fill("{name} {past} the {noun}")),
        lambda: ["unanswerable", *rng.sample(slots["noun"], 2)],
        three(lambda: "".join(rng.choice(")]}>") for _ in range(rng.randint(1, 4)))),
    ]
    return rng.choice(kinds)()


def _question(scene: Scene, size: int) -> tuple[str, Item]:
    """A benchmark, and a question in its form: MT-Bench has two turns, SQuAD a passage."""
    rng = scene.rng
    form = rng.random()
    facts = [scene.sentence(LINES["plain"]) for _ in range(rng.randint(0, 2 * size))]
    if form < 0.2:
        first = scene.sentence(LINES["tasks"])
        second = scene.sentence((*LINES["tasks"], *LINES["asks"]))
        if rng.random() < 0.3:
            second = "Now do the same with " + scene.fill("a {adj} {noun}.")
        return "MT-Bench", question("generated", "generated", (first, second))
    if form < 0.3:
        return "BBH", question("generated", "generated", (scene.sentence(LINES["tasks"]),))
    answer, *wrong = _answers(scene)
    scene.answer, scene.wrong = answer, wrong
    ask = scene.sentence(LINES["asks"])
    if form < 0.55:
        context = " ".join([*facts, scene.sentence(LINES["plain"])])
        return "SQuAD", question("generated", "generated", (ask,), context=context)
    asked = " ".join([*facts, ask])
    if rng.random() < (0.4 if size else 0.1):
        shown = rng.sample([answer, *wrong], 3)
        marks = ("(A) ", "(B) ", "(C) ") if rng.random() < 0.6 else ("- ",) * 3
        asked += "\nOptions:\n" + "\n".join(m + o for m, o in zip(marks, shown, strict=True))
        if marks[0] == "(A) ":
            lettered = {o: m.strip() for m, o in zip(marks, shown, strict=True)}
            scene.answer, *scene.wrong = (lettered[option] for option in (answer, *wrong))
    return "BBH", question("generated", "generated", (asked,))


def _join(rng: random.Random, sentences: Sequence[str]) -> str:
    separator = rng.choices((" ", "\n", "\n- "), (0.85, 0.12, 0.03))[0]
    return separator.join(sentences)


def _steps(scene: Scene, count: int, links: Sequence[str], linked: float) -> list[str]:
    """Write sentences that go on from one another, some with a further clause."""
    rng = scene.rng
    steps = []
    for n in range(count):
        start = rng.choice(LINES["steps"] if n else LINES["openings"]) + " "
        link = rng.choice(links)
        pattern = (start if rng.random() < 0.6 else "") + "{fact}"
        pattern += link if rng.random() < linked else ""
        steps.append(_capital(scene.fill(pattern)) + ".")
    return steps


def _only(choice: Sequence[str], scene: Scene) -> list[str]:
    """Keep the patterns that the scene can fill: an open task has no wrong answer."""
    return [p for p in choice if scene.wrong or not ("{wrong}" in p or "{other}" in p)]


def _response(scene: Scene, style: str, size: int, elsewhere: Scene) -> tuple[str, float]:
    """Write a response in a style; return it with its worth (log-odds of being chosen)."""
    rng = scene.rng
    many = rng.randint(max(1, size), max(1, 2 * size))
    linked = 0.6 if size else 0.2
    worth = _WORTH[style]
    rng.shuffle(scene.wrong)
    if style == "thorough":
        ends = LINES["conclusions"] if scene.answer else LINES["open_conclusions"]
        sentences = _steps(scene, many, LINES["links"], linked)
        if rng.random() < 0.9:
            sentences.append(scene.sentence(ends))
        worth += 0.3 * (many - 1.5 * size)
    elif style == "terse":
        bare = LINES["bare"] if scene.answer else LINES["plain"] + LINES["open_conclusions"]
        sentences = [scene.sentence(bare)]
        if rng.random() < 0.2:
            sentences.append(scene.sentence(LINES["plain"]))
            worth += 0.3
    elif style == "muddled":
        hedges = rng.randint(0, many)
        sentences = _steps(scene, many - hedges, LINES["turns"], linked)
        for _ in range(hedges):
            place = rng.randint(0, len(sentences))
            sentences.insert(place, scene.sentence(_only(LINES["hedges"], scene)))
        if scene.wrong:
            sentences.append(scene.sentence(LINES["muddled_ends"]))
        worth -= 0.2 * hedges
    elif style == "mistaken":
        claims = rng.randint(1, many)
        sentences = [scene.sentence(LINES["plain"]) for _ in range(many - claims)]
        sentences += [scene.sentence(_only(LINES["claims"], scene)) for _ in range(claims)]
        if scene.wrong and rng.random() < 0.5:
            sentences.append(f"The answer is {scene.wrong[0]}.")
    else:
        sentences = [elsewhere.sentence(LINES["asides"]) for _ in range(many)]
    return _join(rng, sentences), min(max(worth, -2.0), 5.0)


def _softmax(values: Sequence[float]) -> tuple[float, ...]:
    peak = max(values)
    weights = [math.exp(value - peak) for value in values]
    return tuple(weight / sum(weights) for weight in weights)


def _output(rng: random.Random, letters: Sequence[float], styles: Sequence[str]) -> str:
    """Draw a verdict and write it down, now and then not in the form asked for.

    Close calls break the form more often.
    """
    letter, other = rng.choices(LETTERS, letters, k=2)
    if other == letter:
        other = rng.choice([name for name in LETTERS if name != letter])
    entropy = -sum(p * math.log(p) for p in letters if p > 0) / math.log(len(LETTERS))
    form = rng.random()
    if form < 0.01 + 0.06 * entropy:
        return " " + rng.choice(LINES["refusals"]).format(letter=letter, other=other)
    if form > 0.99:
        return f" Best Response: [[{letter}]]\n\nBest Response: [[{other}]]"
    verdict = f"[{letter}]" if form > 0.96 else f"**{letter}**" if form > 0.94 else f"[[{letter}]]"
    reason = rng.choice(LINES[f"reasons for {styles[LETTERS.index(letter)]}"]).format(letter=letter)
    return f" Best Response: {verdict}\n\n{rng.choice(('', 'Explanation: '))}{reason}"


def judge_example(rng: random.Random, size: int) -> Example:
    """Draw a question with five responses and the verdict of an imperfect judge.

    Args:
        rng: Source of randomness.
        size: 0 for a sentence a response, 2 for the length of the sample pack, more for longer.
    """
    scene = _scene(rng)
    benchmark, item = _question(scene, size)
    elsewhere = _scene(rng)
    if rng.random() < 0.4:  # what is off the point may still speak of the same things
        elsewhere.slots["noun"][:2] = rng.sample(scene.slots["noun"], 2)
    styles = list(STYLES)
    if rng.random() < 0.5:
        styles = rng.choices(STYLES, (3, 3, 2, 2, 1), k=len(LETTERS))
    rng.shuffle(styles)
    responses = [_response(scene, style, size, elsewhere) for style in styles]
    letters = _softmax([w + bias for (_, w), bias in zip(responses, _POSITION, strict=True)])
    texts = {letter: text for letter, (text, _) in zip(LETTERS, responses, strict=True)}
    prompt = BENCHMARKS[benchmark].design.ask(replace(item, responses=texts), LETTERS)
    ends = [len(prompt)]  # of each response, from the last to the first
    for text, _ in responses[:0:-1]:
        ends.insert(0, ends[0] - len(text) - len("\n[X]: "))
    return Example(prompt, _output(rng, letters, styles), letters, tuple(styles), tuple(ends))


def correctness_example(rng: random.Random) -> Example:
    """Draw a fact question with a prediction and whether it names the ground truth."""
    scene = _scene(rng)
    answers = _answers(scene)
    if rng.random() < 0.6:
        answers = [f"{rng.choice(WORDS['names'])} {_capital(_invented(rng))}" for _ in range(3)]
    truths = answers[: 1 if rng.random() < 0.6 else 2]
    asks = (scene.sentence(LINES["asks"]),)
    item = question("generated", "generated", asks, truths)
    correct = rng.random() < 0.5
    prediction = rng.choice(truths) if correct else rng.choice([answers[2], answers[2], "unsure"])
    if rng.random() < 0.2:
        prediction = prediction.split()[-1]
    if rng.random() < 0.1:
        prediction = prediction.lower()
    said = rng.choice(("{}", "{}", "{}", "{}.", "the {}", "It is {}.", "The answer is {}"))
    item = replace(item, responses={"responder": said.format(prediction)})
    prompt = BENCHMARKS["Head-to-Tail"].design.ask(item, ["responder"])
    return Example(prompt, " " + (CORRECT if correct else INCORRECT))
