-- What a key allows: 'full' or 'read'; the ids of its forms as a JSON list, or NULL for all forms of
-- its environment; and the time from which it is refused, or NULL.
ALTER TABLE keys ADD COLUMN access TEXT NOT NULL DEFAULT 'full';
ALTER TABLE keys ADD COLUMN forms TEXT COLLATE "C";
ALTER TABLE keys ADD COLUMN expires_at BIGINT;
