"""Make the EC2 table: `make.py packages` for the bundled one, `make.py aws` from your own account.

From packages nothing but pip and go is needed. From AWS, boto3 and credentials are: the permissions
ec2:DescribeInstanceTypes, ec2:DescribeInstanceTypeOfferings, ec2:DescribeSpotPriceHistory and
pricing:GetProducts.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from nodewright.catalog.table import read_table
from nodewright.model.errors import UserError

_BUNDLED = Path(__file__).resolve().parents[2] / "src/nodewright/catalog/ec2.table"


def main() -> int:
    """Make the table that the command line asks for, and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    ways = parser.add_subparsers(dest="way", required=True)
    bundle = ways.add_parser("packages", help="from ordinary packages")
    bundle.add_argument("--output", type=Path, default=_BUNDLED)
    live = ways.add_parser("aws", help="from AWS itself, with your credentials")
    live.add_argument("--region", action="append", required=True, help="may be given again")
    live.add_argument("--profile")
    live.add_argument("--output", type=Path, required=True)
    asked = parser.parse_args()
    try:
        content = _make(asked)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    asked.output.write_bytes(content)
    table = read_table(content, str(asked.output))
    print(
        f"{asked.output}: {len(content):,} bytes, {len(table.shapes)} types,"
        f" {len(table.regions)} regions"
    )
    for source in table.sources:
        print(f"  {source.date or 'no date'}  {source.what} ({source.package})")
    return 0


def _make(asked: argparse.Namespace) -> bytes:
    if asked.way == "aws":
        import account

        return account.make_live(asked.region, asked.profile)
    import bundle

    with tempfile.TemporaryDirectory() as scratch:
        return bundle.make_bundle(Path(scratch))


if __name__ == "__main__":
    sys.exit(main())
