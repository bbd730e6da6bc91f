/** What the lean attempt leaves: quotes are not escaped yet. */
export const ESCAPE_FIRST = `const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text that can stand in a page. */
export function escapeHtml(text) {
  return text.replaceAll(/[&<>]/g, (sign) => ENTITIES[sign]);
}
`;

export const ESCAPE_FIRST_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeHtml } from "../src/escape.js";

test("signs of markup are escaped", () => {
  assert.equal(escapeHtml("a < b & c"), "a &lt; b &amp; c");
});
`;

export const ESCAPE = `const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text that can stand in a page, also as the value of an attribute. */
export function escapeHtml(text) {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]);
}
`;

export const ESCAPE_TEST = `${ESCAPE_FIRST_TEST}
test("quotes are escaped, so that a text stays in its attribute", () => {
  assert.equal(escapeHtml("\\"it's\\""), "&quot;it&#39;s&quot;");
});
`;

const page = (attributes: string) => `import { escapeHtml } from "./escape.js";

const SAFE = ["http:", "https:"];

/** The bookmarks as a page. An address that is no web address stands there as text. */
export function pageOf(bookmarks) {
  const items = bookmarks.map((bookmark) => \`<li>\${linkTo(bookmark)}</li>\`);
  return \`<!doctype html>\\n<title>Bookmarks</title>\\n<ul>\\n\${items.join("\\n")}\\n</ul>\\n\`;
}

function linkTo({ title, address }) {
  if (!isWebAddress(address)) return escapeHtml(\`\${title} (\${address})\`);
  return \`<a href="\${escapeHtml(address)}"${attributes}>\${escapeHtml(title)}</a>\`;
}

function isWebAddress(address) {
  return URL.canParse(address) && SAFE.includes(new URL(address).protocol);
}
`;

export const PAGE = page(' target="_blank"');
/** After the finding of Security. */
export const PAGE_FIXED = page(' target="_blank" rel="noopener noreferrer"');

export const PAGE_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "../src/page.js";

test("a web address becomes a link with its title", () => {
  assert.match(pageOf([{ title: "A & B", address: "https://a.example" }]), /<a href="https:\\/\\/a\\.example"[^>]*>A &amp; B<\\/a>/);
});

test("an address that runs a script stays text", () => {
  assert.doesNotMatch(pageOf([{ title: "Trap", address: "javascript:alert(1)" }]), /<a /);
});
`;

/** After the note of the review. */
export const PAGE_TEST_WITH_EMPTY = `${PAGE_TEST}
test("no bookmarks make a page with an empty list", () => {
  assert.match(pageOf([]), /<ul>\\n\\n<\\/ul>/);
});
`;

/** After the finding of Security. */
export const PAGE_TEST_WITH_REL = `${PAGE_TEST_WITH_EMPTY}
test("a page that is opened gets no hold of this one", () => {
  assert.match(pageOf([{ title: "A", address: "https://a.example" }]), /rel="noopener noreferrer"/);
});
`;

export const README = `# Bookmarks

Keeps bookmarks with their titles, and exports them as a page.

## Features

- \`withBookmark(bookmarks, bookmark)\` adds a bookmark and sorts by title.
- \`pageOf(bookmarks)\` makes a page of links. Only http and https addresses become links.

## Requirements

Node 24 or later.

## Quickstart

\`\`\`js
import { pageOf } from "./src/page.js";
console.log(pageOf([{ title: "News", address: "https://news.example" }]));
\`\`\`

## Scripts

- test: \`npm test\`
- build: none, the sources run as they are
- lint: none

## Project Structure

- \`src/bookmarks.js\`: the list
- \`src/escape.js\`: texts in a page
- \`src/page.js\`: the page
- \`test/\`: one file of tests for each

## Troubleshooting

A bookmark without a link has an address that is no web address.

## License

Private.
`;
