import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, sha256 } from "./canonical.ts";
import { eventHash, GENESIS, verifyChain, type Head, type JournalEvent } from "./chain.ts";

const content = fc.record({
  kind: fc.constantFrom("step", "retry", "answered"),
  name: fc.string({ unit: "grapheme" }),
  key: fc.option(fc.string({ unit: "grapheme" })),
  at: fc.nat(),
  payload: fc.json().map((text) => canonicalJson(JSON.parse(text))),
});
type Content = Omit<JournalEvent, "stream" | "seq" | "prev" | "hash">;

function chainOf(contents: readonly Content[], stream = "run", from: Head = { seq: 0, hash: GENESIS }): JournalEvent[] {
  const rows: JournalEvent[] = [];
  let head = from;
  for (const entry of contents) {
    const event = { ...entry, stream, seq: head.seq + 1, prev: head.hash };
    rows.push({ ...event, hash: eventHash(event) });
    head = headOf(rows);
  }
  return rows;
}

const headOf = (rows: readonly JournalEvent[]): Head => ({ seq: rows.at(-1)!.seq, hash: rows.at(-1)!.hash });
const rehashed = (row: JournalEvent): JournalEvent => ({ ...row, hash: eventHash(row) });
const chain = fc.array(content, { minLength: 1, maxLength: 12 }).map((contents) => chainOf(contents));
const longer = fc.array(content, { minLength: 3, maxLength: 12 }).map((contents) => chainOf(contents));
const reasonOf = (rows: readonly JournalEvent[], options = {}) => {
  const verdict = verifyChain(rows, options);
  return verdict.ok ? "whole" : verdict.broken.reason;
};

test("the hash is SHA-256 over the RFC 8785 text of the event without its hash", () => {
  fc.assert(
    fc.property(chain, (rows) => {
      for (const { hash, ...event } of rows) expect(hash).toBe(sha256(canonicalJson(event)));
    }),
  );
});

test("an unchanged chain verifies against its head and against every earlier head", () => {
  fc.assert(
    fc.property(chain, fc.nat(), (rows, pick) => {
      const kept = rows[pick % rows.length]!;
      const verdict = verifyChain(rows, { expectedHead: headOf(rows), keptHead: { seq: kept.seq, hash: kept.hash } });
      expect(verdict).toEqual({ ok: true, events: rows.length, pruned: 0, head: headOf(rows) });
    }),
  );
  expect(verifyChain([])).toEqual({ ok: true, events: 0, pruned: 0, head: { seq: 0, hash: GENESIS } });
});

describe("any single", () => {
  test("edit is found", () => {
    const edits: ((row: JournalEvent) => JournalEvent)[] = [
      (row) => ({ ...row, payload: `${row.payload} ` }),
      (row) => ({ ...row, kind: `${row.kind}x` }),
      (row) => ({ ...row, name: `${row.name}x` }),
      (row) => ({ ...row, key: row.key === null ? "" : null }),
      (row) => ({ ...row, at: row.at + 1 }),
      (row) => ({ ...row, stream: "another" }),
      (row) => ({ ...row, prev: sha256(row.prev) }),
      (row) => ({ ...row, hash: sha256(row.hash) }),
    ];
    fc.assert(
      fc.property(chain, fc.nat(), fc.constantFrom(...edits), (rows, pick, edit) => {
        const index = pick % rows.length;
        expect(verifyChain(rows.with(index, edit(rows[index]!)))).toMatchObject({
          ok: false,
          broken: { seq: index + 1, reason: "edited" },
        });
      }),
    );
  });

  test("edit with a matching new hash is found by the next event, or by the head", () => {
    fc.assert(
      fc.property(chain, fc.nat(), (rows, pick) => {
        const index = pick % rows.length;
        const forged = rows.with(index, rehashed({ ...rows[index]!, payload: `${rows[index]!.payload} ` }));
        expect(reasonOf(forged, { expectedHead: headOf(rows) })).toBe("edited");
      }),
    );
  });

  test("gap is found", () => {
    fc.assert(
      fc.property(longer, fc.nat(), (rows, pick) => {
        const index = pick % (rows.length - 1);
        expect(verifyChain(rows.toSpliced(index, 1))).toMatchObject({ ok: false, broken: { seq: index + 1, reason: "gap" } });
      }),
    );
  });

  test("swap of two events is found, with and without renumbering", () => {
    fc.assert(
      fc.property(longer, fc.nat(), (rows, pick) => {
        const index = pick % (rows.length - 1);
        const [one, two] = [rows[index]!, rows[index + 1]!];
        expect(reasonOf(rows.with(index, two).with(index + 1, one))).toBe("reordered");
        const renumbered = rows.with(index, rehashed({ ...two, seq: one.seq })).with(index + 1, rehashed({ ...one, seq: two.seq }));
        expect(reasonOf(renumbered)).not.toBe("whole");
      }),
    );
    const rows = chainOf(Array.from({ length: 4 }, (_, at) => ({ kind: "step", name: "n", key: null, at, payload: "{}" })));
    const relinked = [rows[0]!, rows[1]!, rehashed({ ...rows[3]!, seq: 3, prev: rows[0]!.hash })];
    expect(reasonOf(relinked)).toBe("reordered");
    expect(reasonOf([rows[0]!, rows[1]!, rows[0]!])).toBe("reordered");
  });

  test("truncation is found by the head", () => {
    fc.assert(
      fc.property(longer, fc.nat(), (rows, pick) => {
        const left = rows.slice(0, pick % rows.length);
        expect(verifyChain(left, { expectedHead: headOf(rows) })).toMatchObject({
          ok: false,
          broken: { seq: left.length + 1, reason: "truncated" },
        });
      }),
    );
  });

  test("rollback that includes the head is found by a head kept elsewhere", () => {
    fc.assert(
      fc.property(longer, fc.nat(), fc.array(content, { maxLength: 12 }), (rows, pick, others) => {
        const left = rows.slice(0, pick % (rows.length - 1));
        const start = left.length === 0 ? { seq: 0, hash: GENESIS } : headOf(left);
        const forged = [...left, ...chainOf([{ kind: "forged", name: "", key: null, at: 0, payload: "{}" }, ...others], "run", start)];
        expect(reasonOf(forged, { expectedHead: headOf(forged) })).toBe("whole");
        expect(reasonOf(forged, { expectedHead: headOf(forged), keptHead: headOf(rows) })).toBe("rolled_back");
      }),
    );
  });

  test("appended event is found by the head", () => {
    fc.assert(
      fc.property(longer, (rows) => {
        expect(reasonOf(rows, { expectedHead: headOf(rows.slice(0, -1)) })).toBe("edited");
      }),
    );
  });
});

describe("a tombstone", () => {
  const step = { kind: "step", name: "n", key: null, at: 1, payload: "{}" };
  const pruned = { ...step, kind: "pruned" };

  test("replaces the events before it", () => {
    const rows = chainOf([step, step, step]);
    const tomb = chainOf([pruned, step], "run", headOf(rows));
    expect(verifyChain(tomb, { expectedHead: headOf(tomb), keptHead: headOf(rows) })).toEqual({
      ok: true,
      events: 5,
      pruned: 3,
      head: headOf(tomb),
    });
    expect(verifyChain(tomb, { keptHead: { seq: 2, hash: rows[1]!.hash } })).toMatchObject({ ok: true });
  });

  test("of another history is found", () => {
    const tomb = chainOf([pruned], "run", { seq: 3, hash: sha256("other") });
    expect(reasonOf(tomb, { keptHead: { seq: 3, hash: sha256("kept") } })).toBe("rolled_back");
    expect(reasonOf([{ ...tomb[0]!, prev: sha256("edited") }])).toBe("edited");
  });

  test("may only come first", () => {
    const rows = chainOf([step, step]);
    const tomb = chainOf([pruned], "run", { seq: 4, hash: sha256("other") });
    expect(reasonOf([...rows, ...tomb])).toBe("gap");
  });
});
