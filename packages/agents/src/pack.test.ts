import fc from "fast-check";
import { expect, test } from "vitest";
import { createPack } from "./pack.ts";

test("a pack keeps its order and lists its content", () => {
  const pack = createPack([
    { title: "specification", kind: "spec", text: "Greet." },
    { title: "src/a.ts", kind: "file", bytes: Buffer.from("export {};") },
    { title: "logo.png", kind: "file", bytes: Uint8Array.from([0x89, 0xff, 0x00]) },
  ]);
  expect(pack.sections.map(({ title, text }) => [title, text])).toEqual([
    ["specification", "Greet."],
    ["src/a.ts", "export {};"],
    ["logo.png", "(3 bytes that are not text)"],
  ]);
  expect(pack.digest).toMatch(/^[0-9a-f]{64}$/);
});

test("text has the same digest as text or as bytes", () => {
  const item = { title: "a", kind: "file" };
  expect(createPack([{ ...item, text: "é" }])).toEqual(createPack([{ ...item, bytes: Buffer.from("é") }]));
});

test("the digest changes with every content, title, kind and order, and with nothing else", () => {
  const item = fc.record({ title: fc.string(), kind: fc.constantFrom("file", "spec"), text: fc.string() });
  const items = fc
    .array(item, { minLength: 1, maxLength: 4 })
    .filter((list) => list.every(({ title, text }) => title.isWellFormed() && text.isWellFormed()));
  fc.assert(
    fc.property(items, items, (one, two) => {
      expect(createPack(one).digest === createPack(two).digest).toBe(JSON.stringify(one) === JSON.stringify(two));
      expect(createPack([...one]).digest).toBe(createPack(one).digest);
    }),
  );
  const [a, b] = [
    { title: "a", kind: "file", text: "x" },
    { title: "b", kind: "file", text: "y" },
  ];
  expect(createPack([a, b]).digest).not.toBe(createPack([b, a]).digest);
});

const of = (...bytes: number[]) => createPack([{ title: "x", kind: "file", bytes: Uint8Array.from(bytes) }]).digest;

test("half a surrogate pair is replaced", () => {
  expect(createPack([{ title: "\ud800", kind: "file", text: "a\udc00" }]).sections).toMatchObject([{ title: "\ufffd", text: "a\ufffd" }]);
});

test("the digest of binary content depends on its bytes", () => {
  expect(of(0xff, 1)).not.toBe(of(0xff, 2));
});
