-- A hidden field takes answers and is exported, but the dashboard does not offer it.
ALTER TABLE fields ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;

-- The keys of fields that an owner deleted, newest last: the form does not learn them again. Their answers
-- stay with the submissions.
CREATE TABLE removed_fields (
  form INTEGER NOT NULL REFERENCES forms (seq),
  key TEXT NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (form, key)
) STRICT, WITHOUT ROWID;
