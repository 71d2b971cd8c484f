from pathlib import Path

import pytest
import yaml

from nodewright.app.run import autoscale
from nodewright.app.simulate import NOBODY, OURS, Order, load_autoscaler, simulate
from nodewright.model.errors import UserError
from sim.test_run import SMALL


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump(SMALL))
    return path


def test_a_run_that_goes_well_says_what_there_is_in_the_end(scenario):
    outcome = simulate(Order(scenario, 1, "scenarios.stub:autoscale"))

    assert outcome.violations == ()
    assert outcome.counts["podsRunning"] == 2
    assert outcome.replay == ""


def test_a_run_that_goes_wrong_says_how_to_see_it_again(scenario):
    outcome = simulate(Order(scenario, 1, "scenarios.mutants:crashing"))

    assert {one.checker for one in outcome.violations} == {"no-crash"}
    command = f"nodewright simulate --scenario {scenario} --seed 1"
    assert outcome.replay == f"{command} --autoscaler scenarios.mutants:crashing"


@pytest.mark.parametrize("entry", ["no.such.module:x", "scenarios.stub:nothing", "scenarios.stub"])
def test_an_autoscaler_that_is_not_there_is_one_sentence(entry):
    with pytest.raises(UserError, match="--autoscaler"):
        load_autoscaler(entry)


def test_our_own_controllers_run_unless_somebody_else_is_named():
    again = "nodewright simulate --scenario a.yaml --seed 3"

    assert load_autoscaler(OURS) is autoscale
    assert load_autoscaler(NOBODY) is None
    assert Order(Path("a.yaml"), 3).command() == again
    assert Order(Path("a.yaml"), 3, NOBODY).command() == f"{again} --autoscaler none"


def test_what_turns_out_wrong_on_the_way_names_the_file(scenario):
    twice = {**SMALL, "workloads": [{"name": "web"}, {"name": "web"}]}
    scenario.write_text(yaml.safe_dump(twice))

    with pytest.raises(UserError, match="already exists") as caught:
        simulate(Order(scenario, 1, NOBODY))
    assert caught.value.where == str(scenario)
