-- Folded texts are in Unicode's composed form (NFC).
UPDATE submissions SET searched = normalize(searched, NFC) WHERE searched IS NOT NFC NORMALIZED;
UPDATE import_rows SET searched = normalize(searched, NFC) WHERE searched IS NOT NFC NORMALIZED;
-- Of two addresses that become equal, one stays as it is.
UPDATE accounts SET email_folded = normalize(email_folded, NFC)
  WHERE email_folded IS NOT NFC NORMALIZED AND NOT EXISTS (
    SELECT FROM accounts other WHERE other.email_folded = normalize(accounts.email_folded, NFC));
UPDATE people SET email_folded = normalize(email_folded, NFC)
  WHERE email_folded IS NOT NFC NORMALIZED AND NOT EXISTS (
    SELECT FROM people other WHERE other.email_folded = normalize(people.email_folded, NFC));
