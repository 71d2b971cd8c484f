from nodewright.cli.main import run


def test_a_workload_is_made_up_and_written(tmp_path, capsys):
    out = tmp_path / "cron.jsonl"

    status = run(
        ["record", "--from", "synthetic", "cron-storms:0.1", "--days", "0.1", "-o", str(out)]
    )

    assert status == 0
    assert "entries over 8640 s" in capsys.readouterr().err
    assert out.read_text().startswith('{"trace":"nodewright.dev/v1","name":"cron-storms"')


def test_what_cannot_be_read_is_one_sentence_and_status_2(tmp_path, capsys):
    status = run(["record", "--from", "audit", "-o", str(tmp_path / "x")])

    assert status == 2
    assert "--from audit needs something to read" in capsys.readouterr().err
