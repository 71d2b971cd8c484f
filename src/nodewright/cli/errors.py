"""How a failure looks: one sentence, its code, the place, the advice, and an exit status.

Every failure ends here. What a user got wrong (`UserError`, a bad command line, a file that cannot
be read) is printed as a headline that stands alone, then `-->` for the place and `help:` for the way
out. A reader that hangs up (`| head`) is no failure. Anything else is a bug of ours, and says so in
one sentence; `--debug` shows the traceback of either kind.

The net is a context manager, not an `except Exception`: it sits at the very edge of the process,
where the only thing left to do is to word the failure and leave.
"""

import os
import sys
from types import TracebackType
from typing import Final, Self

from nodewright.model.errors import UserError

EXIT_FINE: Final = 0
EXIT_FOUND: Final = 1
EXIT_FAILED: Final = 2

CODE_USAGE: Final = "NW-9001"
CODE_FILE: Final = "NW-9002"
CODE_BUG: Final = "NW-9999"


class Boundary:
    """The edge of the process: whatever fails inside is worded, and `status` is set."""

    def __init__(self, *, debug: bool = False) -> None:
        self.debug = debug
        self.status = EXIT_FINE

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Word the failure; only a wish to leave (`SystemExit`) passes through."""
        if error is None or isinstance(error, SystemExit):
            return False
        self.status = EXIT_FAILED
        if isinstance(error, BrokenPipeError):
            self.status = EXIT_FINE
            _stop_writing()
            return True
        if self.debug:
            import traceback

            traceback.print_exception(error)
        _write(word_failure(error))
        return True


def word_failure(error: BaseException) -> str:
    """Say a failure the way it is printed on standard error."""
    if isinstance(error, UserError):
        return _headline(error.message, error.code, error.where, error.advice)
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if type(error).__module__.startswith("cyclopts."):
        return _headline(str(error), CODE_USAGE, "", _usage_advice(error))
    if isinstance(error, OSError) and error.filename is not None:
        why = (error.strerror or type(error).__name__).lower()
        return _headline(f"{error.filename} cannot be used: {why}", CODE_FILE, "", "")
    return _headline(
        f"Nodewright failed in a way it did not expect ({type(error).__name__}: {error})",
        CODE_BUG,
        "",
        "run the same command with --debug and report the traceback",
    )


def _headline(message: str, code: str, where: str, advice: str) -> str:
    lines = [f"error[{code}]: {_sentence(message)}"]
    if where:
        lines.append(f"  --> {_sentence(where)}")
    if advice:
        lines.append(f"  help: {_sentence(advice)}")
    return "\n".join(lines)


def _sentence(text: str) -> str:
    """Fold a message into one line, and disarm what could steer a terminal."""
    folded = " ".join(text.split())
    if not folded.isprintable():
        folded = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in folded)
    return folded


def _usage_advice(error: BaseException) -> str:
    chain = [str(word) for word in getattr(error, "command_chain", None) or ()]
    return f"see {' '.join(['nodewright', *chain, '--help'])}"


def _write(text: str) -> None:
    try:
        sys.stdout.flush()
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - the one place that words a failure
    except BrokenPipeError:
        _stop_writing()


def _stop_writing() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
