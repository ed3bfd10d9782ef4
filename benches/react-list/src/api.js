// Sends the same requests to the gateway as the dashboard does.

async function get(url, signal) {
  const response = await fetch(url, { headers: { "x-sheaf-csrf": "1" }, signal });
  if (!response.ok) {
    throw new Error(`${url}: ${response.status}`);
  }
  return response.json();
}

export const session = () => get("/session").then((response) => response.data);

export const forms = () => get("/account/forms").then((response) => response.data);

export function list(form, query, signal) {
  const pairs = Object.entries(query).filter(([, value]) => value);
  return get(`/api/live/v1/forms/${form}/submissions?${new URLSearchParams(pairs)}`, signal);
}
