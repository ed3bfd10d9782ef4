-- The numbers of deleted forms. A number is not used again: caches know a form by it. While rows of a
-- deleted form are left, its row in forms stays and belongs to the account `deleted`.
CREATE TABLE deleted_forms (
  form INTEGER PRIMARY KEY
) STRICT;
