"""Files whose columns have names of another language: one call names all of them."""

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import invoke
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.guess import likely_ways
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import judgments_from, judgments_from_frame

NAMES = {
    "German": ("Frage", "Antworttext", "Richter", "Durchgang", "Note", "Mensch"),
    "Spanish": ("pregunta", "respuesta", "juez", "vuelta", "puntuación", "humano"),
    "letters": ("a", "b", "c", "d", "e", "f"),
}


def graded(names: tuple[str, ...], judges: int = 2, tries: int = 3) -> pd.DataFrame:
    """Grades from 1 to 5 of 30 questions, near those of a person."""
    question, text, judge, number, grade, label = names
    rng = np.random.default_rng(len(names[0]))
    person = rng.integers(1, 6, 30)
    rows = [
        {
            question: f"F{q:03d}",
            text: f"a long answer to question {q}",
            judge: f"model {j}",
            number: r,
            grade: int(np.clip(person[q] + rng.integers(-1, 2), 1, 5)),
            label: int(person[q]),
        }
        for q in range(30)
        for j in range(judges)
        for r in range(1, tries + 1)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1, ignore_index=True)


@pytest.mark.parametrize("language", NAMES)
@pytest.mark.parametrize("kept", [(1, 1), (0, 1), (1, 0), (0, 0)])
def test_columns_are_known_by_their_values(language: str, kept: tuple[int, int]) -> None:
    """With several judges or one, numbered tries or one; in any order of columns."""
    names = NAMES[language]
    question, _, judge, number, grade, label = names
    frame = graded(names, *(2 if one else 1 for one in kept))
    frame = frame.drop(columns=[*[judge] * (not kept[0]), *[number] * (not kept[1])])
    expected: Mapping[str, str] = {
        question: "question",
        grade: "verdict",
        label: "label",
        **({judge: "judge"} if kept[0] else {}),
        **({number: "replication"} if kept[1] else {}),
    }
    assert likely_ways(frame, Reading())[0].columns == expected


@pytest.mark.slow
def test_the_call_that_an_error_proposes_runs(tmp_path: Path) -> None:
    """It is complete, and what it saves reads the file from then on."""
    file, saved = tmp_path / "noten.csv", tmp_path / "reading.yaml"
    graded(NAMES["German"]).to_csv(file, index=False, sep=";")
    refused = invoke("report", str(file))
    assert refused.exit_code == 2
    call = shlex.split(refused.stderr.splitlines()[-1])
    assert call[:2] == ["inspect-reliability", "read"]
    assert not invoke(*call[1:-1], str(saved)).exit_code
    run = invoke("read", str(file), "--reading", str(saved))
    assert "Read: 2 judges x 30 questions x 3 tries; labels of 30 questions" in run.stdout


@pytest.mark.slow
def test_the_texts_that_were_judged_are_proposed(tmp_path: Path) -> None:
    """Where they are known, a person can label them; a comment on each row is no such text."""
    frame = graded(NAMES["German"]).assign(
        Anmerkung=lambda rows: "weil es stimmt, Nr. " + rows["Frage"]
    )
    frame["Begründung"] = [f"because of reason number {n}" for n in range(len(frame))]
    file = tmp_path / "noten.csv"
    for columns, found in (
        (frame.drop(columns="Anmerkung"), "Antworttext"),
        (frame, "Antworttext"),
        (frame.drop(columns="Antworttext"), "Anmerkung"),
        (frame.rename(columns={"Antworttext": "X"}), None),
    ):
        columns.to_csv(file, index=False)
        asked = invoke("report", str(file)).stderr
        assert ("=output" in asked) == (found is not None)
        assert found is None or f"{found!r} the output" in asked


@pytest.mark.slow
def test_a_temperature_is_no_judge() -> None:
    """Also with a comma, and where the first rows are of some judges alone."""
    cells = product(["l", "s", "g"], ["0,5", "1,0"], range(30), range(40))
    frame = pd.DataFrame(cells, columns=["Richter", "Temperatur", "Frage", "_"])
    frame = frame.assign(Urteil=np.random.default_rng(1).choice([*"ABC"], len(frame)))
    found = {**likely_ways(frame.drop(columns="_"), Reading())[0].columns}
    assert found == {
        **{"Richter": "judge", "Temperatur": "temperature"},
        **{"Frage": "question", "Urteil": "verdict"},
    }


def test_columns_that_could_each_be_verdicts_are_not_guessed() -> None:
    """Criteria, or tries side by side, are asked about."""
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.integers(1, 6, (60, 3)), columns=["x", "y", "z"])
    wide["who"] = [f"q{i % 20}" for i in range(60)]
    assert likely_ways(wide, Reading())[0].columns == {}


@pytest.mark.parametrize("columns", [["id", "label"], ["qid", "human label", "weight"]])
def test_a_file_of_labels_is_not_taken_for_judgments(tmp_path: Path, columns: list[str]) -> None:
    """It has no verdict, and no column is guessed to be one."""
    rows = [[f"q{n}", "CI"[n % 2], 1.0 + n % 3][: len(columns)] for n in range(12)]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "l.csv", index=False)
    done = invoke("report", tmp_path / "l.csv")
    assert done.exit_code == 2
    assert "give this one with --labels" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_columns_that_are_guessed_are_a_question(tmp_path: Path) -> None:
    """Where values show every column, the message begins with a question whose command runs."""
    file = tmp_path / "noten.csv"
    rows = [
        f"f{q};{j};{q * t % 5 + 1};{q % 5 + 1}" for q in range(9) for j in "ab" for t in range(3)
    ]
    file.write_text("\n".join(["frage;richter;urteil;mensch", *rows]))
    asked = invoke("report", str(file))
    assert asked.exit_code == 2
    columns = "'frage' the question, 'richter' the judge, 'urteil' the verdict"
    assert asked.stderr.startswith(f"Is {columns} and 'mensch' the label?")
    assert "Error" not in asked.stderr
    (command,) = re.findall(r"^  inspect-reliability (.*)$", asked.stderr, re.MULTILINE)
    words = shlex.split(command.replace("reading.yaml", str(tmp_path / "reading.yaml")))
    assert invoke(*words).exit_code == 0
    assert invoke("read", str(file), "--reading", str(tmp_path / "reading.yaml")).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("passed", ("true", "false")),
        ("correct", ("True", "False")),
        ("is_correct", ("0", "1")),
        ("Is Correct", ("True", "False")),
    ],
)
def test_a_column_that_says_passed_is_the_verdict(
    name: str, values: tuple[str, str], tmp_path: Path
) -> None:
    """It is taken and said, unless its values, or another column, leave it open."""
    rows = [(f"q{q}", values[q * t % 2]) for q in range(9) for t in range(3)]
    frame = pd.DataFrame(rows, columns=["id", name])
    file = tmp_path / "passed.csv"
    frame.to_csv(file, index=False)
    done = invoke("read", str(file))
    assert done.exit_code == 0, done.output
    assert f"column '{name}' taken for 'verdict'" in " ".join(done.output.split())
    for other in (
        frame.assign(**{name: frame[name].map(lambda one: f"{one}!")}),
        frame.assign(urteil=frame[name]),
    ):
        with pytest.raises(UserError):
            judgments_from_frame(other)


def wide(label: str, tries: tuple[str, ...], blank: bool) -> pd.DataFrame:
    """A row a question, with grades side by side and those of a person, perhaps of a half."""
    rng = np.random.default_rng(3)
    person = rng.integers(1, 6, 40)
    own = pd.array([None if blank and q % 2 else int(one) for q, one in enumerate(person)], "Int64")
    names = ["Frage", "Antwort", label]
    columns = [[f"Frage {q} von 40" for q in range(40)], [f"Antwort {q}" for q in range(40)], own]
    graded = {name: np.clip(person + rng.integers(-1, 2, 40), 1, 5) for name in tries}
    return pd.DataFrame(dict(zip(names, columns, strict=True)) | graded)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "tries", "blank"),
    [
        ("Bewertung Mensch", ("KI 1", "KI 2", "KI 3"), True),
        ("Nota humana", ("nota0", "nota1", "nota2", "nota3"), False),
        ("Note", ("Lauf 1 (KI)", "Lauf 2 (KI)"), True),
        ("Mensch", ("gpt-4", "claude"), True),
    ],
)
def test_a_label_beside_columns_of_verdicts_is_none_of_them(
    label: str, tries: tuple[str, ...], blank: bool, tmp_path: Path
) -> None:
    """It is named for people, or half empty; one command says all, also what was typed."""
    file, saved = str(tmp_path / "noten.xlsx"), str(tmp_path / "reading.yaml")
    frame = wide(label, tries, blank)
    frame.to_excel(file, index=False)
    said = {"Frage": "question", label: "label", **dict.fromkeys(tries, "verdict")}
    some = [dict[str, str](), {label: "label"}, {"Antwort": "unused"}]
    some += [dict.fromkeys(tries, "verdict")] * (len(tries) > 1)
    for typed in some if label == "Note" else some[:1]:
        words = [word for one in typed.items() for word in ("--column", "=".join(one))]
        asked = invoke("report", file, *words, "--abstain", "0")
        assert asked.exit_code == 2
        call = shlex.split(asked.stderr.splitlines()[-1])
        assert call[:3] == ["inspect-reliability", "read", file]
        columns = [call[n + 1] for n, word in enumerate(call) if word == "--column"]
        assert {*columns} == {"=".join(one) for one in (said | typed).items()}
        assert call[-4:-1] == ["--abstain", "0", "--save"]
    assert not invoke(*call[1:-1], saved).exit_code
    run = invoke("read", file, "--reading", saved)
    judges = len(tries) if tries[0] == "gpt-4" else 1
    tried = f"{len(tries) // judges} tr"
    read = f"{f'{judges} judges x ' * (judges > 1)}40 questions x {tried}"
    assert f"Read: {read}" in run.stdout
    assert f"labels of {int(frame[label].notna().sum())} questions" in run.stdout


GRADES = np.random.default_rng(5).integers(2, 11, (24, 8)) / 2
"""Grades from 1 to 5 with half steps: of a person, another, and six verdicts, by question."""

DATES = [f"{1 + q % 28:02d}.{1 + q % 3:02d}.2026" for q in range(24)]
NOTES = ["" if q % 3 else f"bitte {q % 5} prüfen" for q in range(24)]


def side_by_side(question: str, judged: dict[str, int], people: dict[str, int]) -> pd.DataFrame:
    """A row a question: a number, grades side by side, labels with gaps, a comment and a date."""
    of_people = {
        n: [None if q % 4 == c else one[c] for q, one in enumerate(GRADES)]
        for n, c in people.items()
    }
    own = {name: GRADES[:, column] for name, column in judged.items()}
    first = {question: range(1, 25), "Kommentar": NOTES}
    return pd.DataFrame(first | own | of_people | {"Datum": DATES})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judged", "people", "found"),
    [
        (("GPT-4 Lauf {}", "Claude 3 Lauf {}"), ["Mensch"], [("GPT-4", 1), ("Claude 3", 3)]),
        (("Essai {} juge A", "Essai {} juge B"), ["note humaine"], [("juge A", 1), ("juge B", 3)]),
        (("juez_{}",), ["experto"], [("juez_1", 1), ("juez_3", 1)]),
        (("Richter {}",), ["Mensch 1", "Mensch 2"], [("Richter 1", 1), ("Richter 3", 1)]),
        (("KI {}",), ["Mensch A", "Mensch B"], [(None, 1), (None, 3)]),
    ],
)
def test_judges_with_their_tries_side_by_side(
    judged: tuple[str, ...], people: list[str], found: list[tuple[str | None, int]], tmp_path: Path
) -> None:
    """One question, whose command reads every verdict and label where its name says."""
    names = [one.format(n) for one in judged for n in (1, 2, 3)]
    columns = {name: 2 + n for n, name in enumerate(names)}
    frame = side_by_side("Nr", columns, {name: n for n, name in enumerate(people)})
    frame.to_csv(tmp_path / "noten.csv", index=False, sep=";", decimal=",")
    asked = invoke("report", tmp_path / "noten.csv")
    assert asked.exit_code == 2
    call = shlex.split(asked.stderr.splitlines()[-1])
    assert not invoke(*call[1:-1], tmp_path / "reading.yaml").exit_code
    table = judgments_from(str(tmp_path / "noten.csv"), reading=tmp_path / "reading.yaml").table
    assert len(table) == 24 * len(names)
    for (judge, number), column in zip(found, (2, 1 + len(names)), strict=True):
        who = table["judge"].isna() if judge is None else table["judge"] == judge
        given = table[who & (table["replication"] == number)]
        assert given["question"].map(int).tolist() == [*range(1, 25)]
        assert given["verdict"].map(float).tolist() == GRADES[:, column].tolist()
    labels = dict(zip(table["question"], table["label"], strict=True))
    for q, one in enumerate(GRADES):
        expected = [f"{one[c]:g}" for c in range(len(people)) if q % 4 != c]
        known = labels[str(q + 1)]
        assert (known or ()) == (tuple(expected) if len(expected) > 1 else "".join(expected) or ())


@pytest.mark.slow
def test_types_of_pandas_are_read_as_their_values() -> None:
    """Nullable columns, categories and NA ask the same, and are read as the same judgments."""
    plain = graded(("chat_id", "text", "model", "try", "verdict", "note"))
    plain = plain.assign(note=None, verdict=plain["verdict"].map(["", *"abcde"].__getitem__))
    plain.loc[::7, "verdict"] = None
    columns = {"chat_id": "question", "text": "output", "try": "replication"}
    asked, tables = [], []
    for frame in (
        plain,
        plain.convert_dtypes(),
        plain.astype("category"),
        plain.astype(object).where(plain.notna(), pd.NA),
    ):
        with pytest.raises(UserError) as error:
            judgments_from_frame(frame)
        asked.append(str(error.value))
        tables.append(judgments_from_frame(frame, columns).table)
    assert "Is 'chat_id' the question" in asked[0]
    assert {*asked} == {asked[0]}
    for other in tables[1:]:
        pd.testing.assert_frame_equal(other, tables[0])


@pytest.mark.slow
def test_what_rows_leave_open_is_in_the_first_question(tmp_path: Path) -> None:
    """With a judge beside a model, the model is judged; the proposed call is asked nothing more."""
    rows = [
        (q + 1, model, judge, n, GRADES[q, n + 2 * (judge == "b")], GRADES[q, 0], DATES[q])
        for q in range(24)
        for model in ("alt", "neu")
        for judge in "ab"
        for n in (1, 2)
    ]
    names = ["Nr", "Modell", "Richter", "Versuch", "Note", "Mensch", "Datum"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "noten.csv", index=False)
    asked = invoke("report", tmp_path / "noten.csv")
    said = (
        "'Versuch' the replication, 'Note' the verdict, 'Mensch' the label and 'Modell' the output?"
    )
    assert said in asked.stderr
    assert "The call answers: column 'Modell' is the output that was judged." in asked.stderr
    call = shlex.split(asked.stderr.splitlines()[-1])
    read = invoke(*call[1:-1], tmp_path / "reading.yaml")
    assert not read.exit_code
    assert "2 judges x 24 questions (48 outputs) x 2 tries" in read.stdout


@pytest.mark.parametrize(
    "names",
    [
        ["model1_a", "model1_b", "model2_a", "model2_b"],
        ["gpt-4", "gpt-5", "claude-4", "claude-5"],
        ["gpt_1", "gpt_2", "claude_1"],
    ],
)
def test_numbers_that_count_no_tries_are_of_judges(names: list[str]) -> None:
    """Of models, of versions, and where one has a single one."""
    frame = side_by_side("question", {name: 2 + n for n, name in enumerate(names)}, {})
    found = judgments_from_frame(frame, dict.fromkeys(names, "verdict")).table
    assert {*found["judge"]} == {*names}


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, 1])
def test_judges_side_by_side_may_have_other_numbers_of_tries(start: int) -> None:
    """Each has so many, in the question that is asked and as that is answered."""
    tries = {"gpt": 4, "claude": 2}
    names = [f"{who}_{n}" for who, most in tries.items() for n in range(start, start + most)]
    frame = side_by_side("question", {name: 2 + n for n, name in enumerate(names)}, {})
    found = judgments_from_frame(frame, dict.fromkeys(names, "verdict")).table
    known = {who: [*range(start, start + most)] for who, most in tries.items()}
    numbers = found.groupby("judge")["replication"].unique()
    assert {who: sorted(map(int, own)) for who, own in numbers.items()} == known
    with pytest.raises(UserError, match=r"replications of judges '\w+', '\w+'\)"):
        judgments_from_frame(frame.drop(columns=["Kommentar", "Datum"]))


@pytest.mark.parametrize("copies", [0, 2])
@pytest.mark.parametrize("known", [{}, {"Vorgang": "question"}])
def test_ids_of_rows_are_the_questions_beside_numbered_grades(
    copies: int, known: dict[str, str]
) -> None:
    """Not the texts, nor who wrote them; a mark in one try and copies of rows change nothing."""
    numbers = np.random.default_rng(1).integers(1, 6, (40, 3)).astype(object)
    numbers[3, 2] = "k.A."
    frame = pd.DataFrame(
        {
            "Vorgang": [f"{n:08d}" for n in range(1234, 1274)],
            "Bearbeiter": ["Anders", "Berger"] * 20,
            "Antwort": [f"Guten Tag {n}, danke für Ihre Nachricht" for n in range(40)],
            **{f"Note KI {k + 1}": numbers[:, k] for k in range(3)},
        }
    )
    frame = pd.concat([frame, frame[:copies]], ignore_index=True)
    found = {**likely_ways(frame, Reading(columns=known))[0].columns} | known
    tries = {f"Note KI {k}": "verdict" for k in (1, 2, 3)}
    assert found == {"Vorgang": "question"} | tries


WORDS = (["gut", "mittel", "schlecht"], [*"ABC"], ["ja", "nein"], [1, 2, 3])
OF_ROWS = {"Nr": "{0}", "Eleve": "Ada {0}{0}", "Code": "{0}-{0}-x"}


@pytest.mark.parametrize(("asked", "form"), OF_ROWS.items())
@pytest.mark.parametrize("scale", WORDS)
def test_what_each_row_has_once_is_the_question_beside_grades_in_words(
    scale: list[object], asked: str, form: str
) -> None:
    """Not a try, whatever its grades are, nor the text; a remark on some rows is no label."""
    given = np.random.default_rng(2).integers(0, len(scale), (30, 4))
    frame = pd.DataFrame({"Réponse": [f"Il est {n} heures, ou {n + 1}" for n in range(30)]})
    frame[asked] = [form.format(n + 1) for n in range(30)]
    tries = dict.fromkeys(("IA 1", "IA 2", "IA 3"), "verdict")
    frame[[*tries, "Note du correcteur"]] = np.array(scale, dtype=object)[given]
    frame["Stempel"] = [["vu", "relu"][n % 2] if n % 3 else None for n in range(30)]
    found = likely_ways(frame, Reading())[0].columns
    assert found == {asked: "question", **tries, "Note du correcteur": "label"}
    one = likely_ways(frame[[asked, "IA 1", "Note du correcteur"]], Reading())
    assert {way.columns[asked] for way in one} == {"question"}


@pytest.mark.parametrize("grade", ["Note", "verdict"])
@pytest.mark.parametrize("prompts", [1, 3, 30])
def test_what_many_cases_are_asked_is_not_their_question(prompts: int, grade: str) -> None:
    """Whether the grade is known by its name or not; alone, a prompt is the question."""
    frame = pd.DataFrame(
        {"Prompt": [f"Grade this, {n % prompts}" for n in range(30)]}
        | {"Vorgang": [f"V-{n}" for n in range(30)], grade: [1 + n % 5 for n in range(30)]}
    )
    with pytest.raises(UserError) as found:
        judgments_from_frame(frame)
    assert "Is 'Vorgang' the question" in str(found.value)
    alone = judgments_from_frame(frame.drop(columns="Vorgang").rename(columns={grade: "verdict"}))
    assert alone.table["question"].nunique() == prompts


@pytest.mark.slow
def test_people_beside_a_column_of_verdicts_are_each_asked_about(tmp_path: Path) -> None:
    """Not one of them alone."""
    names = NAMES["German"]
    frame = graded(names).drop(columns=names[1]).rename(columns={"Mensch": "Anna"})
    frame.assign(Ben=6 - frame["Anna"]).to_csv(tmp_path / "noten.csv", index=False)
    asked = invoke("report", tmp_path / "noten.csv").stderr
    assert "'Anna' and 'Ben' are people who label" in asked
    call = shlex.split(asked.splitlines()[1])
    assert not invoke(*call[1:-1], tmp_path / "reading.yaml").exit_code
    read = invoke("read", tmp_path / "noten.csv", "--reading", tmp_path / "reading.yaml").stdout
    assert "Read: 2 judges x 30 questions x 3 tries; labels of 30 questions" in read


TRIES = ("Versuch 1", "Versuch 2", "Versuch 3")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judged", "others", "reads"),
    [
        (("GPT-4o", "Claude"), ("Rater 1", "Rater 2"), [(2, 1, 2), (4, 1, 0)]),
        (("Urteil",), ("Anna", "Ben"), [(1, 1, 2), (1, 1, 0)]),
        (TRIES, ("Rater 1", "Rater 2"), [(1, 3, 2), (1, 3, 0)]),
        ((), ("Rater 1", "Rater 2"), [(1, 1, 1), (1, 1, 1), (2, 1, 0)]),
        ((), ("Anna", "Ben", "Cem"), [(1, 1, 2), (3, 1, 0)]),
        (("GPT-4o", "Claude"), (), [(2, 1, 0)]),
    ],
)
def test_who_may_judge_or_label_is_asked_with_calls_that_run(
    judged: tuple[str, ...],
    others: tuple[str, ...],
    reads: Sequence[tuple[int, int, int]],
    tmp_path: Path,
) -> None:
    """Each meaning once: how many judges there are then, tries of each, and people who label."""
    columns = {name: 2 + n for n, name in enumerate((*judged, *others))}
    file, saved = tmp_path / "noten.csv", tmp_path / "reading.yaml"
    side_by_side("Vorgang", columns, {}).to_csv(file, index=False, sep=";", decimal=",")
    asked = invoke("report", file).stderr
    calls = re.findall(r"^  inspect-reliability (.*)reading.yaml$", asked, re.MULTILINE)
    found = []
    for call in calls:
        assert not invoke(*shlex.split(call), saved).exit_code
        table = judgments_from(str(file), reading=saved).table
        people = [len(one) if isinstance(one, tuple) else 1 for one in table.get("label", [])]
        judges = table["judge"].nunique(dropna=False)
        found.append((judges, table["replication"].nunique(), max(people, default=0)))
    assert found == reads
    assert all(repr(name) in asked for name in others)
