// Sends the same requests to the gateway as the dashboard does.

async function get(url, signal) {
  const answer = await fetch(url, { headers: { "x-sheaf-csrf": "1" }, signal });
  if (!answer.ok) {
    throw new Error(`${url}: ${answer.status}`);
  }
  return answer.json();
}

export const session = () => get("/session").then((answer) => answer.data);

export const forms = () => get("/account/forms").then((answer) => answer.data);

export function list(form, query, signal) {
  const pairs = Object.entries(query).filter(([, value]) => value);
  return get(`/api/live/v1/forms/${form}/submissions?${new URLSearchParams(pairs)}`, signal);
}
