"""Builders for launches on EC2, and the check of a request against botocore's own models."""

import functools

import botocore.session
import msgspec
from botocore.validate import ParamValidator

from builders.awsdrafts import a_cluster
from nodewright.aws.tags import shared_tags
from nodewright.aws.template import TemplateWish
from nodewright.model.ec2nodeclass import EC2NodeClassSpec
from nodewright.model.requirements import Requirements
from nodewright.ports.cloud import LaunchRequest


@functools.cache
def service_model(service):
    return botocore.session.get_session().get_service_model(service)


def mistakes(service, operation, request):
    """Give what botocore would refuse in a request: unknown names, wrong types, wrong values."""
    shape = service_model(service).operation_model(operation).input_shape
    report = ParamValidator().validate(request, shape)
    return [report.generate_report()] * report.has_errors() + list(_odd(shape, request))


def _odd(shape, value):
    if shape.type_name == "structure":
        for name, one in value.items():
            if name in shape.members:
                yield from _odd(shape.members[name], one)
    elif shape.type_name == "list":
        for one in value:
            yield from _odd(shape.member, one)
    elif shape.type_name == "string" and shape.enum and value not in shape.enum:
        yield f"{value!r} is no {shape.name}"


def a_spec(**fields):
    """An EC2NodeClassSpec from its fields in YAML's spelling."""
    fields.setdefault("amiSelectorTerms", [{"alias": "al2023@latest"}])
    return msgspec.convert(fields, EC2NodeClassSpec)


def a_wish(spec=None, **more):
    return TemplateWish(
        **{
            "cluster": a_cluster(),
            "spec": spec or a_spec(),
            "image_id": "ami-0123456789abcdef0",
            "user_data": "#!/bin/bash\ntrue\n",
            "security_groups": ("sg-1", "sg-2"),
            "profile": "demo_1234",
            "tags": shared_tags("demo", "default", "standard", {"team": "search"}),
            "capacity_type": "on-demand",
            **more,
        }
    )


def a_launch(*expressions, **more):
    return LaunchRequest(
        **{
            "token": "11111111-2222-3333-4444-555555555555-0",
            "claim": "default-abcde",
            "claim_uid": "11111111-2222-3333-4444-555555555555",
            "node_pool": "default",
            "node_class": None,
            "requirements": Requirements.from_expressions(expressions),
            "instance_types": (),
            **more,
        }
    )
