-- Where there is no room for one more window of senders, those of each form share one: a name ends with
-- a hash of 32 bytes, and what stands before it is the name of the window that stands in for it. The
-- function is the one of 0007 but for that.

CREATE OR REPLACE FUNCTION limit_admit(
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
    IF length(whose) > 32 AND EXISTS (
      SELECT FROM limit_rooms WHERE kind = get_byte(whose, 0) AND is_full
    ) THEN
      whose := substr(whose, 1, length(whose) - 32);
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
