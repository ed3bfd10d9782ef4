-- The shared view whose submissions a notification sends; NULL for all. The store checks it.
ALTER TABLE notifications ADD COLUMN view TEXT;
