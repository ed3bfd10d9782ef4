-- Deleted forms of which some rows are left. Their rows in forms are gone, so nobody finds them.
CREATE TABLE deleted_forms (
  form_id TEXT COLLATE "C" PRIMARY KEY
);
