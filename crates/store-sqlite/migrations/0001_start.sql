-- Instants are microseconds of UTC since 1970. Text compares byte by byte.

CREATE TABLE accounts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_folded TEXT NOT NULL UNIQUE,
  plan TEXT NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE links (
  token BLOB PRIMARY KEY NOT NULL,
  account TEXT NOT NULL REFERENCES accounts (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  token BLOB PRIMARY KEY NOT NULL,
  account TEXT NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL REFERENCES accounts (id),
  secret BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  environment TEXT NOT NULL,
  prefix TEXT NOT NULL,
  last4 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX keys_by_account ON keys (account, created_at);

-- submission_count is kept by the transactions that insert and delete submissions.
CREATE TABLE forms (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  environment TEXT NOT NULL,
  analysis INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  submission_count INTEGER NOT NULL DEFAULT 0 CHECK (submission_count >= 0)
) STRICT;
CREATE INDEX forms_by_account ON forms (account, created_at);

CREATE TABLE fields (
  form INTEGER NOT NULL REFERENCES forms (seq),
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (form, place),
  UNIQUE (form, id),
  UNIQUE (form, key)
) STRICT, WITHOUT ROWID;

-- json is the submission as it stands on the wire: pages and exports are read in the table's own
-- order and never put together again.
CREATE TABLE submissions (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  utm_source TEXT,
  utm_medium TEXT,
  utm_campaign TEXT,
  json TEXT NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX submissions_by_id ON submissions (id);
-- Counts a stretch of time without reading the JSON.
CREATE INDEX submissions_by_time ON submissions (form, submitted_at, id);
-- Each finds, orders and counts by its own UTM value, and checks the other two on the way.
CREATE INDEX submissions_by_source
  ON submissions (form, utm_source, submitted_at, id, utm_medium, utm_campaign)
  WHERE utm_source IS NOT NULL;
CREATE INDEX submissions_by_medium
  ON submissions (form, utm_medium, submitted_at, id, utm_source, utm_campaign)
  WHERE utm_medium IS NOT NULL;
CREATE INDEX submissions_by_campaign
  ON submissions (form, utm_campaign, submitted_at, id, utm_source, utm_medium)
  WHERE utm_campaign IS NOT NULL;

-- What a search reads: the folded answer values, each followed by the byte FF, which no UTF-8 text
-- contains, so that nothing is found across two values.
CREATE TABLE submission_texts (
  form INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  text BLOB NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  name TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What is to be done when there is time, and must not be forgotten by a restart.
CREATE TABLE chores (
  name TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
