import { describe, expect, test } from "vitest";
import { protocolIn } from "./spec-protocol.ts";

const named = (text: string) => protocolIn({ path: "specs/a.spec.md", bytes: Buffer.from(text) });

describe("the protocol in the front matter of a specification", () => {
  test.each([
    ["---\nprotocol: forge\n---\n\n# A\n", "forge"],
    ["\ufeff---\r\ntitle: A\r\nprotocol: crew\r\n---\r\n# A\r\n", "crew"],
    ["---\ntags: [a, b]\nprotocol: forge\nowner: { name: kim }\n---\n# A\n", "forge"],
  ])("is read from %j", (text, protocol) => expect(named(text)).toBe(protocol));

  test.each([
    ["# A\n\nprotocol: forge\n"],
    ["---\ntitle: A\n---\n\nprotocol: forge\n"],
    ["---\n\nA page that begins with a rule.\n\n---\n"],
    ["---\n: not yaml [\n---\n# A\n"],
    [""],
  ])("is none in %j", (text) => expect(named(text)).toBeNull());

  test.each(["---\nprotocol: [forge]\n---\n", "---\nprotocol: forge\nprotocol: crew\n---\n", "---\nprotocol: ''\n---\n"])(
    "that cannot be read is refused with file and field: %j",
    (text) => {
      expect(() => named(text)).toThrow(
        expect.objectContaining({
          code: "spec_ingest_failed",
          message: expect.stringContaining("specs/a.spec.md"),
          details: expect.objectContaining({ file: "specs/a.spec.md", field: "/protocol" }),
        }),
      );
    },
  );
});
