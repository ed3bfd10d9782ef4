-- Instants are microseconds of UTC since 1970.

-- intake_version grows with whatever a form takes in by: whoever kept it may ask whether it still
-- holds.
CREATE FUNCTION forms_intake_version_by_fields() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  UPDATE forms SET intake_version = intake_version + 1
    WHERE form_id IN (SELECT form_id FROM changed);
  RETURN NULL;
END $$;
CREATE TRIGGER fields_come AFTER INSERT ON fields REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION forms_intake_version_by_fields();
CREATE TRIGGER fields_change AFTER UPDATE ON fields REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION forms_intake_version_by_fields();
CREATE TRIGGER fields_go AFTER DELETE ON fields REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION forms_intake_version_by_fields();

CREATE FUNCTION forms_intake_version() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.intake_version := OLD.intake_version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER forms_intake_changes BEFORE UPDATE OF intake, environment, account ON forms
  FOR EACH ROW EXECUTE FUNCTION forms_intake_version();

-- Submissions set aside: json as in submissions, fields those that releasing it would add.
CREATE TABLE spam (
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (form_id),
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  reason TEXT NOT NULL,
  json TEXT NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY (form_id, submitted_at, id)
);
CREATE INDEX spam_by_age ON spam (submitted_at);

-- What was answered to a sender that may repeat itself. request is a hash; key is whatever bytes
-- the sender chose.
CREATE TABLE receipts (
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (form_id),
  key BYTEA NOT NULL,
  request BYTEA NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  PRIMARY KEY (form_id, key)
);
CREATE INDEX receipts_by_age ON receipts (submitted_at);

-- A long import, known by what it is made from, so that one that was killed goes on. fields are those
-- that it brings, as JSON: answers bear their keys already. began_at is the instant for submissions
-- that have none of their own. touched_at is when it last went on, by the database's clock. One that
-- is_done stays listed for some days, for those who waited for it.
CREATE TABLE imports (
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (form_id),
  fingerprint BYTEA NOT NULL,
  import BIGINT GENERATED ALWAYS AS IDENTITY,
  fields TEXT NOT NULL,
  began_at BIGINT NOT NULL,
  inserted BIGINT NOT NULL DEFAULT 0,
  is_done BOOLEAN NOT NULL DEFAULT FALSE,
  touched_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (form_id, fingerprint)
);

-- What is there of imports under way, in the order of their sources. Nobody sees it before it moves
-- among the submissions.
CREATE TABLE import_rows (
  form_id TEXT COLLATE "C" NOT NULL,
  import BIGINT NOT NULL,
  place BIGINT NOT NULL,
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  utm_source TEXT,
  utm_medium TEXT,
  utm_campaign TEXT,
  json TEXT NOT NULL,
  searched TEXT NOT NULL,
  PRIMARY KEY (form_id, import, place)
);

-- How many rows of an import that is being shown lie in a day, by UTM values as in submission_days.
-- Written and deleted by one transaction, so that nobody ever sees any.
CREATE TABLE import_days (
  form_id TEXT COLLATE "C" NOT NULL,
  import BIGINT NOT NULL,
  day BIGINT NOT NULL,
  utm_source TEXT COLLATE "C" NOT NULL,
  utm_medium TEXT COLLATE "C" NOT NULL,
  utm_campaign TEXT COLLATE "C" NOT NULL,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (form_id, import, day, utm_source, utm_medium, utm_campaign)
);
