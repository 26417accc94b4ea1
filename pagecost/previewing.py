"""A project's preview: what is built, what is watched, and where it is served."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pagecost import files, pipeline, project, serve, site
from pagecost.console import Console
from pagecost.context import Context
from pagecost.errors import PagecostError
from pagecost.look import templates_folder


@contextmanager
def running(config: Path | None, port: int, console: Console) -> Iterator[str]:
    """Serves the project until the block ends; gives the address of its front page."""
    path = (config or project.find_config(Path.cwd())).absolute()
    base = serve.base_path(project.load_config(path).site_url)
    cache = files.cache_folder()

    def build() -> Mapping[str, bytes]:
        try:
            work = Context(project.load(path), cache, console)
            loaded = pipeline.load_all(work, drafts=True)
            for version in loaded:
                pipeline.replayed(work, version)
            contents = pipeline.rendered(work, loaded, work.project.config.output)
        except PagecostError as error:
            console.say(f"error: {error}")
            raise
        console.say(site.summary_of(contents))
        return contents

    def sources() -> list[Path]:
        try:
            docs = [project.load_config(path).docs_dir]
        except PagecostError:
            docs = []  # it is the configuration that is broken; the rest stays out until it isn't
        return [path, *docs, path.parent / "templates", templates_folder()]

    preview = serve.Preview(build)
    with serve.server(preview, base, port) as server:  # closed even if the first build is ended
        watcher = serve.Watcher(sources, preview.rebuild)
        preview.rebuild()
        with watcher:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield f"http://{serve.HOST}:{server.server_port}{base}"
            finally:
                server.shutdown()
