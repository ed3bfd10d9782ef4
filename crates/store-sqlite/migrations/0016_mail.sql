-- Notifications of forms by e-mail. An auto-reply is a row of the kind 'auto_reply' without an
-- address, with a subject and a text. next_at is the earliest time of the next e-mail: 0 at once;
-- the end of the lease while is_leased. retries counts failed attempts, refusals those where the
-- mail server refused the address.
CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  form INTEGER NOT NULL REFERENCES forms (seq),
  kind TEXT NOT NULL,
  email TEXT NOT NULL,
  email_folded TEXT NOT NULL,
  every TEXT NOT NULL,
  content TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  language TEXT NOT NULL,
  subject TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  disabled_at INTEGER,
  disabled_reason TEXT,
  next_at INTEGER NOT NULL DEFAULT 0,
  is_leased INTEGER NOT NULL DEFAULT 0,
  retries INTEGER NOT NULL DEFAULT 0,
  refusals INTEGER NOT NULL DEFAULT 0,
  last_error TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX notifications_by_form ON notifications (form, kind, email_folded);

-- Submissions about which an e-mail is pending. The row has no answers.
CREATE TABLE pending_mails (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  notification TEXT NOT NULL,
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  submission TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pending_mails_by_notification ON pending_mails (notification);
CREATE INDEX pending_mails_by_form ON pending_mails (form);
CREATE INDEX pending_mails_by_age ON pending_mails (created_at);

-- Pending e-mails to members. content is JSON without a secret.
CREATE TABLE account_mails (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL DEFAULT 0,
  is_leased INTEGER NOT NULL DEFAULT 0,
  retries INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Number of e-mails per account, kind and day in UTC, and the hashes of the addresses that received
-- an auto-reply on a day.
CREATE TABLE mail_usage (
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  day INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (account, kind, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE auto_reply_addresses (
  day INTEGER NOT NULL,
  address BLOB NOT NULL,
  PRIMARY KEY (day, address)
) STRICT, WITHOUT ROWID;
