"""A launch carried out: checked as EC2 checks it, then made of moto's instance, interfaces and volumes."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from moto.core.types import Base64EncodedString
from moto.ec2.models.instances import Instance, MetadataOptions, Reservation
from moto.ec2.utils import random_reservation_id

from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2 import checks, placement, reservations, spotrequests
from nodewright.sandbox.aws.ec2.machines import Machine, begin
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.ec2.spec import Spec
from nodewright.sandbox.aws.ec2.tags import put_tags
from nodewright.sandbox.aws.ec2.volumes import attach_volumes, find_boot_failure
from nodewright.sim.cloud.market import OfferingKey

EFA_ONLY: Final = "efa-only"
# Interfaces of other cards share device numbers; moto keeps them by one number.
_CARD: Final = 1_000


class Order(msgspec.Struct, frozen=True):
    """One launch: what, how it is bought, and on whose behalf."""

    spec: Spec
    kind: str
    fleet_id: str = ""
    token: str = ""
    index: int = 0


def place(account: Account, region: str, spec: Spec) -> tuple[Any, str]:
    """Give the subnet of a launch (moto's object) and its zone."""
    backend = account.inside.backend("ec2", region)
    if spec.subnet_id:
        subnet = next((one for one in backend.describe_subnets() if one.id == spec.subnet_id), None)
        if subnet is None:
            raise AwsError(
                "InvalidSubnetID.NotFound", f"The subnet ID '{spec.subnet_id}' does not exist"
            )
        return subnet, str(subnet.availability_zone)
    default = backend.get_default_subnets()
    if not default:
        raise AwsError(
            "MissingInput", "No subnets found for the default VPC. Please specify a subnet."
        )
    zone = spec.zone or min(default)
    if zone not in default:
        raise AwsError("InvalidInput", f"No default subnet for availability zone: '{zone}'.")
    return default[zone], zone


def kind_of(spec: Spec) -> str:
    """Tell how a launch outside of a fleet is bought."""
    market = (spec.wishes.get("InstanceMarketOptions") or {}).get("MarketType", "")
    return SPOT if market == "spot" else ON_DEMAND


def launch(account: Account, call: Call, order: Order) -> Machine:
    """Launch one machine, or raise what EC2 would say instead."""
    region, spec = call.region, order.spec
    checks.check_rights(account, call)
    subnet, zone = place(account, region, spec)
    image = checks.check_image(account, region, spec)
    groups = checks.check_groups(account, region, spec, subnet)
    profile = checks.check_profile(account, spec)
    key: OfferingKey = (spec.instance_type, zone, order.kind)
    checks.check_user_data(spec)
    checks.check_quota(account, region, key, reserved=spec.is_reserved)
    checks.check_addresses(subnet, spec)
    reserved = reservations.claim(account, region, spec, zone)
    market = market_of(account, region)
    if not reserved and market.depth(key) <= 0:
        raise ice(key)
    group = placement.claim(account, region, spec, zone)
    if order.kind == SPOT:
        spotrequests.require_role(account, call)
    moto = _instance(account, region, order, subnet, groups)
    machine = Machine(moto, region, key, call.principal)
    if not reserved:
        market.take(key)
    machine.reservation_id = _reserve(account, region, moto)
    machine.capacity_reservation_id = reserved
    machine.block_market = spec.is_block
    machine.placement = group
    machine.profile = profile
    machine.fleet_id, machine.token = order.fleet_id, order.token
    machine.wishes = spec.wishes
    machine.interfaces = _interfaces(account, region, moto, spec, groups)
    attach_volumes(account, machine, spec, image)
    _tag(account, machine, spec)
    if order.kind == SPOT:
        spotrequests.open_request(account, machine, spec)
    machine.boot_failure = find_boot_failure(account, machine)
    begin(account, machine)
    return machine


def ice(key: OfferingKey) -> AwsError:
    """Say that an offering is sold out."""
    name, zone, _ = key
    return AwsError(
        "InsufficientInstanceCapacity",
        f"We currently do not have sufficient {name} capacity in the Availability Zone you "
        f"requested ({zone}). Our system will be working on provisioning additional capacity. You "
        f"can currently get {name} capacity by not specifying an Availability Zone in your request.",
        500,
    )


def _instance(account: Account, region: str, order: Order, subnet: Any, groups: list[Any]) -> Any:
    spec = order.spec
    wishes = spec.wishes
    data = wishes.get("UserData")
    first = next(iter(spec.interfaces), {})
    nic: dict[str, Any] = {"DeviceIndex": 0, "SubnetId": subnet.id, "DeleteOnTermination": True}
    if "AssociatePublicIpAddress" in first:
        nic["AssociatePublicIpAddress"] = bool(first["AssociatePublicIpAddress"])
    instance = Instance(  # type: ignore[abstract] # moto itself makes them.
        account.inside.backend("ec2", region),
        str(wishes.get("ImageId", "")),
        Base64EncodedString(str(data)) if data else None,
        groups,
        instance_type=spec.instance_type,
        region_name=region,
        subnet_id=subnet.id,
        nics=[nic],
        key_name=wishes.get("KeyName"),
        ebs_optimized=bool(wishes.get("EbsOptimized", False)),
        monitoring_state="enabled" if _monitored(wishes) else "disabled",
        lifecycle="spot" if order.kind == SPOT else None,
        client_token=order.token or None,
        ami_launch_index=order.index,
        associate_public_ip=None,
    )
    instance.metadata_options = MetadataOptions(
        {name: value for name, value in (wishes.get("MetadataOptions") or {}).items() if value}
    )
    return instance


def _monitored(wishes: Mapping[str, Any]) -> bool:
    return bool((wishes.get("Monitoring") or {}).get("Enabled", False))


def _reserve(account: Account, region: str, moto: Any) -> str:
    reservation = Reservation(random_reservation_id(), account.account_id)
    reservation.instances.append(moto)
    account.inside.backend("ec2", region).reservations[reservation.id] = reservation
    return str(reservation.id)


def _interfaces(
    account: Account, region: str, moto: Any, spec: Spec, groups: list[Any]
) -> list[tuple[Any, int, str]]:
    """Attach every interface beyond the first; give all with their card and kind."""
    backend = account.inside.backend("ec2", region)
    asked = spec.interfaces
    primary = next(iter(moto.nics.values()))
    found = [
        (primary, 0, str(asked[0].get("InterfaceType", "interface")) if asked else "interface")
    ]
    for one in asked[1:]:
        card, device = int(one.get("NetworkCardIndex", 0)), int(one.get("DeviceIndex", 1))
        eni = backend.create_network_interface(
            moto.subnet_id,
            None,
            group_ids=list(one.get("Groups") or [group.id for group in groups]),
            device_index=device,
            delete_on_termination=bool(one.get("DeleteOnTermination", True)),
            description=str(one.get("Description", "")),
        )
        moto.attach_eni(eni, _CARD * card + device)
        eni.device_index = device
        found.append((eni, card, str(one.get("InterfaceType", "interface"))))
    for eni, _, kind in found:
        eni.interface_type = kind
    return found


def _tag(account: Account, machine: Machine, spec: Spec) -> None:
    region, moto = machine.region, machine.moto
    put_tags(account, region, machine.instance_id, spec.tags.get("instance", {}))
    if spec.template is not None:
        managed = {
            "aws:ec2launchtemplate:id": spec.template.template_id,
            "aws:ec2launchtemplate:version": spec.template.version,
        }
        put_tags(account, region, machine.instance_id, managed)
    if machine.fleet_id:
        put_tags(account, region, machine.instance_id, {"aws:ec2:fleet-id": machine.fleet_id})
    for eni, _, _ in machine.interfaces:
        put_tags(account, region, eni.id, spec.tags.get("network-interface", {}))
    for _, device in moto.get_block_device_mapping:
        put_tags(account, region, device.volume_id, spec.tags.get("volume", {}))
