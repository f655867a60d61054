# Runs after the functions of docs/webhooks.md, with both lists of vectors on standard input. Every
# genuine request must pass, and none in which one bit of what is signed is changed.
import json
import sys


def passes(verify, *request):
    try:
        verify(*request)
        return True
    except NotVerified:  # noqa: F821
        return False


def changes(value):
    if isinstance(value, bytes):
        return (
            value[:i] + bytes([value[i] ^ (1 << bit)]) + value[i + 1 :]
            for i in range(len(value))
            for bit in range(8)
        )
    return (
        value[:i] + chr(ord(value[i]) ^ (1 << bit)) + value[i + 1 :]
        for i in range(len(value))
        for bit in range(8)
    )


def check(verify, headers, body, secrets, *options):
    passed = [passes(verify, headers, body, [secret], *options) for secret in secrets]
    wrong = [passes(verify, headers, body, ["whsec_" + "A" * 44], *options)]
    if len(secrets) == 1:
        for name, value in headers.items():
            for changed in changes(value):
                wrong.append(passes(verify, {**headers, name: changed}, body, secrets, *options))
        for changed in changes(body):
            wrong.append(passes(verify, headers, changed, secrets, *options))
    return all(passed), any(wrong), len(wrong)


vectors = json.load(sys.stdin)
results = []
for vector in vectors["default"]:
    headers = {
        "x-service-timestamp": vector["timestamp"],
        "x-service-signature": vector["header"],
    }
    body = base64.b64decode(vector["bodyBase64"])  # noqa: F821
    results.append(check(verify_default, headers, body, vector["secrets"]))  # noqa: F821
for vector in vectors["standard"]:
    headers = {
        "webhook-id": vector["id"],
        "webhook-timestamp": vector["timestamp"],
        "webhook-signature": vector["header"],
    }
    body = base64.b64decode(vector["bodyBase64"])  # noqa: F821
    now = int(vector["timestamp"])
    results.append(
        check(verify_standard, headers, body, vector["secrets"], 300, lambda now=now: now + 300)  # noqa: F821
    )
    too_late = (300, lambda now=now: now + 301)
    assert not passes(verify_standard, headers, body, vector["secrets"], *too_late)  # noqa: F821
print(json.dumps(results))
