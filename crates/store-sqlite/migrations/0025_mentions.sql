-- Whether the member gets e-mails about mentions in notes.
ALTER TABLE people ADD COLUMN mention_emails INTEGER NOT NULL DEFAULT 1;
