"""The judges of the paper. Their prompts are the stimulus, so they are the paper's word for word.

Source: Schroeder & Wood-Doughty (2024), Figures 2a and 2b; the Head-to-Tail prompt is that of its
published scripts.
"""

from dataclasses import replace

from ..verdicts import CORRECT, INCORRECT
from .design import JudgeDesign

_SELECT = "You are a fair and objective judge tasked with selecting the strongest of the following "
_CRITERIA = (
    "Base your judgment upon the accuracy, utility, and relevance of each. Do not consider length "
    "of response, positioning of response or title of response in your judgment. Output the "
    "letter of the best response followed by an explanation, and strictly follow the following "
    'format: "Best Response: [[letter]]".'
)

JUDGE_INSTRUCTION = f"{_SELECT}responses to the provided question. {_CRITERIA}"
JUDGE_INSTRUCTION_TWO_TURNS = (
    f'{_SELECT}responses to the second provided question ("Question 2"). Question 1 is only '
    f"provided for context. {_CRITERIA}"
)

CORRECTNESS_INSTRUCTION = """\
You need to check whether the prediction of a question-answering systemto a question is correct. \
You should make the judgment based on a list of ground truth answers provided to you. Your \
response should be "correct" if the prediction is correct or "incorrect" if the prediction is wrong.
Question: Who authored The Taming of the Shrew (published in 2002)?
Ground truth: ["William Shakespeare", "Roma Gill"]
Prediction: W Shakespeare
Correctness: correct
Question: Who authored The Taming of the Shrew (published in 2002)?
Ground truth: ["William Shakespeare", "Roma Gill"]
Prediction: Roma Gill and W Shakespeare
Correctness: correct
Question: Who authored The Taming of the Shrew (published in 2002)?
Ground truth: ["William Shakespeare", "Roma Gill"]
Prediction: Roma Shakespeare
Correctness: incorrect
Question: What country is Maharashtra Metro Rail Corporation Limited located in?
Ground truth: ["India"]
Prediction: Maharashtra
Correctness: incorrect
Question: What’s the job of Song Kang-ho in Parasite (2019)?
Ground truth: ["actor"]
Prediction: He plays the role of Kim Ki-taek, the patriarch of the Kim
family.
Correctness: correct
Question:\x20
"""

_OPTIONS = """

Responses:{% for option in options %}
[{{ option.label }}]: {{ option.text }}{% endfor %}"""

LETTERS = tuple("ABCDE")
"""Labels of the five responses that the paper's judges choose from."""

BBH = JudgeDesign(
    name="BBH",
    prompt=f"""{JUDGE_INSTRUCTION}

Question: {{% if context is defined %}}Context: {{{{ context }}}}
Question: {{% endif %}}{{{{ question }}}}{_OPTIONS}""",
    verdict={"options": list(LETTERS)},
    parser={"labels": ["Best Response"]},
)

SQUAD = replace(BBH, name="SQuAD")

MT_BENCH = replace(
    BBH,
    name="MT-Bench",
    prompt=f"""{JUDGE_INSTRUCTION_TWO_TURNS}

Question 1: {{{{ turns[0] }}}}
Question 2: {{{{ turns[1] }}}}{_OPTIONS}""",
)

# The published script writes a single ground truth bare; its examples show lists as JSON.
_TRUTH = "{% if targets|length > 1 %}{{ targets|tojson }}{% else %}{{ targets[0] }}{% endif %}"

HEAD_TO_TAIL = JudgeDesign(
    name="Head-to-Tail",
    prompt=(
        f"{CORRECTNESS_INSTRUCTION}{{{{ question }}}}\n Ground truth: {_TRUTH}\n "
        "Prediction: {{ response }}\n Correctness: "
    ),
    verdict=[CORRECT, INCORRECT],
    # The first of the two words, up to a further "Question:", with which a model goes on to write
    # examples of its own.
    parser={"pattern": r"\A(?is:(?:(?!\bquestion\s*:).)*?)\b(?i:(correct|incorrect))\b"},
)

HEAD_TO_TAIL_CUT = replace(
    HEAD_TO_TAIL, prompt=HEAD_TO_TAIL.prompt.replace("{{ response }}", "{{ response[:15] }}")
)
"""Shows the first 15 characters of a prediction, as the study's script does."""

DESIGNS = {"bbh": BBH, "squad": SQUAD, "mt_bench": MT_BENCH, "head_to_tail": HEAD_TO_TAIL}
"""The designs by the names of their tasks and files."""


def is_of_paper(design: JudgeDesign) -> bool:
    """Whether a design asks and answers like one of the paper's, whatever its name."""
    return any(
        (design.prompt, design.reader.verdicts) == (own.prompt, own.reader.verdicts)
        for own in (*DESIGNS.values(), HEAD_TO_TAIL_CUT)
    )
