"""Checks run side by side: what fails to answer is unknown, and a symptom is not told beside its cause."""

import asyncio

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text
from nodewright.doctor.look import CALLS_MAX, PATIENCE_S, Look, Subject, Unseen
from nodewright.doctor.run import LIMIT_S, run
from nodewright.sim.loop import VirtualLoop

SAID = Text("said", "말함")
SUBJECT = Subject("shop", "us-west-2", 0)


def a_check(code, probe, yields_to=()):
    def judge(facts):
        yield from (Finding((name,), SAID, SAID) for name in facts)

    return Check(code, "nodes", "error", SAID, SAID, SAID, probe, judge, yields_to=yields_to)


async def nothing(_look):
    return ()


async def something(_look):
    return ("node/one",)


async def forbidden(_look):
    raise Unseen(Text("not allowed", "허용되지 않음"))


async def silent(_look):
    await asyncio.Event().wait()


def examine(*checks, limit_s=5.0):
    async def examine_all():
        return await run(checks, Look(SUBJECT, None, None), limit_s)

    return asyncio.run(examine_all())


def test_what_was_found_what_is_unknown_and_what_is_fine_are_kept_apart():
    report = examine(
        a_check("NW-1", something), a_check("NW-2", nothing), a_check("NW-3", forbidden)
    )

    assert [one.code for one in report.found] == ["NW-1"]
    assert [one.code for one in report.passed] == ["NW-2"]
    assert [(one.code, one.why.en) for one in report.unknown] == [("NW-3", "not allowed")]


def test_a_probe_that_hangs_is_unknown_and_the_rest_is_told():
    report = examine(a_check("NW-1", something), a_check("NW-2", silent), limit_s=0.05)

    assert [one.code for one in report.found] == ["NW-1"]
    assert [one.code for one in report.unknown] == ["NW-2"]


def test_a_symptom_is_not_told_beside_its_cause():
    symptom = a_check("NW-2", something, yields_to=("NW-1",))

    both = examine(a_check("NW-1", something), symptom)
    alone = examine(a_check("NW-1", nothing), symptom)

    assert [one.code for one in both.found] == ["NW-1"]
    assert [one.code for one in alone.found] == ["NW-2"]


def test_without_aws_its_checks_are_unknown_and_say_why():
    async def probe(look):
        await look.aws("eks.DescribeCluster", name="shop")

    async def look_without_aws():
        subject = Subject("shop", "", 0, "no credentials")
        return await run([a_check("NW-1", probe)], Look(subject, None, None))

    report = asyncio.run(look_without_aws())

    assert report.unknown[0].why.en == "AWS cannot be asked: no credentials"


class Counting:
    def __init__(self):
        self.count = 0

    async def find(self, call, **params):
        self.count += 1
        return {"call": call, **params}


def test_what_many_checks_ask_is_asked_once_and_calls_have_a_limit():
    asking = Counting()

    async def probe(look):
        await look.aws("ec2.DescribeSubnets", VpcId="vpc-1")

    async def greedy(look):
        for number in range(CALLS_MAX + 1):
            await look.aws("ec2.DescribeSubnets", VpcId=f"vpc-{number}")

    async def look_often():
        checks = [a_check(f"NW-{number}", probe) for number in range(9)]
        first = await run([], Look(SUBJECT, asking, None))
        assert first.found == ()
        look = Look(SUBJECT, asking, None)
        await asyncio.gather(*(check.probe(look) for check in checks))
        once = asking.count
        return once, await run([a_check("NW-1", greedy)], Look(SUBJECT, asking, None))

    once, report = asyncio.run(look_often())

    assert once == 1
    assert asking.count == 1 + CALLS_MAX
    assert "limit of one run" in report.unknown[0].why.en


class Hanging:
    """AWS that never answers."""

    async def find(self, _call, **_params):
        await asyncio.Event().wait()


def spend(checks, asking=None):
    """Make checks in virtual time; give the report and the seconds that it took."""
    loop = VirtualLoop(0)

    async def examine_all():
        report = await run(checks, Look(SUBJECT, asking, None))
        return report, loop.time()

    return loop.run_until_complete(examine_all())


def test_a_call_that_hangs_is_given_up_long_before_the_run_has_to_end():
    async def probe(look):
        await look.aws("ec2.DescribeSubnets")

    report, spent_s = spend([a_check("NW-1", probe), a_check("NW-2", nothing)], Hanging())

    assert [one.why.en for one in report.unknown] == [
        "ec2.DescribeSubnets did not answer within 10 s"
    ]
    assert [one.code for one in report.passed] == ["NW-2"]
    assert spent_s == PATIENCE_S


def test_whatever_hangs_a_run_ends_within_half_a_minute():
    report, spent_s = spend([a_check("NW-1", silent), a_check("NW-2", something)])

    assert [one.code for one in report.unknown] == ["NW-1"]
    assert [one.code for one in report.found] == ["NW-2"]
    assert spent_s == LIMIT_S < 30
