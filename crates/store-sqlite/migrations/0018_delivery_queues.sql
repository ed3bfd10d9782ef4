-- An insertion of a pending delivery writes to the table and to one index. A short number stands for
-- the webhook in all indexes. It is not used again, because deliveries of a deleted webhook remain
-- until they are purged.
ALTER TABLE webhooks RENAME TO old_webhooks;
CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
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
) STRICT;
INSERT INTO webhooks (id, form, url, events, format, created_at, disabled_at, disabled_reason,
    failing_since, secret, old_secret, old_secret_until)
  SELECT id, form, url, events, format, created_at, disabled_at, disabled_reason,
    failing_since, secret, old_secret, old_secret_until FROM old_webhooks ORDER BY created_at, id;
DROP TABLE old_webhooks;
CREATE INDEX webhooks_by_form ON webhooks (form);

-- queue is the number of the webhook, or 0 if it was deleted before this step. The other columns are
-- as before. form has no foreign key, which would need an index of its own.
DROP TRIGGER deliveries_of_deleted_submission;
DROP TRIGGER deliveries_of_deleted_unlisted;
ALTER TABLE deliveries RENAME TO old_deliveries;
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  nonce TEXT NOT NULL,
  queue INTEGER NOT NULL,
  webhook TEXT NOT NULL,
  form INTEGER NOT NULL,
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
INSERT INTO deliveries (seq, nonce, queue, webhook, form, event, submitted_at, submission,
    created_at, state, due_at, is_leased, retries, body, body_format, attempts)
  SELECT d.seq, d.nonce, COALESCE(w.seq, 0), d.webhook, d.form, d.event, d.submitted_at,
    d.submission, d.created_at, d.state, d.due_at, d.is_leased, d.retries, d.body, d.body_format,
    d.attempts
  FROM old_deliveries AS d LEFT JOIN webhooks AS w ON w.id = d.webhook ORDER BY d.seq;
DROP TABLE old_deliveries;

-- The queues. The log is in two parts: this index has the deliveries that are due at once, and
-- deliveries_by_webhook has the others.
CREATE INDEX deliveries_by_due ON deliveries (queue, due_at, created_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_webhook ON deliveries (queue, created_at) WHERE due_at IS NOT 0;
-- deliveries_by_due finds the others by the time of the submission.
CREATE INDEX deliveries_by_submission ON deliveries (form, submission)
  WHERE due_at IS NOT 0 OR created_at IS NOT submitted_at OR body IS NOT NULL;
CREATE INDEX deliveries_by_end ON deliveries (created_at) WHERE due_at IS NULL;
CREATE INDEX deliveries_by_failure ON deliveries (queue, created_at) WHERE state = 'failed';

CREATE TRIGGER deliveries_of_deleted_submission AFTER DELETE ON submissions BEGIN
  DELETE FROM deliveries
  WHERE event <> 'submission.deleted' AND seq IN (
    SELECT d.seq FROM deliveries AS d WHERE d.form = OLD.form AND d.submission = OLD.id
      AND (d.due_at IS NOT 0 OR d.created_at IS NOT d.submitted_at OR d.body IS NOT NULL)
    UNION ALL
    SELECT d.seq FROM webhooks AS w CROSS JOIN deliveries AS d ON d.queue = w.seq
      AND d.due_at = 0 AND d.created_at = OLD.submitted_at
    WHERE w.form = OLD.form AND d.submission = OLD.id)
  AND NOT EXISTS (
    SELECT 1 FROM unlisted WHERE form = OLD.form AND state IN ('spam', 'trash')
      AND submitted_at = OLD.submitted_at AND id = OLD.id);
END;
CREATE TRIGGER deliveries_of_deleted_unlisted AFTER DELETE ON unlisted BEGIN
  DELETE FROM deliveries
  WHERE event <> 'submission.deleted' AND seq IN (
    SELECT d.seq FROM deliveries AS d WHERE d.form = OLD.form AND d.submission = OLD.id
      AND (d.due_at IS NOT 0 OR d.created_at IS NOT d.submitted_at OR d.body IS NOT NULL)
    UNION ALL
    SELECT d.seq FROM webhooks AS w CROSS JOIN deliveries AS d ON d.queue = w.seq
      AND d.due_at = 0 AND d.created_at = OLD.submitted_at
    WHERE w.form = OLD.form AND d.submission = OLD.id)
  AND NOT EXISTS (
    SELECT 1 FROM submissions
    WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND id = OLD.id);
END;
