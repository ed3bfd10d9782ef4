-- The JSON of the triage has the time of the last change, in microseconds: that of the newest entry
-- of the history, or of the newest note or edit of a note. It is the last member.
CREATE TEMPORARY TABLE update_times ON COMMIT DROP AS
  SELECT form_id, submitted_at, submission, max(at) AS at FROM (
    SELECT form_id, submitted_at, submission, at FROM triage_history
    UNION ALL
    SELECT form_id, submitted_at, submission, coalesce(edited_at, created_at) FROM notes
  ) AS changes
  GROUP BY form_id, submitted_at, submission;
UPDATE submissions AS s
SET triage = coalesce(left(s.triage, -1), '{"status":"open"') || ',"updated_at":' || n.at || '}'
FROM update_times AS n
WHERE s.form_id = n.form_id AND s.submitted_at = n.submitted_at AND s.id = n.submission;
UPDATE unlisted AS u
SET triage = coalesce(left(u.triage, -1), '{"status":"open"') || ',"updated_at":' || n.at || '}'
FROM update_times AS n
WHERE u.form_id = n.form_id AND u.submitted_at = n.submitted_at AND u.id = n.submission;
