"""What mkdocs calls while it builds the site: pages are added, and written as Markdown, too."""

from pathlib import Path
from typing import Any

import links
import llms
import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

_texts: dict[str, str] = {}
"""Each page as Markdown, by its place on the site."""

_navs: list[Navigation] = []


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reference, and the files outside of `docs/` that pages link to."""
    for path, text in reference.pages().items():
        files.append(File.generated(config, path, content=text))
    written = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    on_disk = [page for page in written if (links.ROOT / page).is_file()]
    for place in ["README.md", *links.outside_docs([*on_disk, "README.md"])]:
        path = links.on_site(place)
        if files.get_file_from_path(path) is None:
            content = (links.ROOT / place).read_bytes()
            files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Give every link the place that its file has on the site."""
    path = page.file.src_uri
    generated = path.startswith("reference/")
    fitting = markdown if generated else links.for_site(markdown, links.of_site(path))
    _texts[path] = llms.with_docstrings(fitting)
    return fitting


def on_nav(nav: Navigation, **_: Any) -> None:
    """Keep the order of the pages."""
    _navs[:] = [nav]


def on_post_build(config: MkDocsConfig) -> None:
    """Write each page as Markdown, and their list."""
    folder = Path(config.site_dir)
    llms.write_pages(folder, _texts)
    listed = llms.llms_txt(config.site_name, config.site_description or "", _navs[0], _texts)
    (folder / llms.LIST).write_text(listed, encoding="utf-8")
