-- Where a session is, as its browser tells it: shown to the owner who looks for one that is not theirs.
ALTER TABLE sessions ADD COLUMN device TEXT;
ALTER TABLE sessions ADD COLUMN browser TEXT;
CREATE INDEX sessions_by_account ON sessions (account, seen_at);
