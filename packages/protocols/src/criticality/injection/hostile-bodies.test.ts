import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { SlipwayError } from "@slipway/agents/errors";
import type { CompileOracle, LanguageAdapter } from "@slipway/languages/adapter";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FailureType } from "../escalation/failures.ts";
import { HONEST, openBodyScene, SKELETON, type BodyScene } from "./testing/body-scene.ts";
import { MOST_BODY_CHARACTERS } from "./verify-bodies.ts";

let scene: BodyScene;
/** For the compilers that are opened from now on. */
let compilerMs = 20_000;
beforeAll(async () => {
  scene = await openBodyScene((adapter) => ({
    ...adapter,
    openOracle: (tree, run) => adapter.openOracle(tree, { ...run, timeoutMs: compilerMs }),
  }));
});
afterAll(() => scene.close());

type Hostile = readonly [what: string, body: string, failure: FailureType, says: RegExp];

const TEXTS: readonly Hostile[] = [
  ["does not parse", "return left >;", "syntax", /column 14/],
  ["closes its function and declares more", "return left; } export const more = 1; function x() {", "syntax", /continues outside/],
  ["closes its function and opens a block", "return left; } {", "syntax", /continues outside/],
  ["imports", 'import fs from "node:fs"; return left;', "syntax", /cannot import/],
  ["has a NUL", `${HONEST}\0`, "syntax", /NUL/],
  ["has a NUL in a comment, where the parser accepts it", `${HONEST} // \0`, "syntax", /NUL/],
  ["begins with a byte-order mark, which the parser accepts", `\uFEFF${HONEST}`, "syntax", /byte-order mark/],
  ["has half of a surrogate pair", `const text = "\uD83D"; ${HONEST}`, "syntax", /surrogate/],
  ["is a megabyte long", `// ${"x".repeat(1 << 20)}\n${HONEST}`, "syntax", new RegExp(String(MOST_BODY_CHARACTERS))],
];

const FORBIDDEN: readonly Hostile[] = [
  ["imports at run time", `void import("node:fs"); ${HONEST}`, "security", /dynamic-import/],
  ["requires", `require("node:fs"); ${HONEST}`, "security", /dynamic-import/],
  ["uses the network", `void fetch("http://127.0.0.1:1"); ${HONEST}`, "security", /network-call/],
  ["reads a file", `process.getBuiltinModule("fs").readFileSync("/etc/hosts"); ${HONEST}`, "security", /process-access/],
  ["writes a file", `process.getBuiltinModule("fs").writeFileSync("left.txt", ""); ${HONEST}`, "security", /process-access/],
  ["starts a process", `process.getBuiltinModule("child_process").execSync("true"); ${HONEST}`, "security", /process-access/],
  ["ends the process", "process.exit(0); return left;", "security", /process-access/],
  ["evaluates a text", 'return eval("left");', "security", /eval/],
  ["patches a prototype", "Number.prototype.valueOf = () => 1; return left;", "security", /prototype-write/],
  ["patches a global", "globalThis.isNaN = () => true; return left;", "security", /process-access/],
  ["uses a clock although it is pure", `Date.now(); ${HONEST}`, "semantic", /PURITY/],
  ["hides an error from the compiler", '// @ts-ignore\nreturn "left";', "type", /@ts-ignore/],
  ["returns another type", "return String(left);", "type", /not assignable/],
  [
    "has a union type without end",
    'type U = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"; const wide: `${U}${U}${U}${U}${U}${U}` = "000000"; return wide.length;',
    "type",
    /too complex/,
  ],
];

const RUNNING: readonly Hostile[] = [
  ["recurses without end", "return larger(left, right);", "test", /call stack/],
  ["patches the functions that checks use", "Object.is = () => true; Math.max = () => 0; return left;", "test", /right/],
  ["throws in a getter", 'return { get value(): number { throw new Error("no"); } }.value;', "test", /Error: no/],
  [
    "returns an object with a getter that throws",
    "return Object.defineProperty({}, 'x', { get() { throw new Error('no'); } }) as never;",
    "test",
    /right/,
  ],
  [
    "returns an object that changes when it is read",
    "let reads = 0; return { valueOf: () => (reads++ % 2 === 0 ? left : right) } as never;",
    "test",
    /right/,
  ],
  ["is the hole", 'throw new Error("hole");', "test", /hole/],
];

/** Without a sandbox these would use this machine's memory and processes. */
const ONLY_IN_SANDBOX: readonly Hostile[] = [
  ["ends its process by a hidden name", `(() => 0).constructor("return process")().exit(0); return left;`, "test", /./],
  ["allocates without end", "const all: Uint8Array[] = []; for (;;) all.push(new Uint8Array(1 << 28).fill(1));", "test", /memory|ended/],
];

function said(failure: unknown): string {
  return JSON.stringify(failure);
}

describe("a hostile body is rejected, whatever it does", () => {
  afterEach(async () => {
    expect((await (await scene.tools.oracleFor(SKELETON)).check()).passed).toBe(true);
  });

  test.each([...TEXTS, ...FORBIDDEN, ...RUNNING, ...(sandboxWorksHere() ? ONLY_IN_SANDBOX : [])])(
    "[CRI-003] one that %s",
    { timeout: 60_000 },
    async (_, body, type, says) => {
      const before = said(SKELETON);
      const failure = await scene.verify(body, { timeoutMs: 50_000 });
      expect(failure?.type, said(failure)).toBe(type);
      expect(said(failure)).toMatch(says);
      expect(said(SKELETON)).toBe(before);
    },
  );

  test.each([
    ["loops for ever", "for (;;) left += 1;"],
    ["leaves a timer", `setInterval(() => undefined, 1); ${HONEST}`],
  ])("[CRI-183] one that %s exceeds its limit", async (_, body) => {
    expect(await scene.verify(body, { timeoutMs: 4_000 })).toMatchObject({ type: "timeout", limit: 4_000 });
  });

  test("[CRI-183] one with types that expand without end stops the compiler, which is started again", { timeout: 120_000 }, async () => {
    const body =
      'type E<N extends unknown[], A> = N["length"] extends 28 ? A : E<[...N, 0], A> | E<[...N, 1], [A]>; const x: E<[], 1> = null as never; return x as never;';
    scene.tools.dropOracle();
    compilerMs = 5_000;
    const failure = await scene.verify(body);
    compilerMs = 20_000;
    expect(failure).toEqual({ type: "timeout", resource: "time of the compiler in ms", limit: 5_000 });
    expect(await scene.verify(HONEST)).toBeNull();
  });

  test("an honest body is accepted after all of them", async () => {
    expect(await scene.verify(HONEST)).toBeNull();
  });
});

/** An adapter whose compiler misbehaves as long as `isBad` says so. */
function withBadChecks(isBad: () => boolean, check: () => Promise<never>): (adapter: LanguageAdapter) => LanguageAdapter {
  return (adapter) => ({
    ...adapter,
    openOracle: async (tree, run) => {
      const oracle = await adapter.openOracle(tree, run);
      return { ...oracle, checkFile: (path, text) => (isBad() ? check() : oracle.checkFile(path, text)) };
    },
  });
}

function withFirstCheck(check: () => Promise<never>): (adapter: LanguageAdapter) => LanguageAdapter {
  let checks = 0;
  return withBadChecks(() => checks++ === 0, check);
}

const crash = () => Promise.reject(new SlipwayError("compiler_failed", "The compiler ended with SIGSEGV."));
const hang = () => new Promise<never>(() => undefined);

describe("a compiler that misbehaves costs one attempt", () => {
  let own: BodyScene;
  afterEach(() => own.close());

  test("[CRI-056] one that crashes: the attempt fails without tests, and the next one is checked", async () => {
    own = await openBodyScene(withFirstCheck(crash));
    expect(await own.verify(HONEST)).toEqual({ type: "type", compilerError: "(project):1:1: The compiler ended with SIGSEGV." });
    expect(await own.verify(HONEST)).toBeNull();
  });

  test("[CRI-183] one that hangs: the attempt ends with its limit, and the next one has another compiler", async () => {
    const opened: CompileOracle[] = [];
    let isStuck = true;
    const hanging = withBadChecks(() => isStuck, hang);
    own = await openBodyScene((adapter) =>
      hanging({
        ...adapter,
        openOracle: async (tree, run) => {
          const oracle = await adapter.openOracle(tree, run);
          opened.push(oracle);
          return oracle;
        },
      }),
    );
    expect(await own.verify(HONEST, { timeoutMs: 300 })).toEqual({ type: "timeout", resource: "time of the compiler in ms", limit: 300 });
    isStuck = false;
    const before = opened.length;
    expect(await own.verify(HONEST)).toBeNull();
    expect(opened.length).toBeGreaterThan(before);
  });

  test("one that hangs on a busy machine: another one checks the body again, before the attempt fails", async () => {
    own = await openBodyScene(withFirstCheck(hang));
    expect(await own.verify(HONEST, { timeoutMs: 10_000 })).toBeNull();
  });

  test("one that answers late is not heard: its answer belongs to an attempt that has ended", async () => {
    const late = Promise.withResolvers<never>();
    let isLate = true;
    own = await openBodyScene(
      withBadChecks(
        () => isLate,
        () => late.promise,
      ),
    );
    expect(await own.verify(HONEST, { timeoutMs: 300 })).toMatchObject({ type: "timeout" });
    isLate = false;
    late.resolve({ passed: false, problems: [] } as never);
    expect(await own.verify(HONEST)).toBeNull();
  });

  test("one that cannot be opened: the next attempt opens it again", async () => {
    let opens = 0;
    own = await openBodyScene((adapter) => ({
      ...adapter,
      openOracle: (tree, run) => (opens++ === 0 ? crash() : adapter.openOracle(tree, run)),
    }));
    expect(await own.verify(HONEST)).toMatchObject({ type: "type" });
    expect(await own.verify(HONEST)).toBeNull();
  });

  test("a check that is aborted is no failure of the body", async () => {
    own = await openBodyScene(withFirstCheck(hang));
    const controller = new AbortController();
    const verdict = own.verify(HONEST, { signal: controller.signal });
    setImmediate(() => controller.abort(new Error("the run is paused")));
    await expect(verdict).rejects.toThrow("the run is paused");
    await expect(own.verify(HONEST, { signal: controller.signal })).rejects.toThrow("the run is paused");
  });

  test("a bug in an adapter is not taken for a failure of the body", async () => {
    own = await openBodyScene(withFirstCheck(() => Promise.reject(new TypeError("a bug"))));
    await expect(own.verify(HONEST)).rejects.toThrow("a bug");
  });
});
