-- Who may come into an account: its owner, and the readers whom the owner let in. An owner's id is
-- that of the account under another prefix.
CREATE TABLE people (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL,
  email_folded TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'reader')),
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX people_by_account ON people (account, created_at);
CREATE UNIQUE INDEX people_owners ON people (account) WHERE role = 'owner';

INSERT INTO people (id, account, email, email_folded, role, password_hash, created_at)
  SELECT 'psn_' || substr(id, 5), id, email, email_folded, 'owner', password_hash, created_at
  FROM accounts ORDER BY seq;
ALTER TABLE accounts DROP COLUMN password_hash;

-- Links and sessions are a person's, and go with them.
ALTER TABLE links RENAME TO links_of_accounts;
CREATE TABLE links (
  token BLOB PRIMARY KEY NOT NULL,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO links (token, person, expires_at)
  SELECT token, 'psn_' || substr(account, 5), expires_at FROM links_of_accounts;
DROP TABLE links_of_accounts;
CREATE INDEX links_by_person ON links (person);

-- proven_at is when whoever is signed in last showed who they are: by the sign-in, or by the
-- password after it.
ALTER TABLE sessions RENAME TO sessions_of_accounts;
CREATE TABLE sessions (
  token BLOB PRIMARY KEY NOT NULL,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  proven_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  device TEXT,
  browser TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO sessions (token, person, created_at, proven_at, seen_at, device, browser)
  SELECT token, 'psn_' || substr(account, 5), created_at, created_at, seen_at, device, browser
  FROM sessions_of_accounts;
DROP TABLE sessions_of_accounts;
CREATE INDEX sessions_by_person ON sessions (person, seen_at);
