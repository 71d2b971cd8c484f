from nodewright.cli.main import run


def test_a_workload_must_be_named(capsys):
    assert run(["tune", "--wait-p95", "60"]) == 2
    assert "no workload was named" in capsys.readouterr().err


def test_a_limit_that_is_none_is_refused(capsys):
    assert run(["tune", "--workload", "ci-bursts", "--wait-p95", "-5"]) == 2
    assert "--wait-p95" in capsys.readouterr().err
