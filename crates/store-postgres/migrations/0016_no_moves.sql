-- `sheaf restore` replaced `sheaf move`. A database into which a move has not ended is not whole.
DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM moves WHERE NOT is_done) THEN
    RAISE EXCEPTION 'a move into the database has not ended, so its data are not whole; dump the source with `sheaf dump`, and restore it into an empty database with `sheaf restore`';
  END IF;
END $$;
DROP TABLE move_marks;
DROP TABLE moves;
