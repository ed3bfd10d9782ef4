-- Submissions from this instant on are unread by default for a member. NULL is the time when the
-- member was added. Submissions from before this version count as read.
ALTER TABLE people ADD COLUMN unread_from INTEGER;
UPDATE people SET unread_from = CAST(unixepoch('subsec') * 1000000 AS INTEGER);

-- Submissions whose read state differs from the default of a member. They survive moves, so the
-- submission may be listed or not. The member may have been removed.
CREATE TABLE read_marks (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  submission TEXT NOT NULL,
  person TEXT NOT NULL,
  PRIMARY KEY (form, submitted_at, submission, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX read_marks_by_person ON read_marks (person, form);

-- A permanent deletion also deletes notes, history and marks.
DROP TRIGGER triage_of_deleted_submission;
CREATE TRIGGER triage_of_deleted_submission AFTER DELETE ON submissions
  WHEN NOT EXISTS (SELECT 1 FROM unlisted WHERE form = OLD.form AND state IN ('spam', 'trash')
    AND submitted_at = OLD.submitted_at AND id = OLD.id)
BEGIN
  DELETE FROM notes
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
  DELETE FROM triage_history
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
  DELETE FROM read_marks
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
END;
DROP TRIGGER triage_of_deleted_unlisted;
CREATE TRIGGER triage_of_deleted_unlisted AFTER DELETE ON unlisted
  WHEN NOT EXISTS (SELECT 1 FROM submissions
    WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND id = OLD.id)
BEGIN
  DELETE FROM notes
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
  DELETE FROM triage_history
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
  DELETE FROM read_marks
  WHERE form = OLD.form AND submitted_at = OLD.submitted_at AND submission = OLD.id;
END;
