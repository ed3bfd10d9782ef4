// Grades the responses of a running server with the analyser of the Mozilla observatory. Exits with
// an error unless every grade is A+. Usage: `node grade.mjs FOLDER URL`, with the folder of the
// analyser and the server's address. The self-signed certificate does not affect the grade.
import { existsSync, writeFileSync } from "node:fs";
import https from "node:https";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, base] = process.argv.slice(2);
const root = `${folder}/node_modules/@mdn/mdn-http-observatory`;
// The HSTS preload list would need a download. An empty one has the same result: this host is not
// on the list.
const preloadList = `${root}/conf/hsts-preload.json`;
if (!existsSync(preloadList)) writeFileSync(preloadList, "{}");
const analyser = (path) => import(pathToFileURL(`${root}/src/${path}`));
const require = createRequire(`${root}/package.json`);
const axios = require("axios");
const { CookieJar } = require("tough-cookie");
const { ALL_TESTS } = await analyser("constants.js");
const { Requests } = await analyser("types.js");
const { MINIMUM_SCORE_FOR_EXTRA_CREDIT } = await analyser("grader/charts.js");
const { getGradeForScore, getScoreModifier } = await analyser("grader/grader.js");

const agent = new https.Agent({ rejectUnauthorized: false });
const send = async (method, path, headers = {}) => {
  const url = new URL(path, base).href;
  const response = await axios.request({
    method, url, headers, httpsAgent: agent, maxRedirects: 0, validateStatus: () => true,
    responseType: "text", transformResponse: (text) => text,
  });
  return Object.assign(response, { verified: true });
};

let failed = 0;
for (const path of ["/", "/sign-in", "/settings/keys", "/live/forms"]) {
  const requests = new Requests(new URL(base).hostname);
  const { responses } = requests;
  responses.auto = responses.https = await send("GET", path, { accept: "text/html" });
  responses.cors = await send("OPTIONS", path, { origin: "https://observatory.test" });
  // The server does not listen without TLS.
  responses.http = null;
  responses.httpsRedirects = [{ url: new URL(path, base), status: responses.auto.status }];
  requests.resources.path = responses.auto.data;
  requests.session = { jar: new CookieJar(), url: new URL(path, base) };
  let baseScore = 100;
  let scoreWithBonus = 100;
  for (const test of ALL_TESTS) {
    const { result, constructor } = test(requests);
    const points = result ? getScoreModifier(result) : 0;
    scoreWithBonus += points;
    baseScore += Math.min(points, 0);
    console.log(`${path}  ${constructor.name}: ${result} (${points})`);
  }
  const hasBonus = baseScore >= MINIMUM_SCORE_FOR_EXTRA_CREDIT;
  const { grade, score } = getGradeForScore(hasBonus ? scoreWithBonus : baseScore);
  console.log(`${path}  ${grade}, ${score} points`);
  failed += grade === "A+" ? 0 : 1;
}
process.exit(failed ? 1 : 0);
