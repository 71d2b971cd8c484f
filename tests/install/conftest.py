import pytest

from nodewright.aws import session


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a machine that is busy take its time: how long AWS may take is not what is tested here."""
    monkeypatch.setattr(session, "_READ_DEFAULT_S", 600)
