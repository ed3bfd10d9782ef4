// Writes crates/sheaf/src/commands/import/time/calendar_words.tsv from CLDR: how languages write months, halves of
// the day, weekdays and the words around them. Imported files come from programs with old and new
// releases of CLDR, so the table joins several:
//
//   for version in 32.0.0 40.0.0 48.2.0; do
//       npm pack cldr-dates-full@$version && mkdir $version && tar xzf cldr-dates-full-$version.tgz -C $version
//   done
//   node generate.mjs 32.0.0 40.0.0 48.2.0 > ../../crates/sheaf/src/commands/import/time/calendar_words.tsv
//
// A line has a word, a tab, and its meanings. Words are lower-case, without dots, apostrophes,
// spaces and direction marks, because `words.rs` looks them up in this form.
import { readFileSync, readdirSync } from "node:fs";

// Languages that Google Forms and Microsoft Forms offer. Other languages would add words that have
// a different meaning in these.
const LANGUAGES = new Set(("af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id "
    + "is it ja ka kk km kn ko ky lb lo lt lv mk ml mn mr ms my nb ne nl nn no or pa pl ps pt ro ru si sk sl sq sr sv sw ta "
    + "te th tk tr uk ur uz vi zh zu").split(" "));
const SEPARATORS = /[\s.\u2024'’‘"״׳`\u00b7\u0964\u0970-]/gu;
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const words = new Map();
function add(text, meaning, locale) {
    const word = text.normalize("NFC").replace(INVISIBLE, "").toLowerCase().replace(SEPARATORS, "").replaceAll("ς", "σ");
    if (!word || /\p{N}|[^\p{L}\p{M}]/u.test(word)) return;
    const meanings = words.get(word) ?? words.set(word, new Map()).get(word);
    meanings.set(meaning, [...(meanings.get(meaning) ?? []), locale]);
}

const read = (folder, locale, file) => JSON.parse(readFileSync(`${folder}/${locale}/${file}.json`)).main[locale].dates;
const texts = (pattern) => (typeof pattern === "string" ? pattern : pattern?._value ?? "");
const folders = process.argv.slice(2).map((version) => `${version}/package/main`);
const locales = folders.flatMap((folder) => readdirSync(folder).map((locale) => [folder, locale]));
for (const [folder, locale] of locales.filter(([, locale]) => LANGUAGES.has(locale.split("-")[0]))) {
    const calendar = read(folder, locale, "ca-gregorian").calendars.gregorian;
    for (const context of ["format", "stand-alone"]) {
        for (const width of ["wide", "abbreviated"]) {
            for (const [month, text] of Object.entries(calendar.months[context][width])) add(text, `month${month}`, locale);
            for (const text of Object.values(calendar.days[context][width])) add(text, "day", locale);
            for (const [name, text] of Object.entries(calendar.dayPeriods[context][width])) {
                const period = name.split("-")[0].replace(/\d$/, "");
                const half = { am: "am", morning: "am", midnight: "am", pm: "pm", noon: "pm", afternoon: "pm", evening: "pm" }[period];
                add(text, half ?? "night", locale);
            }
        }
    }
    const patterns = ["dateFormats", "timeFormats", "dateTimeFormats"].flatMap((kind) => Object.values(calendar[kind]).map(texts));
    patterns.push(...Object.values(calendar["dateTimeFormats-atTime"]?.standard ?? {}).map(texts));
    patterns.push(...Object.values(calendar.dateTimeFormats.availableFormats ?? {}).map(texts));
    for (const pattern of patterns) {
        const literals = [...pattern.matchAll(/'([^']+)'/g)].map((match) => match[1]);
        const plain = pattern.replace(/'[^']*'/g, " ").replace(/[A-Za-z{}\d]/g, " ");
        for (const text of [...literals, plain]) for (const word of text.split(/[\s.,:\/()\-–،]+/u)) add(word, "filler", locale);
    }
    // Some languages attach a word to a name: Hebrew writes `בMMMM`.
    const names = { M: [], E: [] };
    for (const context of ["format", "stand-alone"]) {
        for (const width of ["wide", "abbreviated"]) {
            names.M.push(...Object.entries(calendar.months[context][width]).map(([month, text]) => [text, `month${month}`]));
            names.E.push(...Object.values(calendar.days[context][width]).map((text) => [text, "day"]));
        }
    }
    // Moves quoted letters to a private range, to distinguish them from letters of the pattern.
    const shift = (text, by) => text.replace(/[A-Za-z\ue000-\ue0ff]/g, (c) => String.fromCharCode(c.charCodeAt(0) + by));
    for (const pattern of patterns) {
        const plain = pattern.replace(/'([^']+)'/g, (_, text) => shift(text, 0xe000));
        for (const [, before, letter, after] of plain.matchAll(/([^\s.,\p{Ps}\w-]*)([ME])\2{2,3}([^\s.,\p{Pe}\w-]*)/gu)) {
            if (!before && !after) continue;
            for (const [text, meaning] of names[letter]) {
                add(shift(before, -0xe000) + text + shift(after, -0xe000), meaning, locale);
            }
        }
    }
    const { gmtFormat = "", gmtZeroFormat = "" } = read(folder, locale, "timeZoneNames").timeZoneNames;
    for (const text of [gmtFormat.replace("{0}", ""), gmtZeroFormat]) add(text, "utc", locale);
}
for (const word of [...words.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    const meanings = [...words.get(word).keys()].sort();
    if (process.env.CONFLICTS) {
        if (meanings.length > 1) console.error(word, JSON.stringify(Object.fromEntries(words.get(word))).slice(0, 300));
    }
    console.log(`${word}\t${meanings.join(" ")}`);
}
