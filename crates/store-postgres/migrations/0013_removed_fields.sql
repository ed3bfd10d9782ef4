-- A hidden field takes answers and is exported, but the dashboard does not offer it.
ALTER TABLE fields ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;

-- The keys of fields that an owner deleted, newest last: the form does not learn them again. Their answers
-- stay with the submissions.
CREATE TABLE removed_fields (
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (form_id),
  key TEXT COLLATE "C" NOT NULL,
  place BIGINT NOT NULL,
  PRIMARY KEY (form_id, key)
);
