"""Both sides as checks see them: each thing is read once, however many checks ask for it.

Nothing is changed. Calls of AWS are counted, and past the limit nobody is asked any more. What may not be
seen, or does not answer, is raised as `Unseen`, with a reason that a person can act on.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec

from nodewright.doctor.finding import Text
from nodewright.install.asking import Asking
from nodewright.install.cluster import Objects
from nodewright.install.found import Json
from nodewright.model.errors import UserError

CALLS_MAX: Final = 60
PAGES_MAX: Final = 20
PATIENCE_S: Final = 10.0
"""How long AWS may take for one answer: what hangs is unknown long before the run has to end."""
_NEXT: Final = ("nextToken", "NextToken")


class Unseen(Exception):  # noqa: N818 - it reads as what it is where it is caught.
    """Something that could not be looked at."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


class Subject(msgspec.Struct, frozen=True):
    """Which cluster is looked at, and when; `claim` is the one that a person asks about, if it is only one."""

    cluster: str
    region: str
    now_ms: int
    why_no_aws: str = ""
    helm_version: str = ""
    claim: str = ""


class Look:
    """What checks may ask."""

    def __init__(self, subject: Subject, asking: Asking | None, objects: Objects) -> None:
        self.subject = subject
        self.call_count = 0
        self.objects = objects
        self.patience_s = PATIENCE_S
        self._asking = asking
        self._known: dict[bytes, asyncio.Task[Any]] = {}

    async def aws(self, call: str, **params: Any) -> Json | None:
        """Ask AWS for something that may not be there."""
        return await self._once(("aws", call, params), lambda: self._ask(call, params))

    async def aws_all(self, call: str, items: str, **params: Any) -> list[Any]:
        """Ask AWS for all items of a list."""
        return await self._once(("list", call, params), lambda: self._ask_all(call, items, params))

    async def get(self, path: str) -> Json | None:
        """Read an object of the cluster, or nothing where it is not there."""
        return await self._once(("get", path), lambda: self._read(path))

    async def all(self, path: str) -> list[Json]:
        """Read the objects of a kind; none where the kind is not known."""
        return await self._once(("all", path), lambda: self._read_all(path))

    async def text(self, path: str) -> str:
        """Read a text of the cluster, such as a log."""
        return await self._once(("text", path), lambda: self._read_text(path))

    async def shared[T](self, name: str, make: Callable[["Look"], Coroutine[Any, Any, T]]) -> T:
        """Work something out once for all checks."""
        return await self._once(("shared", name), lambda: make(self))

    async def _once[T](self, key: object, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        name = msgspec.json.encode(key, order="deterministic")
        task = self._known.get(name)
        if task is None:
            task = self._known[name] = asyncio.create_task(make())
        # Who gives up waiting does not take the answer from the others.
        found: T = await asyncio.shield(task)
        return found

    def close(self) -> None:
        """Give up what has not been answered."""
        for task in self._known.values():
            task.cancel()

    async def _ask(self, call: str, params: Json) -> Json | None:
        if self._asking is None:
            why = self.subject.why_no_aws
            raise Unseen(Text(f"AWS cannot be asked: {why}", f"AWS에 물어볼 수 없음: {why}"))
        if self.call_count >= CALLS_MAX:
            raise Unseen(
                Text(
                    f"{CALLS_MAX} calls of AWS were made already, and that is the limit of one run",
                    f"한 번의 실행에서 허용하는 AWS 호출 {CALLS_MAX}회를 모두 사용함",
                )
            )
        self.call_count += 1
        try:
            async with asyncio.timeout(self.patience_s):
                return await self._asking.find(call, **params)
        except TimeoutError:
            raise Unseen(
                Text(
                    f"{call} did not answer within {self.patience_s:.0f} s",
                    f"{call}이(가) {self.patience_s:.0f}초 안에 응답하지 않음",
                )
            ) from None
        except UserError as error:
            raise Unseen(_told(error)) from error

    async def _ask_all(self, call: str, items: str, params: Json) -> list[Any]:
        found: list[Any] = []
        more: Json = {}
        for _ in range(PAGES_MAX):
            answer = await self.aws(call, **params, **more) or {}
            found.extend(answer.get(items) or ())
            token = next((name for name in _NEXT if answer.get(name)), "")
            if token:
                more = {token: answer[token]}
            elif answer.get("IsTruncated"):
                more = {"Marker": answer["Marker"]}
            else:
                return found
        raise Unseen(
            Text(
                f"{call} has more than {PAGES_MAX} pages",
                f"{call} 응답이 {PAGES_MAX}쪽보다 많음",
            )
        )

    async def _read(self, path: str) -> Json | None:
        try:
            return await self.objects.get(path)
        except UserError as error:
            raise Unseen(_told(error)) from error

    async def _read_text(self, path: str) -> str:
        try:
            return await self.objects.text(path)
        except UserError as error:
            raise Unseen(_told(error)) from error

    async def _read_all(self, path: str) -> list[Json]:
        try:
            return await self.objects.list(path)
        except UserError as error:
            raise Unseen(_told(error)) from error


def _told(error: UserError) -> Text:
    advice = f" ({error.advice})" if error.advice else ""
    said = f"{error.message}{advice}"
    return Text(said, f"확인할 수 없음: {said}")
