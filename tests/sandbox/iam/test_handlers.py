"""The simulator, the decoding of refusals and the taking in of documents, over the wire."""

import json

from builders.callers import allowing, document, refusal


def test_the_encoded_message_of_ec2_is_decoded_by_sts(cloud):
    _, message = refusal(cloud.user()("ec2").describe_vpcs)
    encoded = message.rpartition(": ")[2]
    told = cloud.client("sts").decode_authorization_message(EncodedMessage=encoded)

    assert json.loads(told["DecodedMessage"])["context"]["action"] == "ec2:DescribeVpcs"


def test_the_simulator_answers_for_roles_over_the_wire(cloud):
    iam = cloud.client("iam")
    trust = {"Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    arn = cloud.role("node", trust, allowing("ec2:DescribeInstances", resource="*"))
    iam.attach_role_policy(
        RoleName="node", PolicyArn="arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"
    )
    actions = ["ec2:DescribeInstances", "ecr:BatchGetImage", "ec2:RunInstances"]
    results = iam.simulate_principal_policy(PolicySourceArn=arn, ActionNames=actions)[
        "EvaluationResults"
    ]

    assert [one["EvalDecision"] for one in results] == ["allowed", "allowed", "implicitDeny"]
    assert results[0]["MatchedStatements"][0]["SourcePolicyId"] == "role_node_p0"
    assert results[1]["MatchedStatements"][0]["SourcePolicyType"] == "aws-managed"
    assert refusal(
        iam.simulate_principal_policy, PolicySourceArn=f"{arn}x", ActionNames=actions
    )[0] == "NoSuchEntity"  # fmt: skip


def test_custom_policies_are_simulated_and_their_keys_listed(cloud):
    iam = cloud.client("iam")
    policy = json.dumps(
        allowing("sqs:*", Condition={"StringEquals": {"aws:ResourceTag/team": "a"}})
    )
    asked = {"PolicyInputList": [policy], "ActionNames": ["sqs:SendMessage"]}
    (result,) = iam.simulate_custom_policy(**asked)["EvaluationResults"]

    assert result["MissingContextValues"] == ["aws:ResourceTag/team"]
    keys = iam.get_context_keys_for_custom_policy(PolicyInputList=[policy])
    assert keys["ContextKeyNames"] == ["aws:ResourceTag/team"]
    assert refusal(iam.simulate_custom_policy, **{**asked, "PolicyInputList": ["{"]})[0] == (
        "InvalidInput"
    )


def test_documents_that_aws_would_not_take_are_refused(cloud):
    iam = cloud.client("iam")
    trust = {"Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    cloud.role("r", trust)
    wrong = json.dumps(allowing("RunInstances"))
    large = json.dumps(allowing(*(f"ec2:Describe{number:030}" for number in range(300))))

    assert refusal(iam.create_policy, PolicyName="p", PolicyDocument=wrong)[0] == (
        "MalformedPolicyDocument"
    )
    assert refusal(iam.put_role_policy, RoleName="r", PolicyName="p", PolicyDocument="{")[0] == (
        "MalformedPolicyDocument"
    )
    code, message = refusal(iam.create_policy, PolicyName="p", PolicyDocument=large)
    assert (code, message) == ("LimitExceeded", "Cannot exceed quota for PolicySize: 6144")
    trusting = json.dumps(document({**trust, "Resource": "*"}))
    code, message = refusal(iam.create_role, RoleName="x", AssumeRolePolicyDocument=trusting)
    assert (code, message) == ("MalformedPolicyDocument", "Has prohibited field Resource.")
