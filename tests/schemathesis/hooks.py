"""What the document cannot say to schemathesis, so that all its checks can stay on.

A valid request may still name what only this server knows: a form, a field, a cursor that it gave.
Valid cases get real ones here; cases that shall be refused are left as they are.
"""

import itertools
import os
from datetime import datetime, timezone

import requests
import schemathesis

FORM = os.environ["SHEAF_FORM"]
FIELD = os.environ["SHEAF_FIELD"]
OWN_KEY = os.environ["SHEAF_KEY_ID"]

numbers = itertools.count()
plain_send = requests.adapters.HTTPAdapter.send


def send(adapter, request, **kwargs):
    """Every request comes from an address of its own, by the word of a proxy next door: those
    without a key would soon be refused otherwise. Behind TLS the cookie has another name."""
    n = next(numbers)
    request.headers["X-Forwarded-For"] = f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
    cookie = request.headers.get("Cookie")
    if cookie and "__Host-" not in cookie:
        request.headers["Cookie"] = cookie.replace("sheaf=", "__Host-sheaf=")
    return plain_send(adapter, request, **kwargs)


requests.adapters.HTTPAdapter.send = send


def instant(text):
    """The instant that a bound names; the first of all where Python cannot read it."""
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return datetime.min.replace(tzinfo=timezone.utc)
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


@schemathesis.hook
def before_call(context, case, **kwargs):
    path = case.path_parameters or {}
    # The key of this very run is revoked by no case.
    if path.get("key_id") == OWN_KEY:
        path["key_id"] = "key_0"
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # Who signs in has an account.
    if case.method == "POST" and case.path == "/session" and "email" in (case.body or {}):
        case.body = {"email": "owner@example.com", "password": os.environ["SHEAF_PASSWORD"]}
    query = case.query or {}
    if "form_id" in path:
        path["form_id"] = FORM
    # A cursor is one that this list gave.
    query.pop("cursor", None)
    # Fields are of this form.
    if "fields" in query:
        query["fields"] = FIELD
    # `date_from` is not after `date_to`.
    if "date_from" in query and "date_to" in query:
        query["date_from"], query["date_to"] = sorted(
            (query["date_from"], query["date_to"]), key=instant
        )
