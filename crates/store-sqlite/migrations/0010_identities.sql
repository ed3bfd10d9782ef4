-- As whom people are known to those who vouch for them: an auth proxy, or whoever signs assertions.
-- The digest is that of issuer and subject together.
CREATE TABLE identities (
  digest BLOB PRIMARY KEY NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_person ON identities (person, created_at);

-- By which identity a session began. It follows its session when that gets another token.
CREATE TABLE identity_sessions (
  token BLOB PRIMARY KEY NOT NULL REFERENCES sessions (token) ON DELETE CASCADE ON UPDATE CASCADE,
  identity BLOB NOT NULL REFERENCES identities (digest) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_sessions_by_identity ON identity_sessions (identity);
