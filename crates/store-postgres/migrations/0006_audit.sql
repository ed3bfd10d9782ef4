-- Instants are microseconds of UTC since 1970.

-- The audit log: a chain of notes for each account ('' where none is known). A note is never changed, and
-- leaves only from the beginning of its chain, up to the place that audit_starts names.
CREATE TABLE audit (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account TEXT COLLATE "C" NOT NULL,
  place BIGINT NOT NULL,
  at BIGINT NOT NULL,
  environment TEXT COLLATE "C",
  actor_kind TEXT COLLATE "C" NOT NULL,
  actor_id TEXT COLLATE "C",
  device TEXT COLLATE "C",
  browser TEXT COLLATE "C",
  address TEXT COLLATE "C",
  request TEXT COLLATE "C",
  action TEXT COLLATE "C" NOT NULL,
  object_kind TEXT COLLATE "C",
  object_id TEXT COLLATE "C",
  outcome TEXT COLLATE "C" NOT NULL,
  code TEXT COLLATE "C",
  detail TEXT COLLATE "C" NOT NULL CHECK (octet_length(detail) <= 1024),
  prev_hash BYTEA NOT NULL,
  hash BYTEA NOT NULL,
  UNIQUE (account, place)
);
CREATE INDEX audit_by_object ON audit (account, object_id, place) WHERE object_id IS NOT NULL;
-- By it a refusal that was noted in the same minute is found.
CREATE INDEX audit_by_refusal ON audit (account, at) WHERE outcome = 'denied';

-- Where each chain ends: by it a note is missed that was taken from the end. Whoever appends holds
-- its row until the note is on disk, so that two never stand in one place.
CREATE TABLE audit_heads (
  account TEXT COLLATE "C" PRIMARY KEY,
  place BIGINT NOT NULL,
  hash BYTEA NOT NULL
);

-- Behind which note each chain begins, where its first ones were dropped for their age.
CREATE TABLE audit_starts (
  account TEXT COLLATE "C" PRIMARY KEY,
  place BIGINT NOT NULL,
  hash BYTEA NOT NULL
);

CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0];
END $$;

CREATE FUNCTION audit_not_before_its_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.place > COALESCE((SELECT place FROM audit_starts WHERE account = OLD.account), 0) THEN
    RAISE EXCEPTION 'a note of the audit log is never deleted before its time';
  END IF;
  RETURN OLD;
END $$;

-- A note goes behind the last, and is the last from then on.
CREATE FUNCTION audit_go_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE audit_heads SET place = NEW.place, hash = NEW.hash
    WHERE account = NEW.account AND place = NEW.place - 1 AND hash = NEW.prev_hash;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a note of the audit log goes behind the last';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION audit_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.place <> COALESCE((SELECT place FROM audit_starts WHERE account = NEW.account), 0) THEN
    RAISE EXCEPTION 'the audit log ends with its last note';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR TRUNCATE ON audit
  EXECUTE FUNCTION audit_refuse('a note of the audit log is never changed');
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION audit_not_before_its_time();
CREATE TRIGGER audit_goes_on BEFORE INSERT ON audit
  FOR EACH ROW EXECUTE FUNCTION audit_go_on();
CREATE TRIGGER audit_heads_begin BEFORE INSERT ON audit_heads
  FOR EACH ROW EXECUTE FUNCTION audit_begin();
CREATE TRIGGER audit_heads_go_on BEFORE UPDATE ON audit_heads
  FOR EACH ROW WHEN (NEW.account <> OLD.account OR NEW.place <> OLD.place + 1)
  EXECUTE FUNCTION audit_refuse('the audit log ends with its last note');
CREATE TRIGGER audit_heads_stay BEFORE DELETE OR TRUNCATE ON audit_heads
  EXECUTE FUNCTION audit_refuse('the audit log keeps its end');
CREATE TRIGGER audit_starts_go_on BEFORE UPDATE ON audit_starts
  FOR EACH ROW WHEN (NEW.account <> OLD.account OR NEW.place <= OLD.place)
  EXECUTE FUNCTION audit_refuse('the audit log begins no earlier than it did');
CREATE TRIGGER audit_starts_stay BEFORE DELETE OR TRUNCATE ON audit_starts
  EXECUTE FUNCTION audit_refuse('the audit log keeps its beginning');
