"""What a user did that we cannot work with, said once, in one sentence.

A `UserError` carries a code (`NW-9xxx` for bad input), the sentence, and optionally the place
(file, JSON path, line). The command line prints it and leaves with status 2; nothing else in the
program prints a traceback to a user.
"""


class UserError(Exception):
    """A mistake outside the program: what is wrong, where, and what to do about it."""

    def __init__(
        self, message: str, *, code: str = "NW-9000", where: str = "", advice: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.where = where
        self.advice = advice

    def __str__(self) -> str:
        """Give the sentence with its place in front, as the command line prints it."""
        return f"{self.where}: {self.message}" if self.where else self.message
