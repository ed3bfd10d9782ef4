-- submissions_by_triage has the same columns and more.
DROP INDEX submissions_by_labels;

-- The triage of a submission moves with it to spam or trash. The columns are those of submissions.
ALTER TABLE unlisted
  ADD COLUMN triage TEXT COLLATE "C",
  ADD COLUMN status TEXT COLLATE "C",
  ADD COLUMN is_starred BOOLEAN,
  ADD COLUMN tags TEXT COLLATE "C",
  ADD COLUMN assignee TEXT COLLATE "C";

-- Notes about submissions, and the changes of their triage: the newest entry of a submission has the
-- highest place. They belong to the submission in any state, so that they survive moves. A permanent
-- deletion deletes them. There are no triggers for this, because submissions can be distributed over
-- machines. The members may have been removed.
CREATE TABLE notes (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  submission TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  author TEXT COLLATE "C",
  text TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  edited_at BIGINT,
  PRIMARY KEY (form_id, submitted_at, submission, id)
);
CREATE TABLE triage_history (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  submission TEXT COLLATE "C" NOT NULL,
  place BIGINT NOT NULL,
  at BIGINT NOT NULL,
  person TEXT COLLATE "C",
  change TEXT NOT NULL,
  PRIMARY KEY (form_id, submitted_at, submission, place)
);

-- Statuses and tags of an account, as JSON.
CREATE TABLE account_triage (
  account TEXT COLLATE "C" PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  settings TEXT NOT NULL
);

-- Instances of the version before delete forms without the notes.
CREATE FUNCTION deleted_forms_triage() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM notes WHERE form_id = OLD.form_id;
  DELETE FROM triage_history WHERE form_id = OLD.form_id;
  RETURN NULL;
END $$;
CREATE TRIGGER deleted_form_notes_end AFTER DELETE ON deleted_forms
  FOR EACH ROW EXECUTE FUNCTION deleted_forms_triage();
