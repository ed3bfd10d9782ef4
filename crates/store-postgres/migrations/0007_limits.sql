-- What the limits have counted, for all instances together, in the time of this database.
--
-- The tables are not logged: counts are worth nothing after the quarter of an hour that they are of,
-- and a request that is counted must not wait for a disk. A database that fails empties them.

CREATE FUNCTION limit_now() RETURNS BIGINT LANGUAGE sql VOLATILE AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT
$$;

-- A rolling window for each who is counted. The name begins with what kind it is of.
CREATE UNLOGGED TABLE limit_windows (
  name BYTEA PRIMARY KEY,
  -- The latest instant at which one was let in.
  latest BIGINT NOT NULL DEFAULT 0,
  -- The sum over `counts`.
  counted BIGINT NOT NULL DEFAULT 0,
  -- Seconds in which requests were let in, oldest first, and how many.
  seconds BIGINT[] NOT NULL DEFAULT '{}',
  counts BIGINT[] NOT NULL DEFAULT '{}',
  -- Instants of the requests of the last second, oldest first.
  burst BIGINT[] NOT NULL DEFAULT '{}',
  -- When nothing of it counts any more.
  idle_at BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
-- Each request reads and writes the lists; packing and unpacking them would be most of its time.
ALTER TABLE limit_windows
  ALTER COLUMN seconds SET STORAGE EXTERNAL,
  ALTER COLUMN counts SET STORAGE EXTERNAL,
  ALTER COLUMN burst SET STORAGE EXTERNAL;

-- Of which kinds there are as many windows as may be: whoever of them has none then shares one.
CREATE UNLOGGED TABLE limit_rooms (
  kind INTEGER PRIMARY KEY,
  is_full BOOLEAN NOT NULL
);

-- Lets a request in and counts it, or tells why not and counts nothing; or only looks.
-- `at` stands for the present in tests. A clock that goes back stands still; where it went back by
-- more than two seconds, all that was counted is taken to be of the present, and so ends in time.
CREATE FUNCTION limit_admit(
  asked BYTEA, most BIGINT, most_burst BIGINT, is_counted BOOLEAN, at BIGINT,
  OUT is_let_in BOOLEAN, OUT total BIGINT, OUT full_s BIGINT, OUT ready_us BIGINT, OUT now_us BIGINT
) LANGUAGE plpgsql AS $$
DECLARE
  whose BYTEA := asked;
  it limit_windows;
  second BIGINT;
  place INTEGER := 1;
  untold BIGINT;
BEGIN
  LOOP
    IF is_counted THEN
      SELECT * INTO it FROM limit_windows WHERE name = whose FOR UPDATE;
    ELSE
      SELECT * INTO it FROM limit_windows WHERE name = whose;
    END IF;
    EXIT WHEN FOUND;
    IF NOT is_counted THEN
      it := ROW(whose, 0, 0, '{}', '{}', '{}', 0);
      EXIT;
    END IF;
    IF length(whose) > 1 AND EXISTS (
      SELECT FROM limit_rooms WHERE kind = get_byte(whose, 0) AND is_full
    ) THEN
      whose := substr(whose, 1, 1);
    ELSE
      INSERT INTO limit_windows (name) VALUES (whose) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  -- Read once the row is ours: whoever waited for it comes later than who had it.
  now_us := coalesce(at, limit_now());
  IF it.latest > now_us + 2000000 THEN
    it.latest := now_us;
    it.seconds := ARRAY[now_us / 1000000];
    it.counts := ARRAY[it.counted];
    it.burst := array_fill(now_us, ARRAY[cardinality(it.burst)]);
    IF is_counted THEN
      UPDATE limit_windows
      SET latest = it.latest, seconds = it.seconds, counts = it.counts, burst = it.burst,
          idle_at = (now_us / 1000000 + 901) * 1000000
      WHERE name = whose;
    END IF;
  END IF;
  now_us := greatest(now_us, it.latest);
  second := now_us / 1000000;
  total := it.counted;
  WHILE it.seconds[place] + 901 <= second LOOP
    total := total - it.counts[place];
    place := place + 1;
  END LOOP;
  IF place > 1 THEN
    it.seconds := it.seconds[place:];
    it.counts := it.counts[place:];
    place := 1;
  END IF;
  WHILE it.burst[place] + 1000000 <= now_us LOOP
    place := place + 1;
  END LOOP;
  IF place > 1 THEN
    it.burst := it.burst[place:];
  END IF;

  is_let_in := is_counted AND total < most AND cardinality(it.burst) < most_burst;
  place := cardinality(it.seconds);
  IF is_let_in THEN
    IF it.seconds[place] = second THEN
      it.counts[place] := it.counts[place] + 1;
    ELSE
      place := place + 1;
      it.seconds[place] := second;
      it.counts[place] := 1;
    END IF;
    total := total + 1;
    UPDATE limit_windows
    SET latest = now_us, counted = total, seconds = it.seconds, counts = it.counts,
        burst = it.burst || now_us, idle_at = (second + 901) * 1000000
    WHERE name = whose;
  END IF;
  full_s := coalesce(it.seconds[place] + 901, second);
  IF is_let_in OR NOT is_counted THEN
    RETURN;
  END IF;

  -- When enough seconds have left for one more; more than one where the plan became smaller.
  untold := total;
  place := 1;
  WHILE untold >= most AND place <= cardinality(it.seconds) LOOP
    untold := untold - it.counts[place];
    ready_us := (it.seconds[place] + 901) * 1000000;
    place := place + 1;
  END LOOP;
  -- When enough of the last second's requests are a second old for one more.
  place := cardinality(it.burst) - most_burst + 1;
  IF place >= 1 THEN
    ready_us := greatest(ready_us, it.burst[place] + 1000000);
  END IF;
END
$$;

-- Tries to sign in: of an address since its minute began, of an account since its last.
CREATE UNLOGGED TABLE limit_tries (
  name BYTEA PRIMARY KEY,
  tried BIGINT NOT NULL,
  since BIGINT NOT NULL,
  idle_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Takes hold of a count of tries, one that is over as a new one, and one of a time to come as one
-- of now: the clock was ahead then.
CREATE FUNCTION limit_hold(
  whose BYTEA, over_us BIGINT, at BIGINT, OUT count BIGINT, OUT since_us BIGINT, OUT now_us BIGINT
) LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    SELECT tried, since INTO count, since_us FROM limit_tries WHERE name = whose FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO limit_tries VALUES (whose, 0, 0, 0) ON CONFLICT DO NOTHING;
  END LOOP;
  now_us := coalesce(at, limit_now());
  IF since_us > now_us + 2000000 THEN
    since_us := now_us;
    UPDATE limit_tries SET since = since_us WHERE name = whose;
  END IF;
  now_us := greatest(now_us, since_us);
  IF now_us - since_us >= over_us THEN
    count := 0;
    since_us := now_us;
  END IF;
END
$$;

-- Counts a try to sign in and returns 0, or returns how long to wait, in microseconds. Counts of
-- addresses are held before those of accounts, so that no two tries wait for each other.
CREATE FUNCTION limit_try(
  address BYTEA, most BIGINT, minute_us BIGINT,
  account BYTEA, free BIGINT, wait_us_max BIGINT, forget_us BIGINT, at BIGINT
) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
  held RECORD;
  wait_us BIGINT := 0;
BEGIN
  held := limit_hold(address, minute_us, at);
  IF held.count >= most THEN
    RETURN held.since_us + minute_us - held.now_us;
  END IF;
  UPDATE limit_tries
  SET tried = held.count + 1, since = held.since_us, idle_at = held.since_us + minute_us
  WHERE name = address;
  IF account IS NULL THEN
    RETURN 0;
  END IF;
  held := limit_hold(account, forget_us, at);
  IF held.count >= free THEN
    wait_us := least(wait_us_max, 1000000 * (1::BIGINT << least(held.count - free + 1, 30)::INTEGER));
  END IF;
  wait_us := held.since_us + wait_us - held.now_us;
  IF wait_us > 0 THEN
    RETURN wait_us;
  END IF;
  UPDATE limit_tries
  SET tried = held.count + 1, since = held.now_us, idle_at = held.now_us + forget_us
  WHERE name = account;
  RETURN 0;
END
$$;

-- Who counts here, by when they last said so.
CREATE UNLOGGED TABLE limit_instances (
  id BYTEA PRIMARY KEY,
  seen BIGINT NOT NULL
);

-- Notes that an instance is there; returns how many are. What others said is removed only where they
-- are not about to say it again: two that waited for each other would both be late.
CREATE FUNCTION limit_beat(me BYTEA, alive_us BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
  gone_at BIGINT;
BEGIN
  INSERT INTO limit_instances VALUES (me, limit_now())
  ON CONFLICT (id) DO UPDATE SET seen = EXCLUDED.seen;
  gone_at := limit_now() - alive_us;
  DELETE FROM limit_instances WHERE id IN (
    SELECT id FROM limit_instances WHERE seen <= gone_at AND id <> me FOR UPDATE SKIP LOCKED
  );
  RETURN (SELECT count(*) FROM limit_instances WHERE seen > gone_at);
END
$$;

-- When a sweep began: one of all instances sweeps.
CREATE UNLOGGED TABLE limit_sweeps (
  is_it BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_it),
  began BIGINT NOT NULL
);

-- Whether it is whoever asks who is to sweep now.
CREATE FUNCTION limit_is_turn(every_us BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO limit_sweeps (began) VALUES (limit_now())
  ON CONFLICT (is_it) DO UPDATE SET began = EXCLUDED.began
  WHERE limit_sweeps.began <= EXCLUDED.began - every_us OR limit_sweeps.began > EXCLUDED.began;
  RETURN FOUND;
END
$$;

-- A sweep goes by names, in steps of so many rows, each a transaction of its own: whoever needs a
-- row that a step removes waits no longer than for that step, and what a step did stays done. A row
-- that somebody has locked is in use. What would end in more than a day was written when the clock
-- was ahead: it ends in a day. Plans must go by the primary key, whatever is known of a table.

-- Looks at the windows from one name to before another, so many at most: the last that it looked
-- at, nothing where there was none, and how many are left of them.
CREATE FUNCTION limit_sweep_windows(
  from_name BYTEA, to_name BYTEA, most BIGINT, at BIGINT, OUT last BYTEA, OUT kept BIGINT
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  present BIGINT := coalesce(at, limit_now());
  far BIGINT := present + 86400000000;
  looked BYTEA[];
  idle BYTEA[];
  astray BYTEA[];
  removed BIGINT;
BEGIN
  SELECT array_agg(name ORDER BY name), array_agg(name) FILTER (WHERE idle_at <= present),
    array_agg(name) FILTER (WHERE idle_at > far)
  INTO looked, idle, astray
  FROM (
    SELECT name, idle_at FROM limit_windows WHERE name >= from_name AND name < to_name
    ORDER BY name LIMIT most
  ) AS it;
  DELETE FROM limit_windows WHERE name IN (
    SELECT name FROM limit_windows WHERE name = ANY (idle) AND idle_at <= present
    FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF astray IS NOT NULL THEN
    UPDATE limit_windows SET idle_at = far WHERE name IN (
      SELECT name FROM limit_windows WHERE name = ANY (astray) AND idle_at > far
      FOR UPDATE SKIP LOCKED
    );
  END IF;
  last := looked[cardinality(looked)];
  kept := coalesce(cardinality(looked), 0) - removed;
END
$$;

-- Where those counts of tries end that are least guessed at, as many as are too many: they go first,
-- so that a flood of names cannot wash a real count away.
CREATE FUNCTION limit_cut(too_many BIGINT, OUT tried BIGINT, OUT since BIGINT) LANGUAGE sql AS $$
  SELECT it.tried, it.since FROM limit_tries AS it ORDER BY 1, 2 OFFSET too_many LIMIT 1
$$;

-- As `limit_sweep_windows`, of tries; those too that are before a cut, where there is one.
CREATE FUNCTION limit_sweep_tries(
  from_name BYTEA, most BIGINT, cut_tried BIGINT, cut_since BIGINT, at BIGINT,
  OUT last BYTEA, OUT kept BIGINT
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  present BIGINT := coalesce(at, limit_now());
  far BIGINT := present + 86400000000;
  looked BYTEA[];
  removed BIGINT;
BEGIN
  SELECT array_agg(name ORDER BY name) INTO looked FROM (
    SELECT name FROM limit_tries WHERE name >= from_name ORDER BY name LIMIT most
  ) AS it;
  DELETE FROM limit_tries WHERE name IN (
    SELECT name FROM limit_tries
    WHERE name = ANY (looked) AND (idle_at <= present OR (tried, since) < (cut_tried, cut_since))
    FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS removed = ROW_COUNT;
  UPDATE limit_tries SET idle_at = far WHERE name IN (
    SELECT name FROM limit_tries WHERE name = ANY (looked) AND idle_at > far
    FOR UPDATE SKIP LOCKED
  );
  last := looked[cardinality(looked)];
  kept := coalesce(cardinality(looked), 0) - removed;
END
$$;
