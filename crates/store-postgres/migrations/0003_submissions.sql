-- json is the submission as it stands on the wire. The other columns are what it is found by, escaped
-- so that they can hold whatever people write; values of a UTM column that are too long for an index
-- are there as their hash.
CREATE TABLE submissions (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  utm_source TEXT COLLATE "C",
  utm_medium TEXT COLLATE "C",
  utm_campaign TEXT COLLATE "C",
  json TEXT COLLATE "C" NOT NULL,
  searched TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (form_id, submitted_at, id)
) PARTITION BY HASH (form_id);

DO $$ BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE submissions_%s PARTITION OF submissions FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      part, part
    );
  END LOOP;
END $$;
CREATE INDEX submissions_by_id ON submissions (id);
-- Each finds and orders by its own UTM value, and checks the other two on the way.
CREATE INDEX submissions_by_source
  ON submissions (form_id, utm_source, submitted_at, id, utm_medium, utm_campaign)
  WHERE utm_source IS NOT NULL;
CREATE INDEX submissions_by_medium
  ON submissions (form_id, utm_medium, submitted_at, id, utm_source, utm_campaign)
  WHERE utm_medium IS NOT NULL;
CREATE INDEX submissions_by_campaign
  ON submissions (form_id, utm_campaign, submitted_at, id, utm_source, utm_medium)
  WHERE utm_campaign IS NOT NULL;

-- How many submissions of a form lie in a day of UTC, counted since 1970, by their UTM values: empty
-- for none, else the value behind an equals sign. Whoever changes it has the form's own row locked.
CREATE TABLE submission_days (
  form_id TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  utm_source TEXT COLLATE "C" NOT NULL,
  utm_medium TEXT COLLATE "C" NOT NULL,
  utm_campaign TEXT COLLATE "C" NOT NULL,
  submission_count BIGINT NOT NULL CHECK (submission_count >= 0),
  PRIMARY KEY (form_id, day, utm_source, utm_medium, utm_campaign)
) WITH (fillfactor = 70);

-- Finds the rows of a form whose text has all trigrams of a term.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE INDEX submissions_by_trigram ON submissions USING gin (form_id, searched gin_trgm_ops);
