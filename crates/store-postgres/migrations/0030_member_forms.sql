-- The forms that a member has access to: their ids as a JSON list, or NULL for all forms of the
-- account.
ALTER TABLE people ADD COLUMN forms TEXT COLLATE "C";
