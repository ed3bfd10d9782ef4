-- What was moved here from a file, if anything was. source is a hash by which the file is known, state
-- one of what stood in it when the move began. No server begins before the move is done.
CREATE TABLE moves (
  is_only BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  source BYTEA NOT NULL,
  state BYTEA NOT NULL,
  is_done BOOLEAN NOT NULL DEFAULT FALSE
);

-- How far each table is: how many rows are here, and the key of the last, as JSON. Written together
-- with the rows.
CREATE TABLE move_marks (
  part TEXT COLLATE "C" PRIMARY KEY,
  row_count BIGINT NOT NULL,
  behind TEXT,
  is_done BOOLEAN NOT NULL
);
