/** A correct body for every hole of the suite, by function. */
export const REFERENCE: Readonly<Record<string, string>> = {
  "src/domain/clamp.ts#clamp": `if (low > high) throw new RangeError("The limits are in the wrong order.");
return Math.min(Math.max(value, low), high);`,

  "src/domain/roman.ts#toRoman": `if (!Number.isInteger(value) || value < 1 || value > 3999) throw new RangeError("There is no numeral for it.");
const digits: readonly (readonly [number, string])[] = [
  [1000, "M"], [900, "CM"], [500, "D"], [400, "CD"], [100, "C"], [90, "XC"],
  [50, "L"], [40, "XL"], [10, "X"], [9, "IX"], [5, "V"], [4, "IV"], [1, "I"],
];
let left = value;
let numeral = "";
for (const [amount, digit] of digits) {
  while (left >= amount) {
    numeral += digit;
    left -= amount;
  }
}
return numeral;`,

  "src/domain/slug.ts#slugOf": `const plain = title.normalize("NFD").replace(/[\\u0300-\\u036f]/g, "").toLowerCase();
return (plain.match(/[a-z0-9]+/g) ?? []).join("-");`,

  "src/domain/intervals.ts#joinIntervals": `if (intervals.some((one) => one.start > one.end)) throw new RangeError("An interval ends before it starts.");
const joined: Interval[] = [];
for (const one of [...intervals].sort((a, b) => a.start - b.start)) {
  const last = joined.at(-1);
  if (last !== undefined && one.start <= last.end) joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, one.end) };
  else joined.push({ start: one.start, end: one.end });
}
return joined;`,

  "src/domain/csv.ts#parseCsvLine": `const fields: string[] = [];
let at = 0;
for (;;) {
  let field = "";
  if (line[at] === '"') {
    at++;
    for (;;) {
      const next = line[at];
      if (next === undefined) return null;
      at++;
      if (next !== '"') field += next;
      else if (line[at] === '"') {
        field += '"';
        at++;
      } else break;
    }
  } else {
    while (at < line.length && line[at] !== ",") {
      if (line[at] === '"') return null;
      field += line[at];
      at++;
    }
  }
  fields.push(field);
  if (at >= line.length) return fields;
  if (line[at] !== ",") return null;
  at++;
}`,

  "src/domain/distance.ts#editDistance": `let row = Array.from({ length: right.length + 1 }, (_none, at) => at);
for (let i = 1; i <= left.length; i++) {
  const next = [i];
  for (let j = 1; j <= right.length; j++) {
    const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
    next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
  }
  row = next;
}
return row[right.length] ?? 0;`,

  "src/domain/arithmetic.ts#calculate": `const tokens = expression.match(/[0-9]+|[^ ]/g) ?? [];
let at = 0;
function factor(): number | null {
  const token = tokens[at++];
  if (token === "(") {
    const value = sum();
    return tokens[at++] === ")" ? value : null;
  }
  return token !== undefined && /^[0-9]+$/.test(token) ? Number(token) : null;
}
function product(): number | null {
  let value = factor();
  while (value !== null && (tokens[at] === "*" || tokens[at] === "/")) {
    const operator = tokens[at++];
    const right = factor();
    if (right === null || (operator === "/" && right === 0)) return null;
    value = operator === "*" ? value * right : value / right;
  }
  return value;
}
function sum(): number | null {
  let value = product();
  while (value !== null && (tokens[at] === "+" || tokens[at] === "-")) {
    const operator = tokens[at++];
    const right = product();
    if (right === null) return null;
    value = operator === "+" ? value + right : value - right;
  }
  return value;
}
const value = sum();
return at === tokens.length && value !== null && Number.isFinite(value) ? value : null;`,

  "src/domain/totals.ts#totalsBy": `const totals = new Map<K, number>();
for (const item of items) totals.set(keyOf(item), (totals.get(keyOf(item)) ?? 0) + amountOf(item));
return totals;`,

  "src/domain/heap.ts#isHeap": `return items.every((item, at) => at === 0 || (items[Math.floor((at - 1) / 2)] ?? item) <= item);`,
  "src/domain/heap.ts#exchanged": `const places = [left, right];
if (places.some((place) => !Number.isInteger(place) || place < 0 || place >= items.length)) throw new RangeError("There is no such place.");
return items.map((item, at) => (at === left ? (items[right] ?? item) : at === right ? (items[left] ?? item) : item));`,
  "src/domain/heap.ts#movedUp": `if (!Number.isInteger(at) || at < 0 || at >= items.length) throw new RangeError("There is no such place.");
let moved = [...items];
let place = at;
while (place > 0) {
  const parent = Math.floor((place - 1) / 2);
  if ((moved[parent] ?? 0) <= (moved[place] ?? 0)) break;
  moved = exchanged(moved, parent, place);
  place = parent;
}
return moved;`,
  "src/domain/heap.ts#movedDown": `if (!Number.isInteger(at) || at < 0 || at >= items.length) throw new RangeError("There is no such place.");
let moved = [...items];
let place = at;
for (;;) {
  const [left, right] = [2 * place + 1, 2 * place + 2];
  const child = (moved[right] ?? Infinity) < (moved[left] ?? Infinity) ? right : left;
  if ((moved[child] ?? Infinity) >= (moved[place] ?? 0)) return moved;
  moved = exchanged(moved, place, child);
  place = child;
}`,
  "src/domain/heap.ts#put": `return movedUp([...heap, item], heap.length);`,
  "src/domain/heap.ts#take": `const [first] = heap;
const last = heap.at(-1);
if (first === undefined || last === undefined) return { item: null, rest: [] };
const rest = heap.slice(0, -1);
if (rest.length === 0) return { item: first, rest };
return { item: first, rest: movedDown([last, ...rest.slice(1)], 0) };`,
  "src/domain/heap.ts#heapSorted": `let heap: readonly number[] = [];
for (const item of items) heap = put(heap, item);
const sorted: number[] = [];
for (;;) {
  const { item, rest } = take(heap);
  if (item === null) return sorted;
  sorted.push(item);
  heap = rest;
}`,

  "src/domain/calendar.ts#isLeapYear": `if (!Number.isInteger(year)) throw new RangeError("A year is a whole number.");
return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);`,
  "src/domain/calendar.ts#daysInMonth": `if (!Number.isInteger(year)) throw new RangeError("A year is a whole number.");
if (!Number.isInteger(month) || month < 1 || month > 12) throw new RangeError("There are twelve months.");
if (month === 2) return isLeapYear(year) ? 29 : 28;
return [4, 6, 9, 11].includes(month) ? 30 : 31;`,
  "src/domain/calendar.ts#isDate": `const { year, month, day } = date;
if (![year, month, day].every((part) => Number.isInteger(part))) return false;
return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);`,
  "src/domain/calendar.ts#dayNumber": `if (!isDate(date)) throw new RangeError("There is no such day.");
const year = date.month <= 2 ? date.year - 1 : date.year;
const era = Math.floor(year / 400);
const ofEra = year - era * 400;
const ofYear = Math.floor((153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5) + date.day - 1;
return era * 146097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719468;`,
  "src/domain/calendar.ts#dateOfNumber": `if (!Number.isInteger(days) || days < -719162 || days > 2932896) throw new RangeError("There is no such day.");
const shifted = days + 719468;
const era = Math.floor(shifted / 146097);
const ofEra = shifted - era * 146097;
const yearOfEra = Math.floor((ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36524) - Math.floor(ofEra / 146096)) / 365);
const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
const part = Math.floor((5 * ofYear + 2) / 153);
const month = part < 10 ? part + 3 : part - 9;
const day = ofYear - Math.floor((153 * part + 2) / 5) + 1;
return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };`,
  "src/domain/calendar.ts#addDays": `if (!isDate(date) || !Number.isInteger(days)) throw new RangeError("There is no such day.");
const number = dayNumber(date) + days;
return number < -719162 || number > 2932896 ? null : dateOfNumber(number);`,
  "src/domain/calendar.ts#weekdayOf": `if (!isDate(date)) throw new RangeError("There is no such day.");
return ((((dayNumber(date) + 3) % 7) + 7) % 7) + 1;`,

  "src/domain/counts.ts#countText": `return {
  lines: text.split("\\n").length - 1,
  words: text.split(/[ \\t\\n]+/).filter((word) => word.trim() !== "").length,
  characters: text.length,
};`,
  "src/domain/counts.ts#addCounts": `return {
  lines: left.lines + right.lines,
  words: left.words + right.words,
  characters: left.characters + right.characters,
};`,
  "src/domain/options.ts#parseOptions": `const files: string[] = [];
let letters = "";
let isEnded = false;
for (const arg of args) {
  if (isEnded || arg === "-" || !arg.startsWith("-")) files.push(arg);
  else if (arg === "--") isEnded = true;
  else if (/^-[lwc]+$/.test(arg)) letters += arg;
  else return null;
}
if (files.length === 0) return null;
const shows = (letter: string) => letters === "" || letters.includes(letter);
return { lines: shows("l"), words: shows("w"), characters: shows("c"), files };`,
  "src/domain/row.ts#rowText": `const numbers = [
  ...(options.lines ? [counts.lines] : []),
  ...(options.words ? [counts.words] : []),
  ...(options.characters ? [counts.characters] : []),
];
return [...numbers, name].join(" ");`,
  "src/services/tool.ts#complaint": `return "count: " + message + "\\n";`,
  "src/services/tool.ts#runTool": `const options = parseOptions(args);
if (options === null) return { code: 2, stdout: "", stderr: complaint("usage: count [-lwc] FILE...") };
let total = { lines: 0, words: 0, characters: 0 };
let [stdout, stderr] = ["", ""];
for (const name of options.files) {
  const file = files.find((one) => one.name === name);
  if (file === undefined) {
    stderr += complaint(name + ": no such file");
    continue;
  }
  const counts = countText(file.text);
  total = addCounts(total, counts);
  stdout += rowText(counts, options, name) + "\\n";
}
if (options.files.length > 1) stdout += rowText(total, options, "total") + "\\n";
return { code: stderr === "" ? 0 : 1, stdout, stderr };`,

  "src/domain/notes.ts#addNote": `return { next: store.next + 1, notes: [...store.notes, { id: store.next, text }] };`,
  "src/domain/notes.ts#findNote": `return store.notes.find((note) => note.id === id) ?? null;`,
  "src/domain/notes.ts#removeNote": `return { next: store.next, notes: store.notes.filter((note) => note.id !== id) };`,
  "src/domain/routes.ts#routeOf": `const [plain = ""] = path.split("?");
if (plain === "/notes") {
  if (method === "GET") return { action: "list", id: null };
  return { action: method === "POST" ? "create" : "not_allowed", id: null };
}
const found = /^[/]notes[/]([1-9][0-9]{0,8})$/.exec(plain);
if (found === null) return { action: "not_found", id: null };
const id = Number(found[1]);
if (method === "GET") return { action: "read", id };
return { action: method === "DELETE" ? "remove" : "not_allowed", id };`,
  "src/services/api.ts#noteTextOf": `let value: unknown;
try {
  value = JSON.parse(body);
} catch {
  return null;
}
if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
const entries = Object.entries(value);
const [key, text] = entries[0] ?? [];
if (entries.length !== 1 || key !== "text" || typeof text !== "string") return null;
return text.trim() === "" ? null : text.trim();`,
  "src/services/api.ts#answerRequest": `const { action, id } = routeOf(request.method, request.path);
const said = (status: number, value: unknown) => ({ status, body: JSON.stringify(value), store });
if (action === "list") return said(200, store.notes);
if (action === "not_allowed") return said(405, { error: "method not allowed" });
if (action === "create") {
  const text = noteTextOf(request.body);
  if (text === null) return said(400, { error: "invalid note" });
  const after = addNote(store, text);
  return { status: 201, body: JSON.stringify(findNote(after, store.next)), store: after };
}
const note = id === null ? null : findNote(store, id);
if (note === null) return said(404, { error: "not found" });
return action === "read" ? said(200, note) : { status: 204, body: "", store: removeNote(store, note.id) };`,

  "src/domain/versions.ts#parseVersion": `const found = /^(0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})$/.exec(text);
return found === null ? null : { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3]) };`,
  "src/domain/versions.ts#compareVersions": `return left.major - right.major || left.minor - right.minor || left.patch - right.patch;`,
  "src/domain/ranges.ts#nextBreaking": `const { major, minor, patch } = version;
if (major > 0) return { major: major + 1, minor: 0, patch: 0 };
return minor > 0 ? { major, minor: minor + 1, patch: 0 } : { major, minor, patch: patch + 1 };`,
  "src/domain/ranges.ts#parseVersionRange": `const sign = text.startsWith("^") || text.startsWith("~") ? text.slice(0, 1) : "";
const least = parseVersion(text.slice(sign.length));
if (least === null) return null;
const { major, minor, patch } = least;
if (sign === "^") return { least, limit: nextBreaking(least) };
return { least, limit: sign === "~" ? { major, minor: minor + 1, patch: 0 } : { major, minor, patch: patch + 1 } };`,
  "src/domain/ranges.ts#isInRange": `return compareVersions(version, range.least) >= 0 && compareVersions(version, range.limit) < 0;`,
  "src/services/resolve.ts#newestInRange": `const wanted = parseVersionRange(range);
if (wanted === null) return null;
let newest: string | null = null;
for (const text of versions) {
  const version = parseVersion(text);
  if (version === null || !isInRange(version, wanted)) continue;
  const before = newest === null ? null : parseVersion(newest);
  if (before === null || compareVersions(version, before) > 0) newest = text;
}
return newest;`,
};
