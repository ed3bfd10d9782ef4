-- Counts and finds the keys of filtered submissions without reading the rows.
CREATE INDEX submissions_by_labels ON submissions (form_id, submitted_at, id)
  INCLUDE (sentiment, score, categories, language, country, device, browser, seconds,
    status, is_starred, tags, assignee);
