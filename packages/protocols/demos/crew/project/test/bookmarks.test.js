import assert from "node:assert/strict";
import { test } from "node:test";
import { withBookmark } from "../src/bookmarks.js";

const NEWS = { title: "News", address: "https://news.example" };

test("bookmarks are sorted by title", () => {
  const two = withBookmark([NEWS], { title: "Art", address: "https://art.example" });
  assert.deepEqual(
    two.map(({ title }) => title),
    ["Art", "News"],
  );
});

test("a bookmark without a title is refused", () => {
  assert.throws(() => withBookmark([], { title: " ", address: "https://news.example" }), RangeError);
});
