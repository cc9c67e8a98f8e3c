"""What mkdocs calls while it builds the site: it adds pages, and makes links fit."""

from typing import Any

import links
import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page


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
    generated = page.file.src_uri.startswith("reference/")
    return markdown if generated else links.for_site(markdown, links.of_site(page.file.src_uri))
