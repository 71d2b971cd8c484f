"""The keys of `top` lead from nodes to pods to explanations and back, on wide and on narrow screens."""

import pytest
from msgspec.structs import replace
from rich.text import Text

from builders.views import BIG, StillSource, small_world
from nodewright.model.errors import UserError
from nodewright.tui.app import TopApp
from nodewright.tui.grid import Grid

WIDE, NARROW = (140, 40), (80, 24)


def explain(world, target):
    if "nowhere" in target:
        raise UserError("it is not there", code="NW-9502", advice="look elsewhere")
    return Text(f"{target} of {len(world.nodes)} nodes")


class Screen:
    """What a person sees and presses."""

    def __init__(self, pilot):
        self.pilot, self.app = pilot, pilot.app

    async def press(self, *keys):
        await self.pilot.press(*keys)
        if making := [one for one in self.app.workers if one.group == "explain"]:
            await self.app.workers.wait_for_complete(making)
        await self.pilot.pause()

    async def type(self, text):
        await self.press(
            *[{"/": "slash", "-": "minus", "!": "exclamation_mark"}.get(c, c) for c in text]
        )

    @property
    def text(self):
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(one.text for one in strip).rstrip() for strip in strips)

    @property
    def rows(self):
        return [self.app.page.table.name_of(row) for row in self.app.query_one(Grid).rows]


@pytest.fixture(params=[WIDE, NARROW], ids=["140", "80"])
async def screen(request):
    app = TopApp(StillSource(small_world()), explain, 16.0)
    async with app.run_test(size=request.param) as pilot:
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "source"])
        await pilot.pause()
        yield Screen(pilot)


async def test_the_first_screen_answers_what_why_how_much_and_what_next(screen):
    assert "NODES 5" in screen.text
    assert "4 pending (3 refused)" in screen.text
    assert "+ 1 nodes ?" in screen.text
    assert "go: empty" in screen.text
    assert "Draining 1h" in screen.text
    assert "/h" in screen.text
    assert all(len(line) <= screen.app.size.width for line in screen.text.splitlines())


async def test_the_dearest_idle_node_is_first_and_s_orders_by_something_else(screen):
    assert screen.rows[0] == BIG[0].metadata.name
    await screen.press("s")
    assert "by age" in screen.text
    await screen.press("S")
    assert "by age reversed" in screen.text


async def test_enter_goes_from_a_node_to_its_pods_to_the_explanation_of_one_and_esc_comes_back(
    screen,
):
    await screen.press("enter")
    assert "pods of ip-10-0-0-1 3" in screen.text
    assert "pdb/default/web" in screen.text
    await screen.press("down", "enter")
    assert "pod/default/web-ip-10-0-0-1.ec2.internal-1 of 5 nodes" in screen.text
    await screen.press("escape")
    assert "pods of" in screen.text
    assert screen.app.query_one(Grid).cursor == 1
    await screen.press("escape")
    assert "nodes 6" in screen.text


async def test_a_filter_is_applied_while_it_is_typed_and_esc_clears_it(screen):
    await screen.press("slash")
    await screen.type("spot")
    assert screen.rows == ["ip-10-0-0-2.ec2.internal"]
    await screen.press("enter")
    assert "filter 'spot'" in screen.text
    assert "nodes 1 of 6" in screen.text
    await screen.press("escape")
    assert len(screen.rows) == 6


async def test_a_filter_can_leave_out(screen):
    await screen.press("slash")
    await screen.type("!spot general")
    assert "ip-10-0-0-2.ec2.internal" not in screen.rows
    assert "stranger" not in screen.rows
    assert len(screen.rows) == 4


async def test_ctrl_z_shows_only_faults(screen):
    await screen.press("ctrl+z")
    assert screen.rows == ["ip-10-0-0-4.ec2.internal"]
    await screen.press("ctrl+z")
    assert len(screen.rows) == 6


async def test_colon_goes_anywhere(screen):
    for goal, seen in (
        ("pools", "pools 1"),
        ("pending", "pending 2"),
        ("decisions", "nothing was decided yet"),
        ("money", "money by pool"),
        ("workloads", "money by workload"),
        ("general", "nodes of general 5"),
        ("ip-10-0-0-2", "pods of ip-10-0-0-2"),
        ("nw-4202", "NW-4202 of 5 nodes"),
        ("node/ip-10-0-0-3", "node/ip-10-0-0-3 of 5 nodes"),
        ("faults", "only faults"),
    ):
        await screen.press("colon")
        await screen.type(goal)
        await screen.press("enter")
        assert seen in screen.text, goal


async def test_a_goal_that_is_nothing_is_said_and_leads_nowhere(screen):
    await screen.press("colon")
    await screen.type("nothing")
    await screen.press("enter")
    assert any("nothing called" in one.message for one in screen.app._notifications)
    assert screen.app.pages == []


async def test_esc_leaves_a_question_without_an_answer(screen):
    await screen.press("colon")
    await screen.type("pools")
    await screen.press("escape")
    assert "nodes 6" in screen.text
    assert screen.app.focused is screen.app.query_one(Grid)


async def test_pools_lead_to_their_nodes_and_money_goes_round(screen):
    await screen.press("p")
    assert "1 of 2 left" in screen.text
    await screen.press("enter")
    assert "nodes of general 5" in screen.text
    await screen.press("m")
    assert "money by pool" in screen.text
    await screen.press("m", "m")
    assert "money by workload" in screen.text
    assert "default/ReplicaSet/web" in screen.text
    await screen.press("escape")
    assert "nodes of general" in screen.text


async def test_pods_that_wait_are_explained_by_the_first_of_them(screen):
    await screen.press("w")
    assert "NW-1204" in screen.text
    await screen.press("e")
    assert "pod/default/huge-0 of 5 nodes" in screen.text


async def test_what_cannot_be_explained_says_why(screen):
    await screen.press("colon")
    await screen.type("node/nowhere")
    await screen.press("enter")
    assert "it is not there" in screen.text
    assert "look elsewhere" in screen.text


async def test_space_holds_the_screen_and_time_and_lets_them_go_on(screen):
    source = screen.app.source
    await screen.press("space")
    assert "held" in screen.text
    assert source.paces == [0.0]
    await screen.press("space")
    assert source.paces == [0.0, 16.0]
    await screen.press("plus")
    assert source.paces[-1] == 32.0


async def test_question_mark_shows_the_keys(screen):
    await screen.press("question_mark")
    assert "only faults" in screen.text
    await screen.press("escape")
    assert "nodes 6" in screen.text


async def test_ctrl_w_shows_more_columns(screen):
    assert " IDLE" not in screen.text
    await screen.press("ctrl+w")
    assert " IDLE" in screen.text


async def test_the_cursor_moves_and_stays_on_its_row_when_others_go(screen):
    grid = screen.app.query_one(Grid)
    await screen.press("G")
    name = grid.row.name
    world = small_world()
    fewer = replace(
        world, nodes=tuple(one for one in world.nodes if one.metadata.name != "stranger")
    )
    source = screen.app.source
    source.show(replace(source.known, world=fewer))
    screen.app._take()
    await screen.pilot.pause()
    assert len(grid.rows) == 5
    assert name in ("stranger", grid.row.name)
    await screen.press("g", "j", "k", "pagedown", "pageup")
    assert grid.cursor == 0


async def test_a_source_that_fails_ends_the_screen_with_its_sentence():
    class Broken(StillSource):
        async def run(self):
            raise UserError("the cluster cannot be reached", code="NW-9600")

    app = TopApp(Broken(small_world()), explain)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
    assert app.failure.message == "the cluster cannot be reached"


async def test_without_colour_everything_is_still_said(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = TopApp(StillSource(small_world()), explain)
    async with app.run_test(size=NARROW) as pilot:
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "source"])
        await pilot.pause()
        assert "go: empty" in Screen(pilot).text
        assert "▸ ip-10-0-0-1" in Screen(pilot).text
