-- Saved views of forms. A view without a member is shared with the account. dates is a range relative
-- to the current day, in place of dates in the query.
CREATE TABLE saved_views (
  id TEXT PRIMARY KEY,
  form INTEGER NOT NULL REFERENCES forms (seq),
  person TEXT REFERENCES people (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  query TEXT NOT NULL,
  dates TEXT,
  columns TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX saved_views_by_name ON saved_views (form, COALESCE(person, ''), name_folded);
CREATE INDEX saved_views_by_person ON saved_views (person);
