-- An import that was killed on its way can be continued: it is known by what it was made from.
-- One without a fingerprint cannot, and is removed by whoever finds it.
ALTER TABLE imports ADD COLUMN fingerprint BLOB;
-- The fields that it brings, as JSON; kept here since answers bear their keys already.
ALTER TABLE imports ADD COLUMN fields TEXT NOT NULL DEFAULT '[]';
-- The instant for submissions that have none of their own.
ALTER TABLE imports ADD COLUMN began_at INTEGER NOT NULL DEFAULT 0;
-- How many of its submissions are in, and when it was last begun or continued.
ALTER TABLE imports ADD COLUMN inserted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN touched_at INTEGER NOT NULL DEFAULT 0;
