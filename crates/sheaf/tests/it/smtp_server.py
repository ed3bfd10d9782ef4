"""Mail server of the tests. Prints its port, then each accepted e-mail as a line of JSON.

The argument is JSON: `port`, `tls` (`starttls` or `implicit`) with `certificate` and `key`, `login`
([name, password]) and `refuse` (recipients that contain this text).
"""

import asyncio
import base64
import json
import ssl
import sys
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP, AuthResult

OPTIONS = json.loads(sys.argv[1])


def describe(session, envelope):
    raw = envelope.original_content
    message = message_from_bytes(raw, policy=policy.default)
    parts = [part for part in message.walk() if not part.is_multipart()]
    return {
        "from": envelope.mail_from,
        "to": envelope.rcpt_tos,
        "headers": [[name, str(value)] for name, value in message.items()],
        "parts": {part.get_content_type(): part.get_content() for part in parts},
        "defects": [str(defect) for part in message.walk() for defect in part.defects],
        "raw": base64.b64encode(raw).decode(),
        "is_encrypted": session.ssl is not None or OPTIONS.get("tls") == "implicit",
        "user": session.auth_data,
    }


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if "refuse" in OPTIONS and OPTIONS["refuse"] in address:
            return "550 5.1.1 no such user here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 recipient accepted"

    async def handle_DATA(self, server, session, envelope):
        print(json.dumps(describe(session, envelope)), flush=True)
        return "250 2.0.0 queued as TEST"


def authenticate(server, session, envelope, mechanism, data):
    credentials = [data.login.decode(), data.password.decode()]
    if credentials == OPTIONS["login"]:
        return AuthResult(success=True, auth_data=credentials[0])
    return AuthResult(success=False, handled=False, message="535 5.7.8 wrong password")


async def main():
    context = None
    if "tls" in OPTIONS:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(OPTIONS["certificate"], OPTIONS["key"])
    is_implicit = OPTIONS.get("tls") == "implicit"

    def session():
        login = {}
        if "login" in OPTIONS:
            login = {"authenticator": authenticate, "auth_required": True}
        return SMTP(
            Handler(),
            hostname="mail.test",
            tls_context=None if is_implicit else context,
            require_starttls=context is not None and not is_implicit,
            auth_require_tls=context is not None and not is_implicit,
            **login,
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        session, "127.0.0.1", OPTIONS.get("port", 0), ssl=context if is_implicit else None
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    # Ends with the test, also if the test is killed.
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
