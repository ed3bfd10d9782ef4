-- The JSON of the triage has the time of the last change, in microseconds: that of the newest entry
-- of the history, or of the newest note or edit of a note. It is the last member.
CREATE TABLE update_times (
  form INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  submission TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (form, submitted_at, submission)
) STRICT, WITHOUT ROWID;
INSERT INTO update_times (form, submitted_at, submission, at)
  SELECT form, submitted_at, submission, MAX(at) FROM (
    SELECT form, submitted_at, submission, at FROM triage_history
    UNION ALL
    SELECT form, submitted_at, submission, COALESCE(edited_at, created_at) FROM notes)
  GROUP BY form, submitted_at, submission;
UPDATE submissions
  SET triage = COALESCE(substr(triage, 1, length(triage) - 1), '{"status":"open"')
    || ',"updated_at":' || u.at || '}'
  FROM update_times AS u
  WHERE u.form = submissions.form AND u.submitted_at = submissions.submitted_at
    AND u.submission = submissions.id;
UPDATE unlisted
  SET triage = COALESCE(substr(triage, 1, length(triage) - 1), '{"status":"open"')
    || ',"updated_at":' || u.at || '}'
  FROM update_times AS u
  WHERE u.form = unlisted.form AND u.submitted_at = unlisted.submitted_at
    AND u.submission = unlisted.id;
DROP TABLE update_times;
