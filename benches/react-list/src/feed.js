// State of a list with up to a million rows: its length, the fetched rows by index, and the means
// to fetch others. Adjacent rows are fetched by cursor, distant ones by date. The exact total of
// such a response gives the index of its first row.

import { list } from "./api.js";

const PAGE_ROWS = 100;
// Maximum distance in rows to a known cursor. Pages between them are fetched one after another.
const CURSOR_ROWS_MAX = 200;
// Time without scrolling before a distant page is requested.
const SCROLL_END_MS = 120;
// Maximum number of requests by date until the view is reached.
const GUESSES_MAX = 12;

export class Feed {
  #rows = new Map();
  #cursors = new Map();
  #points = [];
  #listeners = new Set();
  #abort = new AbortController();
  #view = [0, 0];
  #scrolledAt = 0;
  #isLoading = false;
  #guesses = 0;
  #timer;
  version = 0;
  total = null;
  error = null;

  constructor(form, search) {
    this.form = form;
    this.search = search;
    this.#load({}, () => 0);
  }

  subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = () => this.version;

  row(index) {
    return this.#rows.get(index);
  }

  // Updates the range of rendered rows; `last` is inclusive.
  setView(first, last) {
    if (Math.abs(first - this.#view[0]) > PAGE_ROWS) {
      this.#guesses = 0;
    }
    this.#view = [first, last];
    this.#scrolledAt = performance.now();
    this.#loadMissing();
  }

  end() {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  #firstMissing() {
    const [first, last] = this.#view;
    for (let index = first; index <= Math.min(last, this.total - 1); index += 1) {
      if (!this.#rows.has(index)) {
        return index;
      }
    }
    return null;
  }

  #loadMissing() {
    const missing = this.total === null || this.#isLoading ? null : this.#firstMissing();
    if (missing === null) {
      return;
    }
    for (let index = missing; index >= Math.max(0, missing - CURSOR_ROWS_MAX); index -= 1) {
      if (this.#cursors.has(index)) {
        this.#load({ cursor: this.#cursors.get(index) }, () => index);
        return;
      }
    }
    clearTimeout(this.#timer);
    const idleMs = performance.now() - this.#scrolledAt;
    if (idleMs < SCROLL_END_MS) {
      this.#timer = setTimeout(() => this.#loadMissing(), SCROLL_END_MS - idleMs);
      return;
    }
    this.#seek(Math.max(0, missing - PAGE_ROWS / 2));
  }

  // Interpolates the date between two points of known index, and extrapolates after the last one.
  #seek(index) {
    const after = this.#points.findIndex((point) => point.index > index);
    const end = after < 0 ? this.#points.length - 1 : Math.max(1, after);
    const [from, to] = [this.#points[end - 1], this.#points[end]];
    const slope = (to.at - from.at) / (to.index - from.index);
    const date = new Date(from.at + slope * (index - from.index));
    this.#guesses += 1;
    if (this.#guesses <= GUESSES_MAX) {
      const startIndex = ({ pagination }) => this.total - pagination.total;
      this.#load({ date_to: date.toISOString() }, startIndex);
    }
  }

  async #load(query, startIndex) {
    this.#isLoading = true;
    try {
      const parameters = { limit: PAGE_ROWS, search: this.search, ...query };
      const response = await list(this.form, parameters, this.#abort.signal);
      this.total ??= response.pagination.total;
      this.#store(startIndex(response), response);
    } catch (error) {
      if (error.name === "AbortError") {
        return;
      }
      this.error = error;
    }
    this.#isLoading = false;
    this.version += 1;
    this.#listeners.forEach((listener) => listener());
    if (!this.error) {
      this.#loadMissing();
    }
  }

  #store(start, { data, pagination }) {
    data.forEach((row, n) => this.#rows.set(start + n, row));
    if (pagination.next_cursor) {
      this.#cursors.set(start + data.length, pagination.next_cursor);
    }
    for (const n of data.length ? [0, data.length - 1] : []) {
      this.#addPoint({ index: start + n, at: Date.parse(data[n].metadata.submitted_at) });
    }
  }

  #addPoint(point) {
    const after = this.#points.findIndex(({ index }) => index >= point.index);
    const position = after < 0 ? this.#points.length : after;
    const replaced = Number(this.#points[position]?.index === point.index);
    this.#points.splice(position, replaced, point);
  }
}
