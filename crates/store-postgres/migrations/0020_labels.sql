-- Labels and numbers of submissions, for filters, and their triage: as JSON, and in columns for
-- filters. The default triage is NULL everywhere. tags has each tag with U+0007 before and after it.
-- If this has over 341 bytes, it has the first 16 hexadecimal digits of each one's SHA-256 hash, with
-- U+0006 before and after each. This is a single statement, because submissions can be distributed
-- over machines.
ALTER TABLE submissions
  ADD COLUMN sentiment TEXT COLLATE "C" GENERATED ALWAYS AS (submission_label(
    split_part(json, '"ai_insights":', -1), '"sentiment":', ',"sentiment_score":')) STORED,
  ADD COLUMN score DOUBLE PRECISION GENERATED ALWAYS AS (submission_number(
    split_part(json, '"ai_insights":', -1), '"sentiment_score":', ',"categories":')) STORED,
  ADD COLUMN categories TEXT COLLATE "C" GENERATED ALWAYS AS (submission_categories(
    split_part(json, '"ai_insights":', -1))) STORED,
  ADD COLUMN language TEXT COLLATE "C" GENERATED ALWAYS AS (submission_label(
    rtrim(split_part(json, '"ai_insights":', -1), '}'), '"language":', '')) STORED,
  ADD COLUMN country TEXT COLLATE "C" GENERATED ALWAYS AS (submission_label(
    json, '"ip_country":', ',"device":')) STORED,
  ADD COLUMN device TEXT COLLATE "C" GENERATED ALWAYS AS (submission_label(
    json, '"device":', ',"browser":')) STORED,
  ADD COLUMN browser TEXT COLLATE "C" GENERATED ALWAYS AS (submission_label(
    json, '"browser":', ',"completion_time_seconds":')) STORED,
  ADD COLUMN seconds DOUBLE PRECISION GENERATED ALWAYS AS (submission_number(
    json, '"completion_time_seconds":', ',"utm_source":')) STORED,
  ADD COLUMN triage TEXT COLLATE "C",
  ADD COLUMN status TEXT COLLATE "C",
  ADD COLUMN is_starred BOOLEAN,
  ADD COLUMN tags TEXT COLLATE "C",
  ADD COLUMN assignee TEXT COLLATE "C";
