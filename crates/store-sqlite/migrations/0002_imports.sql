-- A long import goes in piece by piece, so that other writes find room between the pieces. Nobody
-- sees any of it until its row of this table is gone.
CREATE TABLE imports (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  form INTEGER NOT NULL REFERENCES forms (seq)
) STRICT;

-- The submissions that came with an import. Those of an import that is no longer listed above are
-- to be seen, and only wait here to be crossed off.
CREATE TABLE hidden (
  form INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  import INTEGER NOT NULL,
  PRIMARY KEY (form, submitted_at, id)
) STRICT, WITHOUT ROWID;
