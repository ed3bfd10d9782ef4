-- Whether the member gets e-mails about mentions in notes.
ALTER TABLE people ADD COLUMN mention_emails BOOLEAN NOT NULL DEFAULT TRUE;
