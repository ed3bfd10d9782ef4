"""Adapts generated requests to this server, so that all checks of schemathesis stay enabled.

The OpenAPI document cannot state every rule: ids, fields and cursors must exist on the server.
Valid cases get existing values here. Invalid cases stay unchanged, except for a few values that the
server accepts although the document does not describe them.
"""

import functools
import itertools
import os
import time
from datetime import datetime, timezone
from urllib.parse import urlencode

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
OPTIONAL = {"limit", "cursor", "date_from", "date_to", "format", "field", "fields", "safe"}
OPTIONAL |= {"before", "state", "score_min", "score_max", "seconds_min", "seconds_max", "starred"}
OPTIONAL |= {"sort"}
LABELS = ("sentiment", "category", "language", "country", "device", "browser")
LABELS += ("status", "tag", "assignee")
LABELS_CHARS_MAX = 1000
# The server accepts addresses of 4,096 bytes.
QUERY_BYTES_MAX = 3500
KEYS = ["name", "note", "score"]
OWN_KEY = os.environ["SHEAF_KEY_ID"]

numbers = itertools.count()
# Cursors that the server returned, with the filters of their page, by the path of the list.
cursors = {"/v1/forms/{form_id}/submissions": [], "/account/forms/{form_id}/spam": []}
cursors["/account/inbox"] = []
CURSORS_MAX = 100
# Webhooks that earlier cases created. Later cases delete them.
created_webhooks = []
original_send = requests.adapters.HTTPAdapter.send


def send(adapter, request, **kwargs):
    """Sends each request from a different client address, which a local proxy would report.

    Otherwise the rate limit of one address would reject requests without a key. Over TLS the
    cookie has another name.
    """
    n = next(numbers)
    request.headers["X-Forwarded-For"] = f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
    cookie = request.headers.get("Cookie")
    if cookie and "__Host-" not in cookie:
        request.headers["Cookie"] = cookie.replace("sheaf=", "__Host-Http-sheaf=")
    return original_send(adapter, request, **kwargs)


requests.adapters.HTTPAdapter.send = send

original_is_prefix = checks._is_prefix_operation


def is_prefix(deleted, read):
    """Exempts operations that delete the content of a resource, but not the resource.

    Deleting all spam or trash empties the list. Deleting categories restores the default ones.
    The settings in `schemathesis.toml` do not apply to scenarios of several requests.
    """
    if deleted.value.endswith(("/spam", "/trash", "/categories")):
        return False
    return original_is_prefix(deleted, read)


checks._is_prefix_operation = is_prefix


original_path = observations._same_origin_path


def same_origin_path(value, origin):
    """Accepts texts that start like a URL but are none, such as `http://[`."""
    try:
        return original_path(value, origin)
    except ValueError:
        return None


observations._same_origin_path = same_origin_path


def parse_instant(text):
    """Returns the instant of a bound, or the earliest instant if Python cannot parse it."""
    try:
        instant = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return datetime.min.replace(tzinfo=timezone.utc)
    return instant if instant.tzinfo else instant.replace(tzinfo=timezone.utc)


def fix_settings(body):
    """Makes the members of a body consistent with each other."""
    # Analysis cannot be repeated while it is off.
    if body.get("again"):
        body["analysis"] = True
    # Names are unique regardless of case.
    categories = body.get("categories")
    if isinstance(categories, list):
        for n, category in enumerate(categories):
            if isinstance(category, dict):
                category["name"] = f"{n} {category['name']}"[:40]
            else:
                categories[n] = f"{n} {category}"[:40]
    # A correction has at least one value.
    if set(body) <= {"sentiment", "categories", "language"} and not any(
        value is not None for value in body.values()
    ):
        body["sentiment"] = "mixed"


def fix_fields(body):
    """Lists every field of the form once, because the server requires it.

    Only one case in ten adds a field, so that the form stays small.
    """
    form = send_as_owner("GET", f"/{OTHER_FORM}")["data"]
    edits = body.get("fields", [])
    fields = [{**edit, "id": field["id"]} for edit, field in zip(edits, form["fields"])]
    fields += [{"id": field["id"]} for field in form["fields"][len(edits) :]]
    new_field = {"name": "new"} if next(numbers) % 10 == 0 else None
    body["fields"] = fields + ([new_field] if new_field else [])


def fix_update(body):
    """Makes an update valid: it has ids, a status that every account has, and no assignee."""
    for name in ("filter", "count"):
        body.pop(name, None)
    body["ids"] = body.get("ids") or ["sub_0"]
    body["set"] = {**body.get("set", {}), "status": "done", "assignee": None}


def fix_statuses(body):
    """Makes the ids of statuses and the names of tags unique, and different from built-in ones."""
    for n, status in enumerate(body.get("statuses", [])):
        status["id"] = f"status_{n}"
    for n, tag in enumerate(body.get("tags", [])):
        tag["name"] = f"tag {n}"


def send_as_owner(method, path, body=None):
    """Sends a request with the owner's session, and repeats it while it is rate limited."""
    while True:
        response = requests.request(method, f"{URL}/account/forms{path}", headers=COOKIE, json=body)
        if response.status_code != 429:
            return response.json() if response.content else None
        time.sleep(1)


def delete_form(form):
    """Deletes a form with the confirmation that the server requires."""
    send_as_owner("POST", f"/{form['id']}/delete", {"name": form["name"]})


def delete_copies():
    """Deletes the copied forms before the account reaches its maximum number of forms."""
    forms = send_as_owner("GET", "")["data"]
    if len(forms) > 50:
        for form in forms:
            if form["id"] not in (FORM, OTHER_FORM):
                delete_form(form)


def create_spam():
    """Creates a spam submission and returns its id."""
    answers = {"name": "x", "_gotcha": "x"}
    return requests.post(f"{URL}/f/{FORM}", json=answers).json()["data"]["id"]


@functools.cache
def delivery_id():
    """Returns the id of a delivery to the webhook of this run."""
    return send_as_owner("POST", f"/{FORM}/webhooks/{WEBHOOK}/test")["data"]["id"]


def fix_webhook(case, path, query):
    """Keeps the webhook of this run enabled for later cases, and sets ids that exist."""
    if isinstance(case.body, dict) and "enabled" in case.body:
        case.body["enabled"] = True
    if case.method != "DELETE":
        path["webhook_id"] = WEBHOOK
    else:
        path["webhook_id"] = created_webhooks.pop() if created_webhooks else "whk_0"
    if "delivery_id" in path:
        path["delivery_id"] = delivery_id()
    if "before" in query:
        query["before"] = delivery_id()


def is_nested(value):
    """Returns whether an object contains an object, or a list of objects or lists."""
    lists = [items for items in value.values() if isinstance(items, list)]
    members = list(value.values()) + [item for items in lists for item in items]
    list_items = [item for items in lists for item in items]
    return any(isinstance(member, dict) for member in members) or any(
        isinstance(item, list) for item in list_items
    )


# Ends of paths that move submissions to the trash or to spam, and back.
MOVES = ("/trash", "/spam", "/trash/restore", "/spam/restore", "/trash/delete")


def to_integers(value):
    """Converts integral floats to integers: `12.0` is an integer only in JSON Schema."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: to_integers(member) for name, member in value.items()}
    return value


def fix_selection(case, query):
    """Keeps exactly one of `ids`, `count` and `batch`. `ids` cannot be combined with a filter."""
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


def fix_criteria(query):
    """Replaces criteria for fields by one that this form has and that fits its type."""
    criteria = [name for name in query if name == "fld" or name.startswith("fld_")]
    for name in criteria:
        del query[name]
    if criteria:
        query[FIELD] = "filled"


def shorten_labels(query):
    """Shortens long labels, because all labels together can exceed the limit of an address.

    If labels are too long, the first of them stays too long, so that the query stays invalid.
    """
    if len(urlencode(query, doseq=True)) <= QUERY_BYTES_MAX:
        return
    texts = [name for name in LABELS if isinstance(query.get(name), str)]
    too_long = [name for name in texts if len(query[name]) > LABELS_CHARS_MAX]
    for name in texts:
        query[name] = "x" * (LABELS_CHARS_MAX + 1) if name in too_long[:1] else query[name][:10]


@schemathesis.hook
def before_call(context, case, **kwargs):
    # These methods have no body, and the server ignores one.
    if case.method in ("GET", "HEAD", "DELETE", "OPTIONS"):
        case.body = NOT_SET
    path = case.path_parameters or {}
    # No case revokes the key of this run.
    if path.get("key_id") == OWN_KEY:
        path["key_id"] = "key_0"
    # No case deletes the webhook of this run, even if a list returned its id.
    if case.method == "DELETE" and path.get("webhook_id") == WEBHOOK:
        path["webhook_id"] = "whk_0"
    if case.meta is None or not case.meta.generation.mode.is_positive:
        # The server treats an empty value as absent. The document's type does not say so.
        optional = {name for name in case.query or {} if name.startswith("fld_")} | OPTIONAL
        for name in optional & (case.query or {}).keys():
            if case.query[name] in ("", None, [], [""]):
                case.query[name] = "?"
        shorten_labels(case.query or {})
        # Intake accepts nested objects, which the document does not describe, and a form sends
        # each value as text. An empty form and a JSON list are rejected.
        if case.path.startswith("/f/") and isinstance(case.body, dict):
            is_form = case.media_type != "application/json"
            is_sent_as_text = is_form and not all(isinstance(v, str) for v in case.body.values())
            if is_nested(case.body) or is_sent_as_text:
                case.body = {} if is_form else [case.body]
        return
    # Only existing users can sign in.
    if case.method == "POST" and case.path == "/session" and "email" in (case.body or {}):
        case.body = {"email": "owner@example.com", "password": os.environ["SHEAF_PASSWORD"]}
    # A change of password requires the current one. Later cases need the same password.
    if case.method == "PUT" and case.path == "/password":
        case.body = {name: os.environ["SHEAF_PASSWORD"] for name in ("current", "new")}
    # Re-authentication requires the password.
    if case.method == "POST" and case.path == "/session/proof":
        case.body = {"password": os.environ["SHEAF_PASSWORD"]}
    # The owner keeps the address with which other cases sign in.
    if case.method == "PUT" and case.path == "/account/email":
        case.body = {"email": "owner@example.com"}
    # The email address of a new member is unique.
    if case.method == "POST" and case.path == "/people":
        case.body = {"email": f"reader{next(numbers)}@example.com"}
    query = case.query or {}
    if "form_id" in path:
        # Cases change the settings of one form, and send submissions to the other.
        is_setting = case.method == "PUT" and case.path.endswith(("/intake", "/fields"))
        path["form_id"] = OTHER_FORM if is_setting else FORM
    if case.path.startswith("/f/") and isinstance(case.body, dict):
        # The keys of answers are those of this form's fields.
        case.body = dict(zip(KEYS, case.body.values()))
        # Every fourth submission is spam, so that the list of spam has rows.
        if next(numbers) % 4 == 0:
            case.body["_gotcha"] = "x"
    if "/spam/{id}" in case.path:
        path["id"] = create_spam()
    if isinstance(case.body, dict) and case.path.startswith("/account/"):
        case.body = to_integers(case.body)
        fix_settings(case.body)
        if case.path.endswith("/fields"):
            fix_fields(case.body)
    if "/views" in case.path and isinstance(case.body, dict):
        # A random text is not a filter, and `dates` needs one.
        case.body.update(query="search=x", columns="")
    if "webhook_id" in path:
        fix_webhook(case, path, query)
    if "/webhooks" in case.path and isinstance(case.body, dict) and "url" in case.body:
        # The server allows only this URL.
        case.body["url"] = WEBHOOK_URL
    if case.path in ("/people", "/people/{person_id}") and isinstance(case.body, dict):
        # The forms of a member exist, each listed once.
        if case.body.get("forms"):
            case.body["forms"] = [FORM]
    if case.method == "POST" and case.path == "/account/keys":
        # A key ends in the future, and its forms exist in its environment.
        if case.body.get("expires_at") is not None:
            case.body["expires_at"] = "2099-01-01T00:00:00Z"
        if case.body.get("forms") is not None:
            case.body.update(mode="live", forms=[FORM])
    if "/notifications" in case.path and isinstance(case.body, dict):
        # A view is a shared one of the form.
        case.body["view"] = None
        if "email" in case.body:
            case.body["email"] = f"reader{next(numbers)}@example.com"
    if case.method == "PATCH" and case.path.endswith("/submissions") and isinstance(case.body, dict):
        fix_update(case.body)
    if case.method == "PUT" and case.path == "/account/triage" and isinstance(case.body, dict):
        fix_statuses(case.body)
    if case.method in ("POST", "PUT") and case.path.endswith(MOVES) and isinstance(case.body, dict):
        fix_selection(case, query)
    if case.method == "POST" and case.path.endswith("/duplicate"):
        delete_copies()
    # A case deletes a copy of the form. The name confirms the deletion.
    if case.method == "POST" and case.path == "/account/forms/{form_id}/delete":
        delete_copies()
        copy = send_as_owner("POST", f"/{FORM}/duplicate", {})["data"]
        path["form_id"], case.body = copy["id"], {"name": copy["name"]}
    headers = case.headers or {}
    if "Idempotency-Key" in headers:
        # Each request has a different key.
        headers["Idempotency-Key"] = f"{next(numbers)}-{headers['Idempotency-Key']}"[:255]
    # A cursor is valid only for the list that returned it, with the same filters.
    if query.pop("cursor", None) is not None and cursors.get(case.path):
        filters, cursor = cursors[case.path][next(numbers) % len(cursors[case.path])]
        limit = {"limit": query["limit"]} if "limit" in query else {}
        case.query = query = {**filters, **limit, "cursor": cursor}
    # Fields belong to this form.
    for name in {"field", "fields"} & query.keys():
        query[name] = FIELD
    if "fld_" in str(query.get("sort", "")):
        query["sort"] = FIELD
    fix_criteria(query)
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
            (query["date_from"], query["date_to"]), key=parse_instant
        )
    # No minimum is greater than its maximum.
    for low, high in (("score_min", "score_max"), ("seconds_min", "seconds_max")):
        if low in query and high in query:
            query[low], query[high] = sorted((query[low], query[high]), key=float)
    shorten_labels(query)


@schemathesis.hook
def after_call(context, case, response):
    path = case.path_parameters or {}
    if response.status_code == 201 and case.path == "/account/forms/{form_id}/webhooks":
        created_webhooks.append(response.json()["data"]["id"])
    if case.method != "GET" or response.status_code != 200 or path.get("form_id", FORM) != FORM:
        return
    known = cursors.get(case.path)
    cursor = known is not None and response.json()["pagination"]["next_cursor"]
    if cursor and len(known) < CURSORS_MAX:
        filters = {**(case.query or {})}
        filters.pop("limit", None)
        filters.pop("cursor", None)
        known.append((filters, cursor))
