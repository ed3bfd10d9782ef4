-- Instants are microseconds of UTC since 1970. Ids compare byte by byte. What belongs to a form has
-- form_id in its key, so that forms can be spread over machines. Texts that people wrote are escaped,
-- so that they can hold whatever people write.

CREATE TABLE forms (
  form_id TEXT COLLATE "C" PRIMARY KEY,
  -- In which order they were made.
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  environment TEXT NOT NULL,
  analysis BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL,
  -- Kept by the transactions that insert and delete submissions.
  submission_count BIGINT NOT NULL DEFAULT 0 CHECK (submission_count >= 0),
  -- What the owner set, as JSON; empty is the default. The version grows with whatever a form takes
  -- in by.
  intake TEXT,
  intake_version BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX forms_by_account ON forms (account, created_at, seq);

CREATE TABLE fields (
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (form_id),
  place BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (form_id, place),
  UNIQUE (form_id, id),
  UNIQUE (form_id, key)
);
