"""`nodewright catalog` as a user meets it: screens of any width, programs, and mistakes."""

import csv
import io
import json
import subprocess
import sys

import pytest
import yaml

from builders.shapes import a_shape, a_sheet
from nodewright.catalog.query import Query, find
from nodewright.catalog.table import Gpu, Source, bundled_table, read_table, write_table
from nodewright.cli.catalog_view import _SPOT_HINT, Answer, screen_table
from nodewright.cli.main import run


@pytest.fixture(autouse=True)
def _no_region(monkeypatch):
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)


def ask(capsys, *arguments):
    status = run(["catalog", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_a_table_has_prices_zones_and_the_age_of_what_it_says(capsys):
    status, out, err = ask(capsys, "--family", "c7i", "--cpu", "8")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "TYPE         VCPU  MEMORY  ARCH   PODS  ZONES      $/HOUR     SPOT",
        "c7i.2xlarge     8    16Gi  amd64    58  a b c d f  0.3570  ≤0.3570",
        "1 of 1,366 types in us-east-1 match",
        "prices: 1 of 2026-07-06 (karpenter-provider-aws)",
        _SPOT_HINT,
    ]


def test_an_estimated_price_is_marked_and_explained(capsys):
    _, out, _ = ask(capsys, "--region", "ap-northeast-2", "--family", "m8g", "--cpu", "2")
    assert "~0.1103" in out
    assert "1 estimated (~) from us-east-1" in out


def test_an_unknown_price_is_a_question_mark_and_is_counted(capsys):
    _, out, _ = ask(capsys, "--family", "t8i", "--memory", "..1Gi")
    assert out.count("  ?") == 4
    assert "2 unknown (?)" in out


def test_china_is_priced_in_yuan_and_its_zones_are_called_assumed(capsys):
    _, out, _ = ask(capsys, "--region", "cn-north-1", "--family", "m5")
    assert "CN¥/HOUR" in out
    assert "every zone is assumed" in out


def test_a_table_is_cut_and_says_so_but_programs_get_everything(capsys):
    _, table, _ = ask(capsys)
    _, document, _ = ask(capsys, "-o", "json")
    assert "1,366 of 1,366 types in us-east-1 match, 40 shown (--limit 0 for all)" in table
    assert len(json.loads(document)["types"]) == 1366


def test_json_has_amounts_prices_and_their_dates(capsys):
    _, out, _ = ask(capsys, "--family", "m5", "--limit", "1", "-o", "json")
    answer = json.loads(out)
    assert (answer["region"], answer["currency"], answer["matched"]) == ("us-east-1", "USD", 9)
    (machine,) = answer["types"]
    assert machine["name"] == "m5.large"
    assert machine["allocatable"]["memory"] == "6903Mi"
    assert machine["zones"][0] == "us-east-1a"
    assert machine["onDemand"] == {
        "perHour": 0.096,
        "isEstimate": False,
        "source": "github.com/aws/karpenter-provider-aws@v1.14.1",
        "date": "2026-07-06",
    }
    assert machine["spot"]["isEstimate"] is True


def test_yaml_says_the_same_as_json(capsys):
    _, as_json, _ = ask(capsys, "--gpu", "-o", "json")
    _, as_yaml, _ = ask(capsys, "--gpu", "-o", "yaml")
    assert yaml.safe_load(as_yaml) == json.loads(as_json)


def test_csv_has_plain_numbers(capsys):
    _, out, _ = ask(capsys, "--family", "p5", "--sort", "name", "-o", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[-1]["name"] == "p5.48xlarge"
    assert (rows[-1]["gpus"], rows[-1]["gpu_name"]) == ("8", "H100")
    assert float(rows[-1]["on_demand_per_hour"]) == 55.04


def test_no_match_is_no_failure_and_the_result_stays_empty(capsys):
    status, out, err = ask(capsys, "--cpu", "100000..")
    assert (status, out) == (0, "")
    assert err == "no type of us-east-1 matches (1,366 are sold there): loosen a filter\n"


def test_the_region_of_the_shell_is_the_default(capsys, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    _, out, _ = ask(capsys, "--limit", "1", "-o", "json")
    assert json.loads(out)["region"] == "eu-west-1"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--cpu", "many"],
        ["--cpu", "8..4"],
        ["--memory", "64"],
        ["--zone", "us-east-1z"],
        ["--family", "nope"],
        ["--region", "mars"],
        ["--arch", "mips"],
        ["--sort", "size"],
        ["--limit", "-1"],
        ["--capacity-type", "free"],
        ["--table", "/nonexistent"],
    ],
)
def test_a_bad_filter_is_one_sentence_and_status_two(arguments, capsys):
    status, out, err = ask(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error[NW-9")
    assert "Traceback" not in err


def test_a_table_of_ones_own_account_shows_its_spot_prices(capsys, tmp_path):
    shape = a_shape()
    sheet = a_sheet(shape, spot_prices=((31_000_000, 29_500_000),), spot_source=1)
    sources = (
        Source("on-demand prices", "AWS price list", "2026-11-15", ""),
        Source("spot prices", "EC2", "2026-11-15", ""),
    )
    path = tmp_path / "mine.table"
    path.write_bytes(write_table(sources, (shape,), [sheet]))
    status, out, _ = ask(capsys, "--table", str(path), "--region", "xx-test-1")
    assert status == 0
    assert "0.0295" in out
    assert "≤" not in out
    assert "spot: the cheapest zone's price of 2026-11-15 (EC2)" in out


@pytest.mark.parametrize("width", [80, 100, 140])
@pytest.mark.parametrize("region", ["us-east-1", "ap-northeast-2", "us-gov-west-1"])
def test_no_table_is_wider_than_its_screen(width, region):
    table = bundled_table()
    for query in (Query(), Query(needs_gpu=True)):
        found = find(table, region, query)
        shown = screen_table(Answer(table.sheet(region), table.sources, found, found), width)
        titles = [column.title for column in shown.columns]
        widest = [
            max(len(titles[place]), *(len(row[place].text) for row in shown.rows))
            for place in range(len(titles))
        ]
        assert sum(widest) + 3 * len(widest) <= width
        assert {"TYPE", "VCPU", "MEMORY", "$/HOUR"} <= set(titles)
        assert ("GPUS" in titles) is any(entry.shape.gpus for entry in found)


def test_a_narrow_screen_says_what_it_hides():
    table = bundled_table()
    found = find(table, "us-east-1", Query(needs_gpu=True))
    answer = Answer(table.sheet("us-east-1"), table.sources, found, found)
    narrow, wide = screen_table(answer, 80), screen_table(answer, 200)
    assert narrow.notes[-1].startswith("too narrow for local disk, zones, arch, spot:")
    assert _SPOT_HINT not in narrow.notes
    assert wide.notes[-1] == _SPOT_HINT


def test_gpus_are_named_with_their_number():
    shapes = (
        a_shape("g1.large", gpus=(Gpu("L4", "NVIDIA", 0, 1),)),
        a_shape("g2.large", gpus=(Gpu("A", "NVIDIA", 2, 1), Gpu("B", "AMD", 1, 1))),
    )
    content = write_table((Source("", "a", "b", ""),), shapes, [a_sheet(*shapes)])
    table = read_table(content, "here")
    found = find(table, "xx-test-1", Query())
    shown = screen_table(Answer(table.sheet("xx-test-1"), table.sources, found, found), 200)
    place = [column.title for column in shown.columns].index("GPUS")
    assert [row[place].text for row in shown.rows] == ["<1x L4", "2x A 1x B"]


def test_the_catalog_loads_in_a_moment():
    script = (
        "import time; started = time.process_time();"
        "from nodewright.catalog.query import Query, find;"
        "from nodewright.catalog.table import bundled_table;"
        "imported = time.process_time();"
        "find(bundled_table(), 'us-east-1', Query());"
        "print(time.process_time() - imported)"
    )
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(3)
    ]
    assert min(times) < 0.15
