"""Feature gates as they are written: `NodeRepair=true,StaticCapacity=false`.

Gates that are not named keep their defaults, and unknown ones are ignored, as Karpenter does.
"""

from collections.abc import Mapping

from nodewright.app.durations import BAD_SETTING
from nodewright.model.errors import UserError


def read_gates(flag: str, text: str, defaults: Mapping[str, bool]) -> dict[str, bool]:
    """Read the gates of a setting; what is not named keeps its default."""
    gates = dict(defaults)
    for part in (one.strip() for one in text.split(",")):
        if not part:
            continue
        name, equals, value = part.partition("=")
        if not equals or value.strip().lower() not in ("true", "false"):
            raise UserError(
                f"{flag}: {part!r} is not of the form {name.strip() or next(iter(defaults))}=true",
                code=BAD_SETTING,
                advice=f"gates: {', '.join(defaults)}",
            )
        if name.strip() in gates:
            gates[name.strip()] = value.strip().lower() == "true"
    return gates
