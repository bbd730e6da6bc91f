import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessage, messageReader } from "./messages.ts";

test("messages arrive whole and in order, wherever the stream is cut", () => {
  const message = fc.record({ id: fc.nat(), method: fc.string(), params: fc.string() });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (messages, sizes) => {
      const bytes = Buffer.concat(messages.map(encodeMessage));
      const seen: unknown[] = [];
      const read = messageReader((one) => seen.push(one));
      for (let at = 0; at < bytes.length;) {
        const size = sizes.next().value as number;
        expect(read(bytes.subarray(at, at + size))).toBeNull();
        at += size;
      }
      expect(seen).toEqual(messages);
    }),
  );
});

test.each([
  ["a header without a length", "Content-Type: x\r\n\r\n{}", "length"],
  ["a length that is no number", "Content-Length: many\r\n\r\n{}", "length"],
  ["a length beyond the limit", "Content-Length: 99999999999\r\n\r\n{}", "length"],
  ["an endless header", "x".repeat(10_000), "no header"],
  ["a message that is no JSON", "Content-Length: 3\r\n\r\n{]}", "JSON-RPC"],
  ["a message that is no object", "Content-Length: 1\r\n\r\n7", "JSON-RPC"],
])("%s is a problem, after which nothing is read", (_, text, problem) => {
  const read = messageReader(() => expect.unreachable());
  expect(read(Buffer.from(text))).toContain(problem);
  expect(read(encodeMessage({ id: 1, result: null }))).toContain(problem);
});
