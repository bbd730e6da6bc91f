import { expect, test } from "vitest";
import { collectingIo, scratchFolder, writeAll } from "../init/testing/scratch.ts";
import { requestOf, requestText } from "./request.ts";

function place() {
  const folder = scratchFolder();
  writeAll(folder, { "specs/a.spec.md": "# A\n", "specs/b.spec.md": "# B\n", "SPEC.md": "# Page\n\nwords\n" });
  return collectingIo(folder);
}

test.each([
  [{ specs: "specs" }, ["a", "b"], null, "Its specifications:\n  specs/a.spec.md\n  specs/b.spec.md\n"],
  [{ page: "SPEC.md" }, ["spec"], null, "Its page of intent, SPEC.md:\n\n  # Page\n\n  words\n"],
  [{ text: "a note" }, [], "a note", "The request:\n\n  a note\n"],
  [
    { text: "a note", flags: { lean: true, deep: false }, options: { type: "lib" } },
    [],
    "a note",
    "The request, with --lean --type lib:\n\n  a note\n",
  ],
])("%j is passed to the protocol and printed", async (wanted, ids, text, shown) => {
  const request = await requestOf(wanted, place());
  expect(request.specs.map(({ id }) => id)).toEqual(ids);
  expect(request.text).toBe(text);
  expect(request).toMatchObject("text" in wanted ? wanted : {});
  expect(requestText(wanted, request)).toBe(shown);
});
