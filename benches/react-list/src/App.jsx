import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { forms, session } from "./api.js";
import { columnsOf } from "./columns.jsx";
import { Feed } from "./feed.js";
import { Grid } from "./Grid.jsx";

const FORM = new URLSearchParams(location.search).get("form");
const ROWS_READ = 100;

// Both requests start together with the request for the first page.
const sessionResponse = session();
const formsResponse = forms();

function useFeed(search) {
  const feed = useRef(null);
  if (feed.current?.search !== search) {
    feed.current?.end();
    feed.current = new Feed(FORM, search);
  }
  useSyncExternalStore(feed.current.subscribe, feed.current.snapshot);
  // The previous list stays visible until the new one has a result.
  const visible = useRef(feed.current);
  if (feed.current.total !== null || feed.current.error) {
    visible.current = feed.current;
  }
  return visible.current;
}

function Shell({ owner, form, children }) {
  return (
    <div className="shell">
      <header className="top">
        <b>Submissions</b>
        <span>{owner?.account.email}</span>
      </header>
      <nav className="side" aria-label="Forms">
        <a href={location.href} aria-current="page">
          {form?.name}
        </a>
      </nav>
      <main>{children}</main>
    </div>
  );
}

export function App() {
  const [owner, setOwner] = useState(null);
  const [form, setForm] = useState(null);
  const [search, setSearch] = useState("");
  const feed = useFeed(search);
  useEffect(() => {
    sessionResponse.then(setOwner);
    formsResponse.then((forms) => setForm(forms.find((form) => form.id === FORM)));
  }, []);
  const first = feed.row(0);
  const columns = useMemo(() => {
    const rows = Array.from({ length: ROWS_READ }, (_, index) => feed.row(index)).filter(Boolean);
    return first ? columnsOf(form, rows) : null;
  }, [feed, form, first]);
  return (
    <Shell owner={owner} form={form}>
      <h1>
        {form?.name} <small>{feed.total?.toLocaleString()} submissions</small>
      </h1>
      <input
        type="search"
        aria-label="Search answers"
        placeholder="Search answers"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {feed.error && <p role="alert">{feed.error.message}</p>}
      {columns ? <Grid key={feed.search} feed={feed} columns={columns} /> : <div className="grid" />}
      {feed.total === 0 && <p>No submissions match</p>}
    </Shell>
  );
}
