"""The pages themselves: files that were read once, and are known again by what is in them.

Only files that lie in the folder at the start are given, so no path leads out of it. All pages of the
dashboard are one document; which one it shows is decided in the browser.
"""

from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from nodewright.web.answers.shared import Problem
from nodewright.web.replies import Body, refuse, reply, write_body

FOLDER: Final = Path(__file__).parent / "static"
_MEDIA: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_INDEX: Final = "index.html"


class Statics:
    """The files of a folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files: dict[str, Body] = {
            path.relative_to(folder).as_posix(): write_body(path.read_bytes(), _MEDIA[path.suffix])
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in _MEDIA
        }

    @property
    def paths(self) -> frozenset[str]:
        """The paths of all files, and of the page."""
        return frozenset({"/", *(f"/{name}" for name in self._files)})

    def routes(self) -> list[Route]:
        """Give the routes of pages and files; they come after all others."""
        return [Route("/", self._page), Route("/{path:path}", self._file)]

    async def _page(self, request: Request) -> Response:
        return self._give(request, _INDEX)

    async def _file(self, request: Request) -> Response:
        return self._give(request, request.path_params["path"])

    def _give(self, request: Request, name: str) -> Response:
        body = self._files.get(name)
        if body is None:
            return refuse(
                HTTPStatus.NOT_FOUND,
                Problem("there is no such page", "NW-9663", "see /api/openapi.json"),
            )
        return reply(request, body)
