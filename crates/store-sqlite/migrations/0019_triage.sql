-- Status, star, tags and assignee of a submission as JSON; NULL for those of a new submission.
ALTER TABLE submissions ADD COLUMN triage TEXT;
ALTER TABLE unlisted ADD COLUMN triage TEXT;
CREATE INDEX submissions_by_status ON submissions (form, triage ->> 'status')
  WHERE triage IS NOT NULL;
CREATE INDEX unlisted_by_status ON unlisted (form, triage ->> 'status') WHERE triage IS NOT NULL;

-- Notes of members about submissions, listed or not.
CREATE TABLE notes (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  submission TEXT NOT NULL,
  id TEXT NOT NULL,
  author TEXT,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  edited_at INTEGER,
  PRIMARY KEY (form, submitted_at, submission, id)
) STRICT, WITHOUT ROWID;

-- Changes of the triage as JSON. place counts the changes of a submission from 1.
CREATE TABLE triage_history (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  submission TEXT NOT NULL,
  place INTEGER NOT NULL,
  at INTEGER NOT NULL,
  person TEXT,
  change TEXT NOT NULL,
  PRIMARY KEY (form, submitted_at, submission, place)
) STRICT, WITHOUT ROWID;

-- Statuses and tags of accounts as JSON.
CREATE TABLE account_triage (
  account TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id),
  settings TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A permanent deletion also deletes notes and history. A move copies the row before it deletes the
-- other one.
CREATE TRIGGER triage_of_deleted_submission AFTER DELETE ON submissions
  WHEN NOT EXISTS (SELECT 1 FROM unlisted WHERE form = OLD.form AND state IN ('spam', 'trash')
    AND submitted_at = OLD.submitted_at AND id = OLD.id)
BEGIN
  DELETE FROM notes
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
  DELETE FROM triage_history
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
END;
CREATE TRIGGER triage_of_deleted_unlisted AFTER DELETE ON unlisted
  WHEN NOT EXISTS (SELECT 1 FROM submissions
    WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND id = OLD.id)
BEGIN
  DELETE FROM notes
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
  DELETE FROM triage_history
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
END;
