-- How many days a form keeps its trash; 0 deletes permanently at once.
ALTER TABLE forms ADD COLUMN trash_days INTEGER NOT NULL DEFAULT 30;

-- Submissions that a form keeps and does not list. state is 'spam' or 'trash'. moved_at is when the
-- row came here, batch the owner's move that brought it, reason why it is spam, fields those that
-- intake set aside with it. json and utm_* are as in submissions, text as in submission_texts; text
-- is NULL in a row of intake. The last three columns are as in insight_corrections.
CREATE TABLE unlisted (
  form INTEGER NOT NULL REFERENCES forms (seq),
  state TEXT NOT NULL,
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  batch TEXT,
  reason TEXT,
  fields TEXT NOT NULL,
  utm_source TEXT,
  utm_medium TEXT,
  utm_campaign TEXT,
  json TEXT NOT NULL,
  text BLOB,
  analysis TEXT,
  correction TEXT,
  corrected_at INTEGER,
  PRIMARY KEY (form, state, submitted_at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unlisted_by_batch ON unlisted (form, batch) WHERE batch IS NOT NULL;
CREATE INDEX unlisted_by_age ON unlisted (form, state, moved_at);

INSERT INTO unlisted (form, state, submitted_at, id, moved_at, reason, fields, json)
  SELECT form, 'spam', submitted_at, id, submitted_at, reason, fields, json FROM spam;
DROP TABLE spam;
INSERT OR IGNORE INTO chores (name) VALUES ('vacuum');
