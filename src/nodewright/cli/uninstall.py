"""`nodewright uninstall`: undoes an installation; what it did not make stays as it was."""

from typing import Annotated

from cyclopts import Parameter

from nodewright.cli.install import (
    AccountOption,
    PlanOption,
    follow,
    make,
    open_installer,
    open_plan,
    require_cluster,
)
from nodewright.cli.output import OutputOption
from nodewright.install.wish import Wish


def uninstall(
    *,
    cluster: Annotated[str, Parameter(help="The name of the EKS cluster.")] = "",
    account: AccountOption = AccountOption(),  # noqa: B008 - frozen: sharing the default is safe
    consent: PlanOption = PlanOption(),  # noqa: B008
    output: OutputOption = "table",
) -> int:
    """Take Nodewright off a cluster: plan, consent, then the nodes of its own pool are drained first.

    What an installation made is removed; what it changed is put back; what others made stays. Another
    autoscaler that was scaled to zero gets its replicas back. Status 1: the plan was not applied.

    $ nodewright uninstall --cluster prod-eu
    $ nodewright uninstall --cluster prod-eu --plan-out plan.json
    $ nodewright uninstall --plan plan.json --yes
    """
    installer = open_installer(account)
    saved = open_plan(consent.plan, ("uninstall",))
    wish = saved.wish if saved else Wish(require_cluster(cluster))
    planned = make(installer, "uninstall", wish)
    return follow(installer, planned, saved, consent, output)
