"""RunInstances, TerminateInstances, and stopping and starting in between."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.checks import check_type
from nodewright.sandbox.aws.ec2.describe import render
from nodewright.sandbox.aws.ec2.launch import Order, kind_of, launch, place
from nodewright.sandbox.aws.ec2.machines import (
    BY_USER,
    CODES,
    Machine,
    end,
    find,
    set_state,
)
from nodewright.sandbox.aws.ec2.spec import merge, read_template
from nodewright.sandbox.aws.registry import handles
from nodewright.sandbox.aws.tokens import remember, remembered

IDS_MAX: Final = 1_000


def refuse_dry_run(call: Call) -> None:
    """End a dry run, which has passed all checks by now."""
    if call.params.get("DryRun"):
        raise AwsError(
            "DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412
        )


@handles("ec2", "RunInstances")
def run_instances(account: Account, call: Call) -> dict[str, Any]:
    """Launch between the least and the most that is asked for, or nothing."""
    params, region = call.params, call.region
    asked = params.get("LaunchTemplate")
    template = read_template(account, region, asked) if asked else None
    spec = merge(template, params)
    kind = kind_of(spec)
    _, zone = place(account, region, spec)
    check_type(account, region, (spec.instance_type, zone, kind))
    refuse_dry_run(call)
    known = remembered(account, call)
    if known is not None:
        return known
    token = str(params.get("ClientToken") or "")
    least, most = int(params["MinCount"]), int(params["MaxCount"])
    launched: list[Machine] = []
    for index in range(most):
        try:
            launched.append(launch(account, call, Order(spec, kind, token=token, index=index)))
        except AwsError:
            if len(launched) >= least:
                break
            for one in launched:
                end(account, one)
            raise
    reservation = launched[0].reservation_id
    for one in launched:
        one.reservation_id = reservation
    answer = {
        "ReservationId": reservation,
        "OwnerId": account.account_id,
        "Groups": [],
        "Instances": [render(account, one) for one in launched],
    }
    return remember(account, call, answer)


@handles("ec2", "TerminateInstances")
def terminate_instances(account: Account, call: Call) -> dict[str, Any]:
    """End machines; one that is ended already is no error."""
    found = _named(account, call)
    refuse_dry_run(call)
    for one in found:
        if one.moto.disable_api_termination:
            raise AwsError(
                "OperationNotPermitted",
                f"The instance '{one.instance_id}' may not be terminated. Modify its "
                "'disableApiTermination' instance attribute and try again.",
            )
    changes = []
    for one in found:
        before = one.state
        end(account, one, BY_USER)
        # AWS tells the state that it goes into, not the one in which it is a moment later.
        after = before if before == "terminated" else "shutting-down"
        changes.append(_change(one, before, after))
    return {"TerminatingInstances": changes}


@handles("ec2", "StopInstances", "StartInstances")
def switch_instances(account: Account, call: Call) -> dict[str, Any]:
    """Stop or start machines."""
    found = _named(account, call)
    refuse_dry_run(call)
    stops = call.operation == "StopInstances"
    wanted, between, goal = (
        ("running", "stopping", "stopped") if stops else ("stopped", "pending", "running")
    )
    changes = []
    for one in found:
        before = one.state
        if before == wanted:
            set_state(account, one, between)
            one.reason = BY_USER if stops else None
            account.later(account.timing.shutdown_ms, _settler(account, one, between, goal))
        elif before not in (between, goal):
            raise AwsError(
                "IncorrectInstanceState",
                f"The instance '{one.instance_id}' is not in a state from which it can be "
                f"{'stopped' if stops else 'started'}.",
            )
        changes.append(_change(one, before, one.state))
    return {"StoppingInstances" if stops else "StartingInstances": changes}


def _settler(account: Account, one: Machine, between: str, goal: str) -> Any:
    def settle() -> None:
        if one.state == between:
            set_state(account, one, goal)

    return settle


def _named(account: Account, call: Call) -> list[Machine]:
    ids = list(call.params.get("InstanceIds") or ())
    if len(ids) > IDS_MAX:
        raise AwsError(
            "InvalidParameterValue", f"At most {IDS_MAX} instances can be named in one request."
        )
    return find(account, call.region, ids, insider=call.principal.kind == "insider")


def _change(one: Machine, before: str, after: str) -> dict[str, Any]:
    return {
        "InstanceId": one.instance_id,
        "PreviousState": {"Name": before, "Code": CODES[before]},
        "CurrentState": {"Name": after, "Code": CODES[after]},
    }
