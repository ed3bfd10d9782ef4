-- Folded texts are in Unicode's composed form (NFC). `composed_values` is a function of the program:
-- it composes each value of a searched text.
UPDATE submission_texts SET text = composed_values(text) WHERE text <> composed_values(text);
-- Of two addresses that become equal, one stays as it is.
UPDATE OR IGNORE accounts SET email_folded = composed(email_folded)
  WHERE email_folded <> composed(email_folded);
UPDATE OR IGNORE people SET email_folded = composed(email_folded)
  WHERE email_folded <> composed(email_folded);
