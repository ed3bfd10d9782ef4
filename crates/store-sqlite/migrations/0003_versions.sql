-- Grows in the statement that changes submission_count, by one for each job that inserts or deletes
-- submissions of the form: by it, what is held in memory is known to be right.
ALTER TABLE forms ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
