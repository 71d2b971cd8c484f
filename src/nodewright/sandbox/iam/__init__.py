"""IAM for the AWS stand-in: who may do what, decided as AWS documents it.

Reading and deciding are pure: a policy document is read into a `Policy`, a call is turned into the
checks that AWS makes for it (`actions/`), and each check is weighed against the layers of policies
that hold for the caller (`evaluate`). What comes out is a value that says which statement decided
and what was lacking; error bodies and simulation answers are renderings of it. Only `callers`
and `gate` know the stand-in's state and its server.
"""
