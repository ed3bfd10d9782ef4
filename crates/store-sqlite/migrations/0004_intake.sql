-- intake is what the owner set, as JSON; empty is the default. intake_version grows with whatever a form
-- takes in by: whoever kept it may ask whether it still holds.
ALTER TABLE forms ADD COLUMN intake TEXT;
ALTER TABLE forms ADD COLUMN intake_version INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER forms_intake_version_by_field AFTER INSERT ON fields BEGIN
  UPDATE forms SET intake_version = intake_version + 1 WHERE seq = NEW.form;
END;
CREATE TRIGGER forms_intake_version_by_changed_field AFTER UPDATE ON fields BEGIN
  UPDATE forms SET intake_version = intake_version + 1 WHERE seq = NEW.form;
END;
CREATE TRIGGER forms_intake_version_by_lost_field AFTER DELETE ON fields BEGIN
  UPDATE forms SET intake_version = intake_version + 1 WHERE seq = OLD.form;
END;
CREATE TRIGGER forms_intake_version_by_intake AFTER UPDATE OF intake, environment, account ON forms BEGIN
  UPDATE forms SET intake_version = intake_version + 1 WHERE seq = NEW.seq;
END;

-- Submissions set aside: json as in submissions, fields those that releasing it would add.
CREATE TABLE spam (
  form INTEGER NOT NULL REFERENCES forms (seq),
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  reason TEXT NOT NULL,
  json TEXT NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX spam_by_age ON spam (submitted_at);

-- What was answered to a sender that may repeat itself. request is a hash.
CREATE TABLE receipts (
  form INTEGER NOT NULL REFERENCES forms (seq),
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  id TEXT NOT NULL,
  submitted_at INTEGER NOT NULL,
  PRIMARY KEY (form, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipts_by_age ON receipts (submitted_at);
