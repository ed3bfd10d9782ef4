-- Submissions from this instant on are unread by default for a member. NULL is the time when the
-- member was added. Submissions from before this version count as read.
ALTER TABLE people ADD COLUMN unread_from BIGINT;
UPDATE people SET unread_from = (extract(epoch FROM now()) * 1000000)::BIGINT;

-- Submissions whose read state differs from the default of a member. They survive moves, so the
-- submission may be listed or not. A permanent deletion deletes them. The member may have been
-- removed.
CREATE TABLE read_marks (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  submission TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (form_id, submitted_at, submission, person)
);
CREATE INDEX read_marks_by_person ON read_marks (form_id, person, submitted_at, submission);

-- Instances of a version before delete forms without the marks.
CREATE OR REPLACE FUNCTION deleted_forms_triage() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM notes WHERE form_id = OLD.form_id;
  DELETE FROM triage_history WHERE form_id = OLD.form_id;
  DELETE FROM read_marks WHERE form_id = OLD.form_id;
  RETURN NULL;
END $$;
