-- The shared view whose submissions a notification sends; NULL for all. The store checks it. Instances
-- of the version before ignore it: they send all submissions.
ALTER TABLE notifications ADD COLUMN view TEXT COLLATE "C";
