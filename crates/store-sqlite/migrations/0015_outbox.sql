-- Webhooks of forms. events is a bit set. The previous secret is valid until old_secret_until.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  form INTEGER NOT NULL REFERENCES forms (seq),
  url TEXT NOT NULL,
  events INTEGER NOT NULL,
  format TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  disabled_at INTEGER,
  disabled_reason TEXT,
  failing_since INTEGER,
  secret BLOB NOT NULL,
  old_secret BLOB,
  old_secret_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_by_form ON webhooks (form);

-- Deliveries of events to webhooks: the pending ones, and the log. due_at is the time of the next
-- attempt: 0 at once, NULL never; the end of the lease while is_leased. submission is empty for a test. body is that of the first attempt
-- in the format body_format, attempts a JSON array.
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  nonce TEXT NOT NULL,
  webhook TEXT NOT NULL,
  form INTEGER NOT NULL REFERENCES forms (seq),
  event TEXT NOT NULL,
  submitted_at INTEGER,
  submission TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending',
  due_at INTEGER DEFAULT 0,
  is_leased INTEGER NOT NULL DEFAULT 0,
  retries INTEGER NOT NULL DEFAULT 0,
  body TEXT,
  body_format TEXT,
  attempts TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook);
CREATE INDEX deliveries_by_due ON deliveries (webhook, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_submission ON deliveries (form, submission);
CREATE INDEX deliveries_by_end ON deliveries (created_at) WHERE due_at IS NULL;
CREATE INDEX deliveries_by_failure ON deliveries (webhook, created_at) WHERE state = 'failed';

-- A permanent deletion of a submission also deletes its deliveries, which contain its answers. A
-- move copies the row before it deletes the other one.
CREATE TRIGGER deliveries_of_deleted_submission AFTER DELETE ON submissions BEGIN
  DELETE FROM deliveries
  WHERE form = OLD.form AND submission = OLD.id AND event <> 'submission.deleted' AND NOT EXISTS (
    SELECT 1 FROM unlisted WHERE form = OLD.form AND state IN ('spam', 'trash')
      AND submitted_at = OLD.submitted_at AND id = OLD.id);
END;
CREATE TRIGGER deliveries_of_deleted_unlisted AFTER DELETE ON unlisted BEGIN
  DELETE FROM deliveries
  WHERE form = OLD.form AND submission = OLD.id AND event <> 'submission.deleted' AND NOT EXISTS (
    SELECT 1 FROM submissions
    WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND id = OLD.id);
END;
