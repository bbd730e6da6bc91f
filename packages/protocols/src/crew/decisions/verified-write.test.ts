import fc from "fast-check";
import { expect, test } from "vitest";
import { persistenceFailure, writeTextVerified, writeVerified, type FilePort } from "./verified-write.ts";

type Fault = "none" | "write fails" | "read fails" | "other content" | "cut off";

/** A file whose writes go wrong in order. */
function faulty(faults: readonly Fault[]): FilePort & { readonly writes: string[]; readonly content: () => string } {
  const writes: string[] = [];
  let content = "";
  const fault = () => faults[writes.length - 1] ?? "none";
  return {
    writes,
    content: () => content,
    async write(_, text) {
      writes.push(text);
      if (fault() === "write fails") throw new Error("no space");
      content = fault() === "other content" ? "{}" : fault() === "cut off" ? text.slice(0, 5) : text;
    },
    async read() {
      if (fault() === "read fails") throw new Error("unreadable");
      return content;
    },
  };
}

test("[CRW-068][CRW-069] up to 3 rewrites of the same value, and success only after a comparison", async () => {
  const fault = fc.constantFrom<Fault>("none", "write fails", "read fails", "other content", "cut off");
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 6, maxLength: 6 }), fc.jsonValue(), async (faults, value) => {
      fc.pre(JSON.stringify(value) !== "{}");
      const port = faulty(faults);
      const good = faults.indexOf("none");
      const result = await writeVerified(port, "status.json", { value });
      const isSaved = good >= 0 && good < 4;
      expect([result.ok, result.writes, port.writes.length]).toEqual([isSaved, isSaved ? good + 1 : 4, isSaved ? good + 1 : 4]);
      expect(new Set(port.writes).size).toBe(1);
      if (isSaved) expect(JSON.parse(port.content())).toEqual(JSON.parse(JSON.stringify({ value })));
    }),
  );
});

test("[CRW-044] what is written is JSON, and reads back with quotes, line breaks and braces", async () => {
  const port = faulty([]);
  const value = { answer: 'a "b"\n\\ {c} żółć' };
  await writeVerified(port, "status.json", value);
  expect(JSON.parse(port.content())).toEqual(value);
});

test("text is compared as it is", async () => {
  expect(await writeTextVerified(faulty(["cut off"]), "history", "long enough")).toEqual({ ok: true, writes: 2 });
  const always: Fault[] = ["other content", "other content", "other content", "other content"];
  expect(await writeTextVerified(faulty(always), "history", "long enough")).toMatchObject({
    ok: false,
    writes: 4,
    error: expect.stringContaining("something else"),
  });
});

test("[CRW-069] the failure names the file, the way out and the answers that are not saved", () => {
  const failure = persistenceFailure("status.json", "no space", { "UD-1": "yes" });
  expect(failure).toMatchObject({ blocker: "persistence_failure", unsaved: { "UD-1": "yes" } });
  expect(failure.detail).toContain("status.json");
  expect(failure.recovery).toContain("resume");
});
