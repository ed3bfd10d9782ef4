-- The audit log: a chain of notes for each account ('' where none is known). A note is never changed, and
-- leaves only from the beginning of its chain, up to the place that audit_starts names.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  place INTEGER NOT NULL,
  at INTEGER NOT NULL,
  environment TEXT,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  device TEXT,
  browser TEXT,
  address TEXT,
  request TEXT,
  action TEXT NOT NULL,
  object_kind TEXT,
  object_id TEXT,
  outcome TEXT NOT NULL,
  code TEXT,
  detail TEXT NOT NULL CHECK (LENGTH(CAST(detail AS BLOB)) <= 1024),
  prev_hash BLOB NOT NULL,
  hash BLOB NOT NULL,
  UNIQUE (account, place)
) STRICT;
CREATE INDEX audit_by_object ON audit (account, object_id, place) WHERE object_id IS NOT NULL;

-- Where each chain ends: by it a note is missed that was taken from the end.
CREATE TABLE audit_heads (
  account TEXT PRIMARY KEY NOT NULL,
  place INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Behind which note each chain begins, where its first ones were dropped for their age.
CREATE TABLE audit_starts (
  account TEXT PRIMARY KEY NOT NULL,
  place INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'a note of the audit log is never changed');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
  WHEN OLD.place > COALESCE((SELECT place FROM audit_starts WHERE account = OLD.account), 0)
BEGIN
  SELECT RAISE(ABORT, 'a note of the audit log is never deleted before its time');
END;
CREATE TRIGGER audit_goes_on BEFORE INSERT ON audit
  WHEN NEW.place <> COALESCE((SELECT place FROM audit_heads WHERE account = NEW.account), 0) + 1
BEGIN
  SELECT RAISE(ABORT, 'a note of the audit log goes behind the last');
END;
CREATE TRIGGER audit_heads_go_on BEFORE UPDATE ON audit_heads
  WHEN NEW.account <> OLD.account OR NEW.place <> OLD.place + 1
BEGIN
  SELECT RAISE(ABORT, 'the audit log ends with its last note');
END;
CREATE TRIGGER audit_heads_stay BEFORE DELETE ON audit_heads BEGIN
  SELECT RAISE(ABORT, 'the audit log keeps its end');
END;
CREATE TRIGGER audit_starts_go_on BEFORE UPDATE ON audit_starts
  WHEN NEW.account <> OLD.account OR NEW.place <= OLD.place
BEGIN
  SELECT RAISE(ABORT, 'the audit log begins no earlier than it did');
END;
CREATE TRIGGER audit_starts_stay BEFORE DELETE ON audit_starts BEGIN
  SELECT RAISE(ABORT, 'the audit log keeps its beginning');
END;
