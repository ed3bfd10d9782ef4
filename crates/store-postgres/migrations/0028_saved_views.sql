-- Saved views of forms. A view without a member is shared with the account. dates is a range relative
-- to the current day, in place of dates in the query. Instances of the version before delete forms
-- and members with their views.
CREATE TABLE saved_views (
  id TEXT COLLATE "C" PRIMARY KEY,
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (form_id) ON DELETE CASCADE,
  person TEXT COLLATE "C" REFERENCES people (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  name_folded TEXT COLLATE "C" NOT NULL,
  query TEXT NOT NULL,
  dates TEXT,
  columns TEXT NOT NULL,
  is_default BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX saved_views_by_name
  ON saved_views (form_id, coalesce(person, ''), name_folded);
CREATE INDEX saved_views_by_person ON saved_views (person);
