"""What the document cannot say to schemathesis, so that all its checks can stay on.

A valid request may still name what only this server knows: a form, a field, a cursor that it gave.
Valid cases get real ones here; cases that shall be refused are left as they are.
"""

import functools
import itertools
import os
import time
from datetime import datetime, timezone

import requests
import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.engine import observations
from schemathesis.specs.openapi import checks

FORM = os.environ["SHEAF_FORM"]
OTHER_FORM = os.environ["SHEAF_OTHER_FORM"]
FIELD = os.environ["SHEAF_FIELD"]
URL = os.environ["SHEAF_URL"]
COOKIE = {"Cookie": f"__Host-Http-sheaf={os.environ['SHEAF_SESSION']}", "X-Sheaf-Csrf": "1"}
WEBHOOK = os.environ["SHEAF_WEBHOOK"]
WEBHOOK_URL = os.environ["SHEAF_WEBHOOK_URL"]
OPTIONAL = {"limit", "cursor", "date_from", "date_to", "format", "fields", "safe"}
OPTIONAL |= {"before", "state", "score_min", "score_max", "seconds_min", "seconds_max", "starred"}
KEYS = ["name", "note", "score"]
OWN_KEY = os.environ["SHEAF_KEY_ID"]

numbers = itertools.count()
# By the path of a list: the filters of pages that were not the last, and the cursor behind each.
given = {"/v1/forms/{form_id}/submissions": [], "/account/forms/{form_id}/spam": []}
GIVEN_MAX = 100
# Webhooks that cases created, which others delete.
created_webhooks = []
plain_send = requests.adapters.HTTPAdapter.send


def send(adapter, request, **kwargs):
    """Every request comes from an address of its own, by the word of a proxy next door: those
    without a key would soon be refused otherwise. Behind TLS the cookie has another name."""
    n = next(numbers)
    request.headers["X-Forwarded-For"] = f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
    cookie = request.headers.get("Cookie")
    if cookie and "__Host-" not in cookie:
        request.headers["Cookie"] = cookie.replace("sheaf=", "__Host-Http-sheaf=")
    return plain_send(adapter, request, **kwargs)


requests.adapters.HTTPAdapter.send = send

plain_is_prefix = checks._is_prefix_operation


def is_prefix(deleted, read):
    """Deleting all spam empties the list of it, and deleting categories brings the usual ones back;
    list and categories themselves stay. The settings of an operation do not reach scenarios of
    several requests."""
    if deleted.value.endswith(("/spam", "/trash", "/categories")):
        return False
    return plain_is_prefix(deleted, read)


checks._is_prefix_operation = is_prefix


plain_path = observations._same_origin_path


def same_origin_path(value, origin):
    """Texts of answers that begin as addresses do need not be any: such as `http://[`."""
    try:
        return plain_path(value, origin)
    except ValueError:
        return None


observations._same_origin_path = same_origin_path


def instant(text):
    """The instant that a bound names; the first of all where Python cannot read it."""
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return datetime.min.replace(tzinfo=timezone.utc)
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def settle(body):
    """What two members of a body have to do with each other."""
    # What is off cannot be done again.
    if body.get("again"):
        body["analysis"] = True
    # Names stand once, whatever their case.
    names = body.get("categories")
    if isinstance(names, list):
        for n, name in enumerate(names):
            if isinstance(name, dict):
                name["name"] = f"{n} {name['name']}"[:40]
            else:
                names[n] = f"{n} {name}"[:40]
    # A correction says something.
    if set(body) <= {"sentiment", "categories", "language"} and not any(
        value is not None for value in body.values()
    ):
        body["sentiment"] = "mixed"


def settle_fields(body):
    """Every field of the form is named, once, and a new one has a name. None is new most of the
    time, so that the form stays small."""
    form = own("GET", f"/{OTHER_FORM}")["data"]
    edits = body.get("fields", [])
    known = [{**edit, "id": field["id"]} for edit, field in zip(edits, form["fields"])]
    known += [{"id": field["id"]} for field in form["fields"][len(edits) :]]
    new = {"name": "new"} if next(numbers) % 10 == 0 else None
    body["fields"] = known + ([new] if new else [])


def settle_update(body):
    """A change names its submissions by their ids, and a status that every account has. No member
    is known here."""
    for name in ("filter", "count"):
        body.pop(name, None)
    body["ids"] = body.get("ids") or ["sub_0"]
    body["set"] = {**body.get("set", {}), "status": "done", "assignee": None}


def settle_statuses(body):
    """Statuses and tags stand once, and built-in statuses are not defined again."""
    for n, status in enumerate(body.get("statuses", [])):
        status["id"] = f"status_{n}"
    for n, tag in enumerate(body.get("tags", [])):
        tag["name"] = f"tag {n}"


def own(method, path, body=None):
    """Asks as the owner, who may not ask too often."""
    while True:
        answer = requests.request(method, f"{URL}/account/forms{path}", headers=COOKIE, json=body)
        if answer.status_code != 429:
            return answer.json() if answer.content else None
        time.sleep(1)


def remove(form):
    own("POST", f"/{form['id']}/delete", {"name": form["name"]})


def make_room():
    """An account holds so many forms, and copies are forms."""
    forms = own("GET", "")["data"]
    if len(forms) > 50:
        for form in forms:
            if form["id"] not in (FORM, OTHER_FORM):
                remove(form)


def shelved():
    """A submission that was just set aside as spam."""
    sent = {"name": "x", "_gotcha": "x"}
    return requests.post(f"{URL}/f/{FORM}", json=sent).json()["data"]["id"]


@functools.cache
def delivery():
    """A delivery to the webhook."""
    return own("POST", f"/{FORM}/webhooks/{WEBHOOK}/test")["data"]["id"]


def settle_webhook(case, path, query):
    """The webhook of this form stays, and stays enabled, for those who come after. Its log has one
    delivery at least."""
    if isinstance(case.body, dict) and "enabled" in case.body:
        case.body["enabled"] = True
    if case.method != "DELETE":
        path["webhook_id"] = WEBHOOK
    else:
        path["webhook_id"] = created_webhooks.pop() if created_webhooks else "whk_0"
    if "delivery_id" in path:
        path["delivery_id"] = delivery()
    if "before" in query:
        query["before"] = delivery()


def is_nested(value):
    """Whether an object holds objects, or lists that hold more than scalars."""
    lists = [items for items in value.values() if isinstance(items, list)]
    inner = list(value.values()) + [item for items in lists for item in items]
    in_lists = [item for items in lists for item in items]
    return any(isinstance(one, dict) for one in inner) or any(
        isinstance(one, list) for one in in_lists
    )


# What moves submissions to the trash or to spam, and back.
MOVES = ("/trash", "/spam", "/trash/restore", "/spam/restore", "/trash/delete")


def whole(value):
    """A whole number is written without a fraction: `12.0` is an integer to JSON Schema alone."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    return value


def choose(case, query):
    """Exactly one of two members is given, and `ids` come without a filter."""
    body = case.body
    if "days" in body:
        return
    body.pop("ids" if "count" in body or "batch" in body else None, None)
    if not any(body.get(name) is not None for name in ("ids", "count", "batch")):
        body.pop("count", None)
        body.pop("batch", None)
        body["ids"] = []
    if "ids" in body:
        query.clear()


@schemathesis.hook
def before_call(context, case, **kwargs):
    # These have no body anywhere, and one that is sent is ignored.
    if case.method in ("GET", "HEAD", "DELETE", "OPTIONS"):
        case.body = NOT_SET
    path = case.path_parameters or {}
    # The key of this very run is revoked by no case.
    if path.get("key_id") == OWN_KEY:
        path["key_id"] = "key_0"
    # The webhook of this run is deleted by no case, also not by one that saw its id in a list.
    if case.method == "DELETE" and path.get("webhook_id") == WEBHOOK:
        path["webhook_id"] = "whk_0"
    if case.meta is None or not case.meta.generation.mode.is_positive:
        # An empty value counts as not given, which the description does not say of its type.
        for name in OPTIONAL & (case.query or {}).keys():
            if case.query[name] in ("", None, [], [""]):
                case.query[name] = "?"
        # Intake accepts nested objects, which its description leaves out, and a form sends each
        # value as text. An empty form and a list in JSON are refused.
        if case.path.startswith("/f/") and isinstance(case.body, dict):
            is_form = case.media_type != "application/json"
            is_sent_as_text = is_form and not all(isinstance(it, str) for it in case.body.values())
            if is_nested(case.body) or is_sent_as_text:
                case.body = {} if is_form else [case.body]
        return
    # Who signs in has an account.
    if case.method == "POST" and case.path == "/session" and "email" in (case.body or {}):
        case.body = {"email": "owner@example.com", "password": os.environ["SHEAF_PASSWORD"]}
    # Who sets a password knows the one so far; it stays, for those who come after.
    if case.method == "PUT" and case.path == "/password":
        case.body = {name: os.environ["SHEAF_PASSWORD"] for name in ("current", "new")}
    # Who proves that it is them knows the password.
    if case.method == "POST" and case.path == "/session/proof":
        case.body = {"password": os.environ["SHEAF_PASSWORD"]}
    # The owner keeps the address that the others sign in by.
    if case.method == "PUT" and case.path == "/account/email":
        case.body = {"email": "owner@example.com"}
    # Who is let in has a mail address, which nobody else has.
    if case.method == "POST" and case.path == "/people":
        case.body = {"email": f"reader{next(numbers)}@example.com"}
    query = case.query or {}
    if "form_id" in path:
        # What one form takes in is set, what the other takes in is tried.
        is_setting = case.method == "PUT" and case.path.endswith(("/intake", "/fields"))
        path["form_id"] = OTHER_FORM if is_setting else FORM
    if case.path.startswith("/f/") and isinstance(case.body, dict):
        # Answers are of this form's fields.
        case.body = dict(zip(KEYS, case.body.values()))
        # Some of it is spam, so that there is some to list.
        if next(numbers) % 4 == 0:
            case.body["_gotcha"] = "x"
    if "/spam/{id}" in case.path:
        path["id"] = shelved()
    if isinstance(case.body, dict) and case.path.startswith("/account/"):
        case.body = whole(case.body)
        settle(case.body)
        if case.path.endswith("/fields"):
            settle_fields(case.body)
    if "webhook_id" in path:
        settle_webhook(case, path, query)
    if "/webhooks" in case.path and isinstance(case.body, dict) and "url" in case.body:
        # A receiver is one that this server allows.
        case.body["url"] = WEBHOOK_URL
    if "/notifications" in case.path and isinstance(case.body, dict) and "email" in case.body:
        case.body["email"] = f"reader{next(numbers)}@example.com"
    if case.method == "PATCH" and isinstance(case.body, dict):
        settle_update(case.body)
    if case.method == "PUT" and case.path == "/account/triage" and isinstance(case.body, dict):
        settle_statuses(case.body)
    if case.method in ("POST", "PUT") and case.path.endswith(MOVES) and isinstance(case.body, dict):
        choose(case, query)
    if case.method == "POST" and case.path.endswith("/duplicate"):
        make_room()
    # What is deleted is a copy, by its name.
    if case.method == "POST" and case.path == "/account/forms/{form_id}/delete":
        make_room()
        copy = own("POST", f"/{FORM}/duplicate", {})["data"]
        path["form_id"], case.body = copy["id"], {"name": copy["name"]}
    headers = case.headers or {}
    if "Idempotency-Key" in headers:
        # One request has one key.
        headers["Idempotency-Key"] = f"{next(numbers)}-{headers['Idempotency-Key']}"[:255]
    # A cursor is one that this list gave, with the filters with which it gave it.
    if query.pop("cursor", None) is not None and given.get(case.path):
        filters, cursor = given[case.path][next(numbers) % len(given[case.path])]
        limit = {"limit": query["limit"]} if "limit" in query else {}
        case.query = query = {**filters, **limit, "cursor": cursor}
    # Fields are of this form.
    if "fields" in query:
        query["fields"] = FIELD
    # Every account has this status.
    if "status" in query:
        query["status"] = "open"
    # An address has a maximum length.
    if "ids" in query:
        query["ids"] = query["ids"][:20]
    # The time zone exists.
    for member in (query, case.body):
        if isinstance(member, dict) and "time_zone" in member:
            member["time_zone"] = "Europe/Berlin"
    # `date_from` is not after `date_to`.
    if "date_from" in query and "date_to" in query:
        query["date_from"], query["date_to"] = sorted(
            (query["date_from"], query["date_to"]), key=instant
        )
    # No minimum is greater than its maximum.
    for low, high in (("score_min", "score_max"), ("seconds_min", "seconds_max")):
        if low in query and high in query:
            query[low], query[high] = sorted((query[low], query[high]), key=float)


@schemathesis.hook
def after_call(context, case, response):
    path = case.path_parameters or {}
    if response.status_code == 201 and case.path == "/account/forms/{form_id}/webhooks":
        created_webhooks.append(response.json()["data"]["id"])
    if case.method != "GET" or response.status_code != 200 or path.get("form_id") != FORM:
        return
    seen = given.get(case.path)
    cursor = seen is not None and response.json()["pagination"]["next_cursor"]
    if cursor and len(seen) < GIVEN_MAX:
        filters = {**(case.query or {})}
        filters.pop("limit", None)
        filters.pop("cursor", None)
        seen.append((filters, cursor))
