"""Acting: each kind of decision is one call of a port, and answers with what came of it."""

from typing import Final

from nodewright.controllers.ports import Memory, Ports
from nodewright.model import decision as d
from nodewright.model.decision import Decision
from nodewright.model.labels import TERMINATION_FINALIZER
from nodewright.model.resource import NODE_CLAIMS
from nodewright.ports.cloud import Ended
from nodewright.ports.kube import Answer, Notice, Options, Outcome, Urgency

_CREATE_TRIES: Final = 4
_CREATE_RETRY_MS: Final = 1_000
_DONE: Final = Answer(Outcome.DONE)
_ENDED: Final = {
    Ended.ACCEPTED: _DONE,
    Ended.GONE: _DONE,
    Ended.TRY_AGAIN: Answer(Outcome.BUSY, "the cloud wants to be asked again"),
}


async def perform(
    decision: Decision, ports: Ports, memory: Memory, urgency: Urgency = Urgency.ORDINARY
) -> Answer:
    """Do what was decided; what is gone already counts as done where it was to go."""
    match decision:
        case d.Change():
            return await _change(decision, ports, memory, urgency)
        case d.Delete():
            options = Options(grace_s=decision.grace_s, urgency=urgency)
            answer = await ports.kube.delete(decision.subject, options)
            return await _settle(decision, answer, ports, memory)
        case d.Release():
            answer = await ports.kube.remove_finalizer(
                decision.subject, decision.thing, TERMINATION_FINALIZER
            )
            return await _settle(decision, answer, ports, memory)
        case d.Evict():
            return _gone_is_done(await ports.kube.evict(decision.subject))
        case d.Launch():
            return await _create_claim(decision, ports, memory)
        case d.End():
            ended = await ports.cloud.terminate(decision.provider_id)
            memory.ended(decision.provider_id, ended)
            return _ENDED[ended]
        case d.Tell() | d.Refuse() | d.Nominate() | d.Keep():
            tell(decision, ports)
            return _DONE
    raise TypeError(f"nobody knows how to act on {decision.kind}")


async def _create_claim(decision: d.Launch, ports: Ports, memory: Memory) -> Answer:
    """Write a claim; one that is there already was written before."""
    answer = Answer(Outcome.UNREACHABLE)
    for _ in range(_CREATE_TRIES):
        answer = await ports.kube.create(NODE_CLAIMS, decision.claim)
        if answer.outcome not in (Outcome.UNREACHABLE, Outcome.BUSY, Outcome.CONFLICT):
            break
        await ports.clock.sleep_ms(answer.retry_after_ms or _CREATE_RETRY_MS)
    if not answer.is_done and answer.outcome is not Outcome.EXISTS:
        memory.expectations.fail(decision.claim.metadata.name)
    return answer


async def _change(decision: d.Change, ports: Ports, memory: Memory, urgency: Urgency) -> Answer:
    options = Options(
        if_version=decision.if_version,
        subresource="status" if decision.on_status else "",
        urgency=urgency,
    )
    answer = await ports.kube.patch(decision.subject, decision.change, options)
    memory.expectations.wrote(decision.subject, answer.version, ports.clock.now_ms())
    return answer


async def _settle(decision: Decision, answer: Answer, ports: Ports, memory: Memory) -> Answer:
    memory.expectations.wrote(decision.subject, answer.version, ports.clock.now_ms())
    return _gone_is_done(answer)


def _gone_is_done(answer: Answer) -> Answer:
    return Answer(Outcome.NOTHING_TO_DO) if answer.outcome is Outcome.NOT_FOUND else answer


def tell(decision: Decision, ports: Ports) -> None:
    """Publish what is to be told of a decision."""
    match decision:
        case d.Tell():
            ports.kube.publish(
                Notice(
                    about=decision.subject,
                    reason=decision.reason,
                    note=decision.note,
                    is_warning=decision.is_warning,
                    dedupe=decision.dedupe,
                    quiet_ms=decision.quiet_ms,
                )
            )
        case d.Refuse():
            ports.kube.publish(
                Notice(
                    about=decision.subject,
                    reason=decision.reason,
                    note=decision.note,
                    is_warning=True,
                    dedupe=(decision.code,),
                    quiet_ms=300_000,
                )
            )
        case d.Nominate():
            ports.kube.publish(
                Notice(
                    about=decision.subject,
                    reason=decision.reason,
                    note=decision.note,
                    dedupe=(decision.host,),
                )
            )
        case _:
            return
