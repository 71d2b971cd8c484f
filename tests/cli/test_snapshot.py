"""`nodewright snapshot`: a file that is written whole, or a sentence."""

from nodewright.cli.main import run


def test_without_a_cluster_nothing_is_written(tmp_path, capsys):
    path = tmp_path / "cluster.json"

    assert run(["snapshot", "--kubeconfig", str(tmp_path / "no"), "-o", str(path)]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("error[NW-94")
    assert told.out == ""
    assert not path.exists()


def test_an_api_that_is_not_there_is_one_sentence(tmp_path, capsys):
    assert run(["snapshot", "--api", "http://127.0.0.1:1"]) == 2
    assert capsys.readouterr().err.startswith(
        "error[NW-9604]: the controller's API cannot be reached"
    )
