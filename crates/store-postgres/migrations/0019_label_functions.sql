-- Functions for the columns of the next migration. Their argument is the JSON of a submission, or
-- its part after the last `"ai_insights":`. They read it as text: all servers write the members in
-- the same order and without spaces, and quotes within texts are escaped, so that `"device":` does
-- not occur within a text. The JSON functions of PostgreSQL are slower and fail for `\u0000`. The
-- functions return NULL for JSON that no server writes. They call no other function of the schema,
-- because pg_restore sets an empty search_path.

-- Text between `name` and `next` as in JSON, without the quotes; NULL for none. A text of over 64
-- bytes is stored as a hash, because an index row has at most 2,704 bytes.
CREATE FUNCTION submission_label(json TEXT, name TEXT, next TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  label TEXT := split_part(split_part(json, name, -1), next, 1);
BEGIN
  IF label NOT LIKE '"_%"' THEN
    RETURN NULL;
  END IF;
  label := substr(label, 2, length(label) - 2);
  IF octet_length(label) <= 64 THEN
    RETURN label;
  END IF;
  RETURN E'\x07' || encode(sha256(convert_to(label, 'UTF8')), 'hex');
END
$$;

-- Number between `name` and `next`; NULL for none.
CREATE FUNCTION submission_number(json TEXT, name TEXT, next TEXT) RETURNS DOUBLE PRECISION
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  number TEXT := split_part(split_part(json, name, -1), next, 1);
BEGIN
  IF number !~ '^-?[0-9]{1,40}([.][0-9]{1,40})?([eE][-+]?[0-9]{1,3})?$' THEN
    RETURN NULL;
  END IF;
  RETURN number;
END
$$;

-- Categories as in JSON without the quotes, with U+0007 before and after each; NULL for none. `\\`
-- and `\"` become one character, so that each `"` begins or ends a category. If this has over 1,000
-- bytes, the first 16 hexadecimal digits of each one's hash, with U+0006 before and after each.
CREATE FUNCTION submission_categories(json TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  list TEXT := split_part(split_part(json, '"categories":', -1), ',"language":', 1);
BEGIN
  IF list NOT LIKE '["%"]' THEN
    RETURN NULL;
  END IF;
  IF strpos(list, E'\\') > 0 THEN
    list := replace(replace(list, E'\\\\', E'\x01'), E'\\"', E'\x02');
  END IF;
  list := replace(substr(list, 3, length(list) - 4), '","', E'\x07');
  IF ltrim(list, E'\x07') = '' THEN
    RETURN NULL;
  END IF;
  IF octet_length(list) <= 1000 THEN
    RETURN E'\x07' || list || E'\x07';
  END IF;
  RETURN E'\x06' || left((
    SELECT string_agg(left(encode(sha256(convert_to(one, 'UTF8')), 'hex'), 16) || E'\x06', '')
    FROM unnest(string_to_array(list, E'\x07')) AS one WHERE one <> ''), 1700);
END
$$;
