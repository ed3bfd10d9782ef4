-- Replaces submissions_by_labels, which the next migration drops: a lock for that must not last as
-- long as this build.
CREATE INDEX submissions_by_triage ON submissions (form_id, submitted_at, id)
  INCLUDE (sentiment, score, categories, language, country, device, browser, seconds,
    status, is_starred, tags, assignee);
