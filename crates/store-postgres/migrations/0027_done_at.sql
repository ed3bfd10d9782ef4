-- The JSON of the triage has the time of the last change to `done`, in microseconds. It is the last
-- member. Earlier changes are in the history, unless it was full. A quote in a text of the history
-- has a backslash before it, so that only a status has this form.
UPDATE submissions AS s SET triage = left(s.triage, -1) || ',"done_at":' || d.at || '}'
FROM (
  SELECT DISTINCT ON (form_id, submitted_at, submission) form_id, submitted_at, submission, at
  FROM triage_history WHERE position('"status":"done"' IN change) > 0
  ORDER BY form_id, submitted_at, submission, place DESC
) AS d
WHERE s.form_id = d.form_id AND s.submitted_at = d.submitted_at AND s.id = d.submission
  AND s.status = 'done';
UPDATE unlisted AS u SET triage = left(u.triage, -1) || ',"done_at":' || d.at || '}'
FROM (
  SELECT DISTINCT ON (form_id, submitted_at, submission) form_id, submitted_at, submission, at
  FROM triage_history WHERE position('"status":"done"' IN change) > 0
  ORDER BY form_id, submitted_at, submission, place DESC
) AS d
WHERE u.form_id = d.form_id AND u.submitted_at = d.submitted_at AND u.id = d.submission
  AND u.status = 'done';
