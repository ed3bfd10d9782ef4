// The dashboard's default columns: time, the most informative answers, sentiment and origin.

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const UNITS = [
  [31_557_600, "year"],
  [2_629_800, "month"],
  [604_800, "week"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

function Time({ instant }) {
  const date = new Date(instant);
  const seconds = (date - Date.now()) / 1000;
  const [length, unit] = UNITS.find(([length]) => Math.abs(seconds) >= length) ?? [Infinity, "second"];
  return (
    <time className="time" dateTime={instant} title={full.format(date)}>
      {relative.format(Math.trunc(seconds / length), unit)}
    </time>
  );
}

const FACES = {
  positive: "M9 15c1 1 5 1 6 0M9 10h.01M15 10h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  negative: "M9 16c1-1 5-1 6 0M9 10h.01M15 10h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  neutral: "M9 15h6M9 10h.01M15 10h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  mixed: "M9 15l3-1 3 1M9 10h.01M15 10h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
};

function Sentiment({ label }) {
  return (
    <span className="badge" data-tone={label}>
      <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d={FACES[label] ?? FACES.neutral} />
      </svg>
      {label[0].toUpperCase() + label.slice(1)}
    </span>
  );
}

function text(value) {
  const joined = Array.isArray(value) ? value.join("; ") : String(value ?? "");
  return joined.replace(/\s+/g, " ").slice(0, 160);
}

const answer = (field) => (row) => text(row.answers[field.key]);

// Selects the fields for a row: a title, a long text and contact details, then others.
function selectFields(fields, max) {
  const chosen = new Set();
  const choose = (...types) => {
    const isCandidate = (field) =>
      !chosen.has(field) && (!types.length || types.includes(field.type));
    const field = fields.find(isCandidate);
    return field && chosen.add(field);
  };
  choose();
  choose("long_text") || choose();
  choose("email") || choose("phone") || choose();
  for (let n = 3; n < max; n += 1) {
    choose();
  }
  return fields.filter((field) => chosen.has(field));
}

// Used until the form is loaded: the answers with their keys as names.
const guessForm = (row) => ({
  analysis: true,
  fields: Object.keys(row.answers).map((key) => ({ key, name: key, type: "text" })),
});

export function columnsOf(loadedForm, rows) {
  const form = loadedForm ?? guessForm(rows[0]);
  const hasSource = rows.some((row) => row.metadata.utm_source);
  const hasCountry = rows.some((row) => row.metadata.ip_country);
  const fields = selectFields(form.fields, hasSource || hasCountry ? 3 : 5 - Number(form.analysis));
  const widths = ["minmax(160px, 2fr)", "minmax(160px, 3fr)"];
  const columns = [
    { title: "Submitted", width: "120px", cell: (row) => <Time instant={row.metadata.submitted_at} /> },
    ...fields.map((field) => ({
      title: field.name,
      width: widths[Number(field.type === "long_text")],
      cell: answer(field),
    })),
  ];
  if (form.analysis) {
    const cell = ({ ai_insights: insight }) => insight?.sentiment && <Sentiment label={insight.sentiment} />;
    columns.push({ title: "Sentiment", width: "116px", cell });
  }
  if (hasSource) {
    columns.push({ title: "Source", width: "104px", cell: (row) => row.metadata.utm_source });
  }
  if (hasCountry) {
    columns.push({ title: "Country", width: "80px", cell: (row) => row.metadata.ip_country });
  }
  return columns;
}
