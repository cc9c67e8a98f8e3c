"""What the pages show works: links, commands, code and outputs."""

import ast
import doctest
import importlib
import inspect
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import inspect_ai
import inspect_ai.scorer
import pytest
import yaml
from click.shell_completion import BashComplete
from click.testing import CliRunner
from inspect_ai._cli.main import inspect as inspect_command
from inspect_ai.dataset import Sample

from cli.test_report_keys import as_declared
from commands import once
from docs.site import links, messages, outputs, reference
from inspect_reliability import _registry
from inspect_reliability.cli import main
from inspect_reliability.cli.main import COMMANDS
from inspect_reliability.ranking.stability import rank_stability
from inspect_reliability.showing.keys import KEYS

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("examples/*.md"),
        *ROOT.glob("logs/*.md"),
    ]
)


def _named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


each_page = pytest.mark.parametrize("page", PAGES, ids=_named)


def _prose(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """Anchors of the headings, as the site and the usual hosts of repositories make them."""
    headings = re.findall(r"^#+ (.*)$", _prose(page.read_text()), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", one)) for one in headings)
    return {one.strip().lower().replace(" ", "-") for one in plain}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file of the repository, and an anchor a heading of that file."""
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page.read_text())):
        path, _, anchor = target.partition("#")
        if re.match(r"\w+:", path):
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target}: no such file"
        assert not anchor or anchor in _anchors(file), f"{target}: no such heading"


def _blocks(page: Path, *languages: str) -> list[str]:
    found = re.findall(r"^```([^\n]*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language in languages]


def _command_lines(page: Path) -> Iterator[list[str]]:
    """The calls of our command and of inspect's that a page shows, as lists of words."""
    shown = [
        line
        for block in _blocks(page, "", "sh", "console")
        for line in block.replace("\\\n", " ").splitlines()
    ]
    spans = re.findall(r"(?<!`)`([^`]+)`(?!`)", _prose(page.read_text()))
    for line in [*shown, *(" ".join(span.split()) for span in spans)]:
        for part in line.removeprefix("$ ").split("&&"):
            call = re.match(r"\s*(inspect-reliability(?! \d)|inspect eval|inspect score) .*", part)
            if call:
                words = shlex.split(re.sub(r"[\[\]]", "", call[0]), comments=True)
                yield [word for word in words if word != "..."]


@each_page
def test_our_commands_parse(page: Path) -> None:
    """Each call of our command names a command that exists, with options that it has."""
    for words in _command_lines(page):
        if words[0] == "inspect-reliability" and len(words) > 1 and not words[1].startswith("-"):
            _parse(words)


def _parse(words: list[str]) -> None:
    context = click.Context(main)
    command = main.get_command(context, words[1])
    assert command is not None, words
    given, _, _ = command.make_parser(context).parse_args(words[2:])
    for option in command.params:
        values = given.get(option.name)
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, str) and not isinstance(option.type, click.Path):
                option.type.convert(value, option, context)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_two_calls(name: str) -> None:
    """The help of each command ends with two calls, the first of it, that parse in 80 columns."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.epilog is not None
    _, _, *calls = command.epilog.splitlines()
    assert len(calls) == 2
    for call in calls:
        assert len(call) <= 78
        words = shlex.split(call.partition(">")[0])
        assert words[:2] == ["inspect-reliability", words[1] if call is not calls[0] else name]
        _parse(words)


def test_help_orders_options() -> None:
    """What a command does comes first, then how LOGS are read, then how results are shown."""
    said = CliRunner().invoke(main, ["report", "--help"]).stdout
    order = ("Options:", "  --by", "  --save", "  --labels", "  --format", "  Examples:")
    places = [said.index(f"\n{one}") for one in order]
    assert places == sorted(places)


def test_the_shell_completes() -> None:
    """The Tab key finds commands, options and their values."""
    tab = BashComplete(main, {}, "inspect-reliability", "_INSPECT_RELIABILITY_COMPLETE")
    for before, typed, found in [
        ([], "rep", {"report"}),
        (["gate"], "--mi", {"--min"}),
        (["report", "--format"], "la", {"latex"}),
    ]:
        assert {one.value for one in tab.get_completions(before, typed)} == found


MESSAGES = ("troubleshooting.md", "cautions.md")
"""Pages with tables of messages."""


@cache
def _texts_in_code() -> dict[Path, list[str]]:
    """The texts of each file of the package."""
    files = (ROOT / "src" / "inspect_reliability").rglob("*.py")
    return {file: [*map(messages.text_of, ast.walk(ast.parse(file.read_text())))] for file in files}


@pytest.mark.slow
def test_messages_are_those_of_the_code() -> None:
    """Every message that a page explains is one that the code gives."""
    said = [text for texts in _texts_in_code().values() for text in texts if text]
    page = "\n".join((ROOT / "docs" / one).read_text() for one in MESSAGES)
    tables = re.findall(r"^\| message .*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    explained = [line.split("|")[1].strip() for table in tables for line in table.splitlines()]
    assert len(explained) > 40
    for message in explained:
        pattern = re.compile(".*".join(re.escape(part) for part in message.split("…")))
        assert any(map(pattern.search, said)), message


@pytest.mark.slow
def test_every_sentence_is_on_one_page() -> None:
    """The page has what the code says now; if not, it is written anew, to be read."""
    found, known = messages.page(), messages.PAGE.read_text(encoding="utf-8")
    if found != known:
        messages.PAGE.write_text(found, encoding="utf-8")
    assert found == known, f"{messages.PAGE} was out of date and is written: read what changed"
    said = {text for texts in messages.sentences().values() for text in texts}
    assert len(said) > 1000
    assert {"The gate is too uncertain to say.", "Is the judge right?"} < said


@pytest.mark.parametrize(
    "words",
    ["Until you choose", "what it costs says", "Ahead:", "give right to", "drawn by", "Why:"],
)
def test_no_sentence_reads_as_no_native_writes(words: str) -> None:
    """Wordings that were replaced do not come back."""
    for file, texts in messages.sentences().items():
        assert not [text for text in texts if words in text], file


OTHERS = {
    *("--data-parallel-backend", "--data-parallel-size", "--data-parallel-size-local"),
    *("--attention-backend", "--enable-deterministic-inference", "--enable-prefix-caching"),
    *("--model-path", "--tensor-parallel-size"),  # of servers
    *("--address", "--head"),  # of Ray
    "--array",  # of Slurm
    "--merge",  # of tools for GGUF files
    "--no-deps",  # of pip
    "--hypothesis-profile",
}
"""Options of other programs than ours and inspect, which pages and messages name."""

_NOT_READ = ("CHANGELOG.md", "messages.md")

_OPTION = re.compile(r"(?<![\w/-])--[a-z][a-z0-9-]*")


def _our_options() -> set[str]:
    commands = [main.get_command(click.Context(main), name) for name in COMMANDS]
    every = [main, *filter(None, commands)]
    return {flag for one in every for of in one.params for flag in (*of.opts, *of.secondary_opts)}


def _options_of_scripts() -> set[str]:
    """Options of the benches, examples and the training."""
    files = [
        file for folder in ("bench", "examples", "training") for file in ROOT.glob(f"{folder}/*.py")
    ]
    return {
        flag for file in files for flag in re.findall(r"[\"'](--[a-z-]+)[\"']", file.read_text())
    }


@pytest.mark.slow
def test_options_are_named_as_they_are() -> None:
    """Whatever a page or a message calls an option is one: of ours, inspect's, a script's."""
    known = _our_options() | _options_of_scripts() | OTHERS | {"--help"}
    known |= _options_of_inspect("eval") | _options_of_inspect("score")
    texts = {_named(page): page.read_text() for page in PAGES if page.name != "CHANGELOG.md"}
    texts |= {_named(file): " ".join(said) for file, said in _texts_in_code().items()}
    named = {(option, name) for name, text in texts.items() for option in _OPTION.findall(text)}
    assert {one for one in named if one[0] not in known} == set()
    assert {option for option, _ in named} >= OTHERS


def test_pages_name_every_option() -> None:
    """Each option of each command is on a page that people read, beside the reference."""
    text = " ".join(page.read_text() for page in PAGES if page.name not in _NOT_READ)
    named = {*_OPTION.findall(text)}
    assert {one for one in _our_options() if one.startswith("--")} - named - {
        "--help",
        "--version",
    } == set()


@cache
def _options_of_inspect(command: str) -> set[str]:
    said = CliRunner().invoke(inspect_command, [command, "--help"])
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", said.stdout))


@each_page
def test_calls_of_inspect_parse(page: Path) -> None:
    """Each call of inspect names options that it has, tasks that are there, and their arguments."""
    for _, command, *words in (line for line in _command_lines(page) if line[0] == "inspect"):
        unknown = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert unknown <= _options_of_inspect(command), words
        tasks = [
            word for word in words if re.match(r"(inspect_reliability/|tasks/|examples/)", word)
        ]
        named: dict[str, list[str]] = {"-T": [], "-S": []}
        for flag, value in pairwise(words):
            if flag in named:
                named[flag].append(value.partition("=")[0])
        for task in tasks:
            takes = _arguments(task)
            arguments = named["-T" if command == "eval" else "-S"]
            if "kwargs" not in takes:
                assert set(arguments) <= takes, (words, takes)


def _arguments(name: str) -> set[str]:
    """Arguments of a task or scorer: of the package by name, or of a file's only task."""
    if name.startswith("inspect_reliability/"):
        function = getattr(_registry, name.partition("/")[2])
    else:
        path, _, task = name.partition("@")
        assert (ROOT / path).is_file(), name
        module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
        if not task:
            [task] = re.findall(r"^@task\n(?:@.*\n)?def (\w+)", (ROOT / path).read_text(), re.M)
        function = getattr(module, task)
    return set(inspect.signature(function).parameters)


@each_page
def test_code_is_python(page: Path) -> None:
    """Every block of Python compiles."""
    for block in _blocks(page, "python"):
        compile(block, _named(page), "exec", flags=_AWAIT)


_AWAIT = 0x2000
"""`ast.PyCF_ALLOW_TOP_LEVEL_AWAIT`: a block may be the inside of a solver."""


@pytest.mark.parametrize("page", ["README.md", "docs/how-to-suites.md"])
def test_code_of_a_suite_runs(page: str) -> None:
    """What a page adds to a task makes a task; "..." is the suite's own dataset."""

    def task(*_: Any, **given: Any) -> inspect_ai.Task:
        return inspect_ai.Task(dataset=[Sample(input="1 + 1?", target="2")], **given)

    names = vars(inspect_ai.scorer) | {"Task": task}
    blocks = _blocks(ROOT / page, "python")
    assert blocks
    for block in blocks:
        exec(block.replace("import Task", "import Task as _"), names)


SESSIONS = [page for page in sorted(ROOT.glob("docs/*.md")) if "```pycon" in page.read_text()]

printed = once(lambda given: outputs._run(outputs._BLOCK.fullmatch(given)))  # type: ignore[arg-type]
stability = once(rank_stability)
"""What a command prints on whatever page, and what commands and Python ask of a ranking."""


@pytest.mark.slow
@pytest.mark.usefixtures("all_permutations", "read_once")
@pytest.mark.parametrize("page", sorted({*outputs.PAGES, *SESSIONS}), ids=_named)
def test_outputs_are_what_the_commands_print(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands on the examples, and sessions in Python, print what the page shows.

    `make outputs` mends what a command prints. All run at the root of the repository.
    """
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("inspect_reliability.ranking.leaderboards.rank_stability", stability)
    text = page.read_text()
    if page in outputs.PAGES:
        assert "$ inspect-reliability" in text
        shown = outputs._BLOCK.sub(lambda block: printed(block[0]), outputs.tabled(text))
        assert shown == text
    for block in _blocks(page, "pycon"):
        session = doctest.DocTestParser().get_doctest(block, {}, page.name, str(page), 0)
        said: list[str] = []
        doctest.DocTestRunner(verbose=False).run(session, out=said.append)
        assert not said, "".join(said)


@pytest.mark.slow
@pytest.mark.parametrize("page", outputs.TABLED, ids=_named)
def test_tables_are_as_the_code_has_them(page: Path) -> None:
    """A table that names what the code has is made of it; `make outputs` mends it."""
    text = page.read_text()
    assert "<!-- table: " in text
    assert outputs.tabled(text) == text


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_a_page_cites_as_the_citation_file_does(page: str) -> None:
    """BibTeX has the title, year, version and licence of `CITATION.cff`, and its reference."""
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    [cited] = _blocks(ROOT / page, "bibtex")
    ours, study = cited.split("@misc")
    assert f"title = {{{{{said['title']}}}}}" in ours
    for field, value in (*said.items(), ("year", said["date-released"].year)):
        if field in ("version", "license", "year"):
            assert f"{field} = {{{value}}}" in ours
    [known] = said["references"]
    [number] = known["identifiers"]
    assert f"title = {{{{{known['title']}}}}}" in study
    assert f"year = {{{known['year']}}}" in study
    assert f"note = {{{number['value']}}}" in study
    names = (f"{one['family-names']}, {one['given-names']}" for one in known["authors"])
    assert f"author = {{{' and '.join(names)}}}" in study


READ = sorted({*ROOT.glob("docs/*.md")} - {ROOT / "docs" / "messages.md"})
"""Pages that are read from top to bottom: in the list of sentences one is looked up."""


@pytest.mark.parametrize("page", READ, ids=_named)
def test_a_page_is_read_in_one_sitting(page: Path) -> None:
    """No page has more than 2,500 words: a longer one is two."""
    words = (word for word in page.read_text().split() if re.search(r"\w", word))
    assert sum(1 for _ in words) <= 2_500


def test_the_glossary_has_each_term_once() -> None:
    """Its terms are in alphabetical order, and none comes twice."""
    terms = re.findall(r"^\*\*(.+)\*\*$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    assert terms == sorted(set(terms), key=str.lower)


@pytest.fixture(scope="module")
def site() -> dict[str, str]:
    return reference.pages()


@pytest.mark.slow
def test_the_reference_has_every_option(site: dict[str, str]) -> None:
    """Each option of each command has a line that explains it."""
    for name in main.list_commands(click.Context(main)):
        command = main.get_command(click.Context(main), name)
        assert command is not None
        part = site["reference/commands.md"].partition(f"## `{name}`")[2].partition("\n## ")[0]
        for option in command.params:
            if isinstance(option, click.Option):
                assert re.search(rf"\| `[^`]*{option.opts[-1]}\b", part), (name, option.opts)


def test_anchors_of_the_reference_exist(site: dict[str, str]) -> None:
    """Each link within the reference leads to a name, or a heading, of the page that it names."""
    links = [link for text in site.values() for link in re.findall(r"\]\((\w+\.md)#(.+?)\)", text)]
    assert links
    for page, anchor in links:
        there = site[f"reference/{page}"]
        ways = f"::: {anchor}\n", f"{{ #{anchor} }}\n", f"## `{anchor}`\n"
        assert any(way in there for way in ways), (page, anchor)


def test_every_declared_key_occurs() -> None:
    """Each result has every key that is declared for it, somewhere, and no other."""
    results = reference._results()
    for name in results.keys() - {"shared"}:
        found = as_declared(name, results[name])
        assert {*KEYS[name].columns} <= found, name


def test_tables_of_the_reference_show_pipes_as_they_are() -> None:
    """A pipe in code needs no escape on the site, and any other does."""
    assert reference._table(["a"], [["`--by x|y` or z|w"]]).splitlines()[-1] == (
        r"| `--by x|y` or z\|w |"
    )


def test_links_fit_the_site() -> None:
    """A link to a file beside or outside of the docs leads to where the site has that file."""
    page = (
        "See [a](how-to-report.md#x), [b](../README.md), [c](../examples/)\n```\n[d](../no)\n```\n"
    )
    assert links.for_site(page, "docs/index.md") == (
        "See [a](how-to-report.md#x), [b](repository/README.md), "
        "[c](repository/examples/README.md)\n```\n[d](../no)\n```\n"
    )
    assert links.for_site("[a](docs/engine.md)", "README.md") == "[a](../engine.md)"


def test_the_card_of_the_tiny_judge_says_what_a_report_says() -> None:
    """Its accuracy is that of the example log, which a page shows as printed."""
    card = (ROOT / "src/inspect_reliability/tiny_judge/model/README.md").read_text()
    [said] = re.findall(r"\d\d\.\d% \[\d\d\.\d%, \d\d\.\d%\]", card)[:1]
    assert (
        f"By labels: Right [95%]                    {said}"
        in (ROOT / "docs/how-to-card.md").read_text()
    )
