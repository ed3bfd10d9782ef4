-- The JSON of the triage has the time of the last change to `done`, in microseconds. It is the last
-- member. Earlier changes are in the history, unless it was full. A quote in a text of the history
-- has a backslash before it, so that only a status has this form.
CREATE TABLE done_times (
  form INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  submission TEXT NOT NULL,
  place INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (form, submitted_at, submission)
) STRICT, WITHOUT ROWID;
-- The other columns are those of the row with the highest place.
INSERT INTO done_times (form, submitted_at, submission, place, at)
  SELECT form, submitted_at, submission, MAX(place), at FROM triage_history
  WHERE instr(change, '"status":"done"') > 0 GROUP BY form, submitted_at, submission;
UPDATE submissions
  SET triage = substr(triage, 1, length(triage) - 1) || ',"done_at":' || d.at || '}'
  FROM done_times AS d
  WHERE d.form = submissions.form AND d.submitted_at = submissions.submitted_at
    AND d.submission = submissions.id AND submissions.triage ->> 'status' = 'done';
UPDATE unlisted
  SET triage = substr(triage, 1, length(triage) - 1) || ',"done_at":' || d.at || '}'
  FROM done_times AS d
  WHERE d.form = unlisted.form AND d.submitted_at = unlisted.submitted_at
    AND d.submission = unlisted.id AND unlisted.triage ->> 'status' = 'done';
DROP TABLE done_times;
