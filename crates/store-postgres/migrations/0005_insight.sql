-- Instants are microseconds of UTC since 1970. What is kept of a submission goes with it.

-- The submissions of forms with analysis that have no insight yet, or are to be analysed again.
-- A form's own are taken newest first. Those of a form whose analysis was switched off stay here
-- and wait.
CREATE TABLE insight_queue (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (form_id, submitted_at, id),
  FOREIGN KEY (form_id, submitted_at, id) REFERENCES submissions ON DELETE CASCADE
);

-- Those that were tried in vain, and when they are tried again.
CREATE TABLE insight_retries (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  tries BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  PRIMARY KEY (form_id, submitted_at, id),
  FOREIGN KEY (form_id, submitted_at, id) REFERENCES submissions ON DELETE CASCADE
);
CREATE INDEX insight_retries_by_due ON insight_retries (form_id, due_at);

-- The forms whose submissions are still to be looked through for the queue: from this place on,
-- newest first. That is so where analysis is switched on, and when a long import has ended. again:
-- also those that have an insight.
CREATE TABLE insight_sweeps (
  form_id TEXT COLLATE "C" PRIMARY KEY REFERENCES forms (form_id),
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  again BOOLEAN NOT NULL
);

-- How many submissions were analysed in a day, counted in days of UTC since 1970.
CREATE TABLE insight_usage (
  account TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  used BIGINT NOT NULL,
  PRIMARY KEY (account, environment, day)
);

-- The categories of forms that do not have the usual ones, as JSON.
CREATE TABLE insight_categories (
  form_id TEXT COLLATE "C" PRIMARY KEY REFERENCES forms (form_id),
  categories TEXT NOT NULL
);

-- What owners say instead of the analysis, and what the analysis said, both as JSON. The
-- submission's own JSON holds what comes of the two.
CREATE TABLE insight_corrections (
  form_id TEXT COLLATE "C" NOT NULL,
  submitted_at BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  analysis TEXT NOT NULL,
  correction TEXT NOT NULL,
  corrected_at BIGINT NOT NULL,
  PRIMARY KEY (form_id, submitted_at, id),
  FOREIGN KEY (form_id, submitted_at, id) REFERENCES submissions ON DELETE CASCADE
);

-- Whose submissions are being analysed right now: by which process, and until when nobody else begins
-- with others of them. So none is analysed twice, and no more than the day's limit allows.
CREATE TABLE insight_leases (
  account TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  holder BYTEA NOT NULL,
  leased_until TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (account, environment)
);
