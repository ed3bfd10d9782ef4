-- How many days a form keeps its trash; 0 deletes permanently at once.
ALTER TABLE forms ADD COLUMN trash_days BIGINT NOT NULL DEFAULT 30;

-- Submissions that a form keeps and does not list. state is 'spam' or 'trash'. moved_at is when the
-- row came here, batch the owner's move that brought it, reason why it is spam, fields those that
-- intake set aside with it. json, searched and utm_* are as in submissions; searched is NULL in a
-- row of intake. The last three columns are as in insight_corrections. As with submissions there is
-- no reference to forms: the many rows of a form are deleted piece by piece after the form itself.
CREATE TABLE unlisted (
  form_id TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL DEFAULT 'spam',
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  moved_at BIGINT NOT NULL DEFAULT (extract(epoch FROM now()) * 1000000)::BIGINT,
  batch TEXT COLLATE "C",
  reason TEXT,
  fields TEXT NOT NULL,
  utm_source TEXT COLLATE "C",
  utm_medium TEXT COLLATE "C",
  utm_campaign TEXT COLLATE "C",
  json TEXT COLLATE "C" NOT NULL,
  searched TEXT COLLATE "C",
  analysis TEXT,
  correction TEXT,
  corrected_at BIGINT,
  PRIMARY KEY (form_id, state, submitted_at, id)
);
CREATE INDEX unlisted_by_batch ON unlisted (form_id, batch) WHERE batch IS NOT NULL;
CREATE INDEX unlisted_by_age ON unlisted (form_id, state, moved_at);

-- Nobody writes there between the two.
LOCK TABLE spam;
INSERT INTO unlisted (form_id, state, submitted_at, id, moved_at, reason, fields, json)
  SELECT form_id, 'spam', submitted_at, id, submitted_at, reason, fields, json FROM spam;
DROP TABLE spam;

-- The rest is for instances of the version before, until they are upgraded. They read and write
-- spam by this name; the defaults above are theirs. They see rows of intake alone, since they do not
-- know the reason of the others.
CREATE VIEW spam AS
  SELECT form_id, submitted_at, id, reason, json, fields FROM unlisted
  WHERE state = 'spam' AND searched IS NULL;

-- They delete forms and leave what they do not know.
CREATE FUNCTION deleted_forms_unlisted() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM unlisted WHERE form_id = OLD.form_id;
  RETURN NULL;
END $$;
CREATE TRIGGER deleted_form_ends AFTER DELETE ON deleted_forms
  FOR EACH ROW EXECUTE FUNCTION deleted_forms_unlisted();
