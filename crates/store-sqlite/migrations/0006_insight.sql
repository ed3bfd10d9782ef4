-- The submissions of forms with analysis that have no insight yet, or are to be analysed again.
-- A form's own are taken newest first. Those of a form whose analysis was switched off stay here
-- and wait.
CREATE TABLE insight_queue (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;

-- Those that were tried in vain, and when they are tried again.
CREATE TABLE insight_retries (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX insight_retries_by_due ON insight_retries (form, due_at);

-- The forms whose submissions are still to be looked through for the queue: from this place on,
-- newest first. That is so where analysis is switched on, and when a long import has ended. again:
-- also those that have an insight.
CREATE TABLE insight_sweeps (
  form INTEGER PRIMARY KEY REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  again INTEGER NOT NULL
) STRICT;

-- How many submissions were analysed in a day, counted in days of UTC since 1970.
CREATE TABLE insight_usage (
  account TEXT NOT NULL REFERENCES accounts (id),
  environment TEXT NOT NULL,
  day INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (account, environment, day)
) STRICT, WITHOUT ROWID;

-- The categories of forms that do not have the usual ones, as JSON.
CREATE TABLE insight_categories (
  form INTEGER PRIMARY KEY REFERENCES forms (seq),
  categories TEXT NOT NULL
) STRICT;

-- What owners say instead of the analysis, and what the analysis said, both as JSON. The
-- submission's own JSON holds what comes of the two.
CREATE TABLE insight_corrections (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  analysis TEXT NOT NULL,
  correction TEXT NOT NULL,
  corrected_at INTEGER NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;

-- What came before there was an analysis.
INSERT INTO insight_sweeps (form, submitted_at, id, again)
  SELECT seq, 9223372036854775807, '', 0 FROM forms WHERE analysis;
