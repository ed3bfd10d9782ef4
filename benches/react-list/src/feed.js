// State of a list with up to a million rows: its length, the fetched rows by index, and the means
// to fetch others. Adjacent rows are fetched by cursor, distant ones by date. The exact total of
// such a response gives the index of its first row.

import { list } from "./api.js";

const PAGE_ROWS = 100;
const WALK_ROWS = 200;
const REST_MS = 120;
const GUESSES_MAX = 12;

export class Feed {
  #rows = new Map();
  #cursors = new Map();
  #points = [];
  #listeners = new Set();
  #abort = new AbortController();
  #view = [0, 0];
  #moved = 0;
  #asking = false;
  #guesses = 0;
  #timer;
  version = 0;
  total = null;
  error = null;

  constructor(form, search) {
    this.form = form;
    this.search = search;
    this.#ask({}, () => 0);
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
  look(first, last) {
    if (Math.abs(first - this.#view[0]) > PAGE_ROWS) {
      this.#guesses = 0;
    }
    this.#view = [first, last];
    this.#moved = performance.now();
    this.#more();
  }

  end() {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  #missing() {
    const [first, last] = this.#view;
    for (let index = first; index <= Math.min(last, this.total - 1); index += 1) {
      if (!this.#rows.has(index)) {
        return index;
      }
    }
    return null;
  }

  #more() {
    const wanted = this.total === null || this.#asking ? null : this.#missing();
    if (wanted === null) {
      return;
    }
    for (let index = wanted; index >= Math.max(0, wanted - WALK_ROWS); index -= 1) {
      if (this.#cursors.has(index)) {
        this.#ask({ cursor: this.#cursors.get(index) }, () => index);
        return;
      }
    }
    clearTimeout(this.#timer);
    const rested = performance.now() - this.#moved;
    if (rested < REST_MS) {
      this.#timer = setTimeout(() => this.#more(), REST_MS - rested);
      return;
    }
    this.#seek(Math.max(0, wanted - PAGE_ROWS / 2));
  }

  // Interpolates the date between two points of known index, and extrapolates after the last one.
  #seek(index) {
    const after = this.#points.findIndex((point) => point.index > index);
    const end = after < 0 ? this.#points.length - 1 : Math.max(1, after);
    const [from, to] = [this.#points[end - 1], this.#points[end]];
    const slope = (to.at - from.at) / (to.index - from.index);
    const at = new Date(from.at + slope * (index - from.index));
    this.#guesses += 1;
    if (this.#guesses <= GUESSES_MAX) {
      this.#ask({ date_to: at.toISOString() }, (answer) => this.total - answer.pagination.total);
    }
  }

  async #ask(query, place) {
    this.#asking = true;
    try {
      const whole = { limit: PAGE_ROWS, search: this.search, ...query };
      const answer = await list(this.form, whole, this.#abort.signal);
      this.total ??= answer.pagination.total;
      this.#take(place(answer), answer);
    } catch (error) {
      if (error.name === "AbortError") {
        return;
      }
      this.error = error;
    }
    this.#asking = false;
    this.version += 1;
    this.#listeners.forEach((listener) => listener());
    if (!this.error) {
      this.#more();
    }
  }

  #take(start, { data, pagination }) {
    data.forEach((row, n) => this.#rows.set(start + n, row));
    if (pagination.next_cursor) {
      this.#cursors.set(start + data.length, pagination.next_cursor);
    }
    for (const n of data.length ? [0, data.length - 1] : []) {
      this.#learn({ index: start + n, at: Date.parse(data[n].metadata.submitted_at) });
    }
  }

  #learn(point) {
    const after = this.#points.findIndex(({ index }) => index >= point.index);
    const place = after < 0 ? this.#points.length : after;
    this.#points.splice(place, Number(this.#points[place]?.index === point.index), point);
  }
}
