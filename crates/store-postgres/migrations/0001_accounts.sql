-- Instants are microseconds of UTC since 1970. Ids and folded mail addresses compare byte by byte. Of
-- secrets and tokens only hashes are kept.

CREATE TABLE accounts (
  id TEXT COLLATE "C" PRIMARY KEY,
  -- In which order they were made.
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  email TEXT NOT NULL,
  email_folded TEXT COLLATE "C" NOT NULL CONSTRAINT accounts_by_email UNIQUE,
  plan TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- Who may come into an account: its owner, and the readers whom the owner let in. An owner's id is
-- that of the account under another prefix.
CREATE TABLE people (
  id TEXT COLLATE "C" PRIMARY KEY,
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL,
  email_folded TEXT COLLATE "C" NOT NULL CONSTRAINT people_by_email UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'reader')),
  password_hash TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX people_by_account ON people (account, created_at);
CREATE UNIQUE INDEX people_owners ON people (account) WHERE role = 'owner';

-- Links and sessions are a person's, and go with them.
CREATE TABLE links (
  token BYTEA PRIMARY KEY,
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX links_by_person ON links (person);
CREATE INDEX links_by_end ON links (expires_at);

-- proven_at is when whoever is signed in last showed who they are: by the sign-in, or by the password
-- after it. Device and browser are as the browser tells them.
CREATE TABLE sessions (
  token BYTEA PRIMARY KEY,
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  proven_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  device TEXT,
  browser TEXT
);
CREATE INDEX sessions_by_person ON sessions (person);
CREATE INDEX sessions_by_use ON sessions (seen_at);
CREATE INDEX sessions_by_age ON sessions (created_at);

-- As whom people are known to those who vouch for them: an auth proxy, or whoever signs assertions.
-- The digest is that of issuer and subject together.
CREATE TABLE identities (
  digest BYTEA PRIMARY KEY,
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL
);
CREATE INDEX identities_by_person ON identities (person, created_at);

-- By which identity a session began. It follows its session when that gets another token.
CREATE TABLE identity_sessions (
  token BYTEA PRIMARY KEY REFERENCES sessions (token) ON DELETE CASCADE ON UPDATE CASCADE,
  identity BYTEA NOT NULL REFERENCES identities (digest) ON DELETE CASCADE
);
CREATE INDEX identity_sessions_by_identity ON identity_sessions (identity);

-- Room is left in each page, so that a note of use needs no other one and no index.
CREATE TABLE keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
  secret BYTEA NOT NULL UNIQUE,
  name TEXT NOT NULL,
  environment TEXT NOT NULL,
  prefix TEXT NOT NULL,
  last4 TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT,
  revoked_at BIGINT
) WITH (fillfactor = 70);
CREATE INDEX keys_by_account ON keys (account, created_at);

CREATE TABLE secrets (
  name TEXT COLLATE "C" PRIMARY KEY,
  value BYTEA NOT NULL
);
