-- What is asked of each of several forms, one after another. A function asks it: where submissions are
-- spread over machines by form, no statement can take the form from a row of a table that is not.

-- When the newest submission of a form came: the last of the form's stretch of an index.
CREATE FUNCTION submissions_newest(form TEXT) RETURNS BIGINT LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT submitted_at FROM submissions WHERE form_id = form
    ORDER BY submitted_at DESC, id DESC LIMIT 1
  );
END
$$;

-- The forms of which something may be analysed at an instant, some of them twice. It goes from form to
-- form, however many submissions of each wait.
CREATE FUNCTION insight_waiting(present BIGINT) RETURNS SETOF TEXT LANGUAGE plpgsql STABLE ROWS 10 AS $$
DECLARE
  form TEXT COLLATE "C" := '';
BEGIN
  LOOP
    SELECT form_id INTO form FROM insight_queue WHERE form_id > form ORDER BY form_id LIMIT 1;
    EXIT WHEN NOT FOUND;
    RETURN NEXT form;
  END LOOP;
  form := '';
  LOOP
    SELECT form_id INTO form FROM insight_retries WHERE form_id > form ORDER BY form_id LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF EXISTS (SELECT FROM insight_retries WHERE form_id = form AND due_at <= present) THEN
      RETURN NEXT form;
    END IF;
  END LOOP;
END
$$;
