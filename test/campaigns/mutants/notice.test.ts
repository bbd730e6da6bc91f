import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readNeighbours } from "./neighbours.ts";
import { batchesFor, notice } from "./notice.ts";
import type { TestOutcome, TestRunner } from "./test-runner.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mutants-"));
});

function write(path: string, text: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  return join(folder, path);
}

test("the test beside a source comes first, then its folder, then those that import it, then the rest of its room", () => {
  write("packages/kernel/src/lock/lease.ts", "");
  write("packages/kernel/src/lock/take.ts", 'import { a } from "./lease.ts";');
  const files = [
    write("packages/kernel/src/lock/a.test.ts", 'import { a } from "./take.ts";'),
    write("packages/kernel/src/lock/by-process.test.ts", ""),
    write("packages/kernel/src/lock/lease.test.ts", 'import { a } from "./lease.ts";'),
    write("packages/kernel/src/turn/far.test.ts", 'import { a } from "../lock/take.ts";'),
    write("packages/kernel/src/turn/near.test.ts", 'import { a } from "../lock/lease.ts";'),
    write("packages/kernel/src/turn/types.test.ts", 'import type { A } from "../lock/lease.ts";'),
  ];
  const neighbours = readNeighbours(folder);
  const batches = batchesFor("packages/kernel/src/lock/lease.ts", ["packages/kernel/src/lock"], { files, folder, neighbours });
  expect(batches.flat().map((file) => file.slice(`${folder}/packages/kernel/src/`.length))).toEqual([
    "lock/lease.test.ts",
    "lock/a.test.ts",
    "turn/near.test.ts",
    "lock/by-process.test.ts",
  ]);
});

test("a test of another package is found through the package's name", () => {
  write("packages/protocols/src/a.test.ts", 'import { a } from "@slipway/kernel/lock/lease";');
  const near = readNeighbours(folder).of("packages/kernel/src/lock/lease.ts");
  expect(near).toEqual([{ test: "packages/protocols/src/a.test.ts", distance: 1 }]);
});

describe("a broken line", () => {
  /** What each test file says of the source as it then is: nothing, a reason to fail, or null for no end. */
  type Says = (source: string) => string | null;

  function runnerOf(tests: Readonly<Record<string, Says>>): TestRunner & { readonly ran: string[] } {
    const ran: string[] = [];
    return {
      ran,
      files: Object.keys(tests),
      close: async () => undefined,
      async run({ files }): Promise<TestOutcome | null> {
        const source = readFileSync(join(folder, "source.ts"), "utf8");
        const said = files.map((file) => [file, tests[file]?.(source) ?? null] as const);
        ran.push(...files);
        if (said.some(([, why]) => why === null)) return null;
        return {
          failures: said.flatMap(([file, why]) => (why === null || why === "" ? [] : [{ file, title: "a", why }])),
          ran: files.length,
        };
      },
    };
  }
  const breaking = (tests: Readonly<Record<string, Says>>, batches: readonly (readonly string[])[]) => {
    const file = write("source.ts", "whole");
    const runner = runnerOf(tests);
    return notice(runner, { file, before: "whole", text: "broken" }, batches, new Set()).then((found) => ({
      ...found,
      ran: runner.ran,
      left: readFileSync(file, "utf8"),
    }));
  };
  const fails =
    (why: string): Says =>
    (source) =>
      source === "broken" ? why : "";
  const passes: Says = () => "";

  test("is noticed by the first part with a failure, and the source is whole again", async () => {
    const found = await breaking({ a: passes, b: fails("1 is not 2"), c: passes }, [["a"], ["b"], ["c"]]);
    expect(found).toMatchObject({ by: "b: a: 1 is not 2", unreliable: [], left: "whole" });
    expect(found.ran).not.toContain("c");
  });

  test("survives if every part passes", async () => {
    expect(await breaking({ a: passes, b: passes }, [["a"], ["b"]])).toMatchObject({ by: null, left: "whole" });
  });

  test("that makes the tests wait for ever is noticed", async () => {
    const hangs: Says = (source) => (source === "broken" ? null : "");
    expect(await breaking({ a: hangs }, [["a"]])).toMatchObject({ by: "no end" });
  });

  test("is not noticed by a test that fails without it", async () => {
    const found = await breaking({ a: () => "always", b: passes }, [["a", "b"]]);
    expect(found).toMatchObject({ by: null, unreliable: ["a"] });
  });

  test("is not noticed by a time-out of a busy machine, even in a test that has passed before", async () => {
    const found = await notice(
      runnerOf({ a: () => "Test timed out in 60000ms." }),
      { file: write("source.ts", "whole"), before: "whole", text: "broken" },
      [["a"]],
      new Set(["a"]),
    );
    expect(found).toEqual({ by: null, unreliable: ["a"] });
  });
});
