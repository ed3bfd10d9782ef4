-- The role `editor`. SQLite cannot change a CHECK constraint, so a new column replaces the old one.
DROP INDEX people_owners;
ALTER TABLE people RENAME COLUMN role TO former_role;
ALTER TABLE people ADD COLUMN role TEXT NOT NULL DEFAULT 'reader'
  CHECK (role IN ('owner', 'editor', 'reader'));
UPDATE people SET role = former_role;
ALTER TABLE people DROP COLUMN former_role;
CREATE UNIQUE INDEX people_owners ON people (account) WHERE role = 'owner';
