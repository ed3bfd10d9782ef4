-- Triage of submissions: as JSON, and in columns for filters. The default triage is NULL everywhere.
-- tags has each tag with U+0007 before and after it. If this has over 341 bytes, it has the first 16
-- hexadecimal digits of each one's SHA-256 hash, with U+0006 before and after each.
ALTER TABLE submissions
  ADD COLUMN triage TEXT COLLATE "C",
  ADD COLUMN status TEXT COLLATE "C",
  ADD COLUMN is_starred BOOLEAN,
  ADD COLUMN tags TEXT COLLATE "C",
  ADD COLUMN assignee TEXT COLLATE "C";
