-- Leases of quota: an instance takes several units of a limit in one call, may spend them until the
-- lease ends, and returns what it did not spend.
--
-- A unit is counted at the end of its lease, the latest instant at which it can be spent, until the
-- instance says that it is spent. Whether there is room for more is judged by the present. So a unit
-- counts for at least as long as one that is counted when it is spent, also where an instance dies.

-- Grants up to `wanted` units, or none and the reason; with `wanted` 0 it only reads. One unit is
-- spent at once, and counted so. More than one may be spent for `lasts_us`, and are at most a part
-- of the room that is left, so that each instance gets some and the last units are granted singly.
-- `counted_as` is the window in which they count, `until_us` the instant at which they do.
-- `at` replaces the present in tests. A clock that goes back stands still; where it went back by
-- more than two seconds, all that was counted is taken to be of the present, and so ends in time.
CREATE FUNCTION limit_lease(
  asked BYTEA, most BIGINT, most_burst BIGINT,
  wanted BIGINT, instances BIGINT, lasts_us BIGINT, at BIGINT,
  OUT granted BIGINT, OUT counted_as BYTEA, OUT until_us BIGINT,
  OUT total BIGINT, OUT full_s BIGINT, OUT ready_us BIGINT, OUT now_us BIGINT
) LANGUAGE plpgsql AS $$
DECLARE
  it limit_windows;
  second BIGINT;
  place INTEGER := 1;
  room BIGINT;
  burst_room BIGINT;
  untold BIGINT;
BEGIN
  counted_as := asked;
  LOOP
    IF wanted > 0 THEN
      SELECT * INTO it FROM limit_windows WHERE name = counted_as FOR UPDATE;
    ELSE
      SELECT * INTO it FROM limit_windows WHERE name = counted_as;
    END IF;
    EXIT WHEN FOUND;
    IF wanted = 0 THEN
      it := ROW(counted_as, 0, 0, '{}', '{}', '{}', 0);
      EXIT;
    END IF;
    -- A name ends with a hash of 32 bytes. The bytes before it name the window for names without one.
    IF length(counted_as) > 32 AND EXISTS (
      SELECT FROM limit_rooms WHERE kind = get_byte(counted_as, 0) AND is_full
    ) THEN
      counted_as := substr(counted_as, 1, length(counted_as) - 32);
    ELSE
      INSERT INTO limit_windows (name) VALUES (counted_as) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  -- Read after the row is locked: a call that waited for the lock is later than the one before it.
  now_us := coalesce(at, limit_now());
  IF it.latest > now_us + 2000000 THEN
    -- Units on lease may still be spent for as long as they were ahead of the clock.
    until_us := now_us + greatest(0, it.burst[cardinality(it.burst)] - it.latest);
    it.latest := now_us;
    it.seconds := ARRAY[until_us / 1000000];
    it.counts := ARRAY[it.counted];
    it.burst := array_fill(until_us, ARRAY[cardinality(it.burst)]);
    IF wanted > 0 THEN
      UPDATE limit_windows
      SET latest = it.latest, seconds = it.seconds, counts = it.counts, burst = it.burst,
          idle_at = (until_us / 1000000 + 901) * 1000000
      WHERE name = counted_as;
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

  granted := 0;
  room := most - total;
  burst_room := most_burst - cardinality(it.burst);
  place := cardinality(it.seconds);
  IF wanted > 0 AND room > 0 AND burst_room > 0 THEN
    granted := greatest(1, least(wanted, room / (4 * instances), burst_room / (2 * instances)));
    until_us := now_us;
    IF granted > 1 THEN
      until_us := now_us + lasts_us;
    END IF;
    -- The lists stay in order where a single unit follows a lease.
    until_us := greatest(until_us, it.burst[cardinality(it.burst)]);
    second := greatest(until_us / 1000000, it.seconds[place]);
    IF it.seconds[place] = second THEN
      it.counts[place] := it.counts[place] + granted;
    ELSE
      place := place + 1;
      it.seconds[place] := second;
      it.counts[place] := granted;
    END IF;
    total := total + granted;
    UPDATE limit_windows
    SET latest = now_us, counted = total, seconds = it.seconds, counts = it.counts,
        burst = it.burst || array_fill(until_us, ARRAY[granted::INTEGER]),
        idle_at = (second + 901) * 1000000
    WHERE name = counted_as;
  END IF;
  full_s := coalesce(it.seconds[place] + 901, second);
  IF granted > 0 OR wanted = 0 THEN
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

-- Ends a lease: units that were not spent are taken back, and those that were spent count from the
-- present, where that is before the lease's end. A second after that the burst does not list them
-- any more, and all stay counted. `at` is as above.
CREATE FUNCTION limit_settle(
  whose BYTEA, until_us BIGINT, spent INTEGER, unspent INTEGER, at BIGINT
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  it limit_windows;
  first INTEGER;
  place INTEGER;
  spent_us BIGINT;
BEGIN
  SELECT * INTO it FROM limit_windows WHERE name = whose FOR UPDATE;
  first := array_position(it.burst, until_us);
  place := array_position(it.seconds, until_us / 1000000);
  IF first IS NULL OR place IS NULL
    OR it.burst[first + spent + unspent - 1] IS DISTINCT FROM until_us
  THEN
    RETURN;
  END IF;
  it.burst := it.burst[:first - 1] || it.burst[first + spent + unspent:];
  spent_us := least(greatest(coalesce(at, limit_now()), it.latest), until_us);
  WHILE first > 1 AND it.burst[first - 1] > spent_us LOOP
    first := first - 1;
  END LOOP;
  it.burst := it.burst[:first - 1] || array_fill(spent_us, ARRAY[spent]) || it.burst[first:];
  it.counts[place] := it.counts[place] - unspent;
  IF it.counts[place] = 0 THEN
    it.seconds := it.seconds[:place - 1] || it.seconds[place + 1:];
    it.counts := it.counts[:place - 1] || it.counts[place + 1:];
  END IF;
  UPDATE limit_windows
  SET counted = counted - unspent, seconds = it.seconds, counts = it.counts, burst = it.burst
  WHERE name = whose;
END
$$;

-- For instances of the version before, and for reads: a request is a lease of one unit.
CREATE OR REPLACE FUNCTION limit_admit(
  asked BYTEA, most BIGINT, most_burst BIGINT, is_counted BOOLEAN, at BIGINT,
  OUT is_let_in BOOLEAN, OUT total BIGINT, OUT full_s BIGINT, OUT ready_us BIGINT, OUT now_us BIGINT
) LANGUAGE sql AS $$
  SELECT granted > 0, total, full_s, ready_us, now_us
  FROM limit_lease(asked, most, most_burst, is_counted::INTEGER, 1, 0, at)
$$;
