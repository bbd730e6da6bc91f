import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SourceTree } from "../../adapter.ts";
import { HOLE } from "../source/hole.ts";
import { injectBody } from "../source/inject-body.ts";
import { parseSource } from "../source/parse-source.ts";
import { compileCheck, readTree } from "./compile-folder.ts";
import { openOracle } from "./oracle.ts";
import { BOMB } from "../testing/type-bomb.ts";

const STRICT = { "tsconfig.json": `{ "compilerOptions": { "strict": true } }` };
const TREE: SourceTree = {
  ...STRICT,
  "src/money.ts": `export type Money = number & { readonly brand: unique symbol };\n`,
  "src/account.ts": `import type { Money } from "./money.ts";\n\nexport function total(list: readonly Money[]): number {\n  ${HOLE}\n}\n`,
};

function open(tree: SourceTree, timeoutMs?: number, signal?: AbortSignal) {
  const oracle = openOracle(tree, { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) });
  onTestFinished(() => oracle.close());
  return oracle;
}
const withBody = (body: string) => injectBody(parseSource(TREE["src/account.ts"]!), "total", body).text;
const messages = ({ problems }: { problems: readonly { file: string | null; line: number; column: number; message: string }[] }) =>
  problems.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);

describe("the tree", () => {
  test("[CRI-038] [CRI-039] with holes in functions of every kind and return type passes", async () => {
    const text = `
export interface Shape { readonly area: number }
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };
export const LIMITS = { most: 5 } as const;
export function number(): number { ${HOLE} }
export function nothing(): void { ${HOLE} }
export function never(): never { ${HOLE} }
export function generic<T extends Shape>(a: T): Result<T> { ${HOLE} }
export async function later(): Promise<string> { ${HOLE} }
export function* many(): Generator<number, string, boolean> { ${HOLE} }
export async function* stream(): AsyncGenerator<number> { ${HOLE} }
export function is(a: unknown): a is Shape { ${HOLE} }
export function must(a: unknown): asserts a is Shape { ${HOLE} }
export function over(a: string): string;
export function over(a: number): number;
export function over(a: string | number): string | number { ${HOLE} }
export const arrow = (a: number): readonly number[] => { ${HOLE} };
export class Base {
  readonly a: number;
  #b: string;
  constructor(a: number) { ${HOLE} }
  get v(): number { ${HOLE} }
  set v(n: number) { ${HOLE} }
  static make(): Base { ${HOLE} }
  protected async later(): Promise<this> { ${HOLE} }
  #own(): symbol { ${HOLE} }
  [Symbol.iterator](): Iterator<number> { ${HOLE} }
}
export class Derived extends Base {
  constructor(a: number) { super(a); ${HOLE} }
  override get v(): number { ${HOLE} }
}
export const api = { deposit(a: number): number { ${HOLE} } };
`;
    expect(parseSource(text).functions.filter(({ isHole }) => !isHole)).toEqual([]);
    expect(messages(await open({ ...STRICT, "src/all.ts": text }).check())).toEqual([]);
  });

  test("has problems with file, line and column, in order", async () => {
    const oracle = open({
      ...STRICT,
      "src/b.ts": `/* é 😀 */ export const b: string = 1;\nexport const c: number = "a" as const;\n`,
      "src/a.ts": `import { missing } from "./b.ts";\nimport fs from "fs-extra";\nexport const syntax = ;\nexport enum E { A }\n`,
    });
    const found = messages(await oracle.check());
    expect(found.map((one) => one.replace(/ .*/s, ""))).toEqual([
      "src/a.ts:1:10",
      "src/a.ts:2:16",
      "src/a.ts:3:23",
      "src/a.ts:4:13",
      "src/b.ts:1:25",
      "src/b.ts:2:14",
    ]);
    expect(found[4]).toBe("src/b.ts:1:25 Type 'number' is not assignable to type 'string'.");
  });

  test("reads nothing of this machine, and paths that leave the tree are refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-secret-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "secret.ts"), "export const secret = 'a password';\n");
    const found = await open({ ...STRICT, "src/a.ts": `export { secret } from "../../..${folder}/secret.ts";\n` }).check();
    expect(found.problems[0]?.message).toContain("Cannot find module");
    expect(() => openOracle({ "../a.ts": "" })).toThrow(expect.objectContaining({ code: "path_out_of_bounds" }));
    await expect(open(TREE).accept("/etc/a.ts", "")).rejects.toMatchObject({ code: "path_out_of_bounds" });
    expect(() => open(TREE).checkFile("../a.ts", "")).toThrow(expect.objectContaining({ code: "path_out_of_bounds" }));
  });

  test("is checked without its tests; options that name files have no effect", async () => {
    const loose = `{ "compilerOptions": { "strict": true, "types": ["none"], "plugins": [], "paths": { "*": ["/etc/*"] } }, "files": [] }`;
    const tree = {
      "tsconfig.json": loose,
      "src/tsconfig.json": "{",
      "src/a.ts": "export function f(a): void {}\n",
      "src/a.test.ts": `import { test } from "vitest";\n`,
    };
    expect(messages(await open(tree).check())).toEqual(["src/a.ts:1:19 Parameter 'a' implicitly has an 'any' type."]);
  });
});

describe("one body", () => {
  test("[CRI-003] that compiles passes, and one that does not has the problem at its place; the tree stays as it was", async () => {
    const oracle = open(TREE);
    expect(await oracle.check()).toEqual({ passed: true, problems: [] });
    expect(await oracle.checkFile("src/account.ts", withBody("return list.length;"))).toEqual({ passed: true, problems: [] });
    const bad = await oracle.checkFile("src/account.ts", withBody("return list;"));
    expect(bad.passed).toBe(false);
    expect(messages(bad)).toEqual(["src/account.ts:4:3 Type 'readonly Money[]' is not assignable to type 'number'."]);
    expect(await oracle.check()).toEqual({ passed: true, problems: [] });
  });

  test("[CRI-003] is part of the tree only after it is accepted", async () => {
    const oracle = open(TREE);
    const other = `import { total } from "./account.ts";\nexport const text: string = total([]);\n`;
    expect((await oracle.checkFile("src/other.ts", other)).passed).toBe(false);
    expect((await oracle.check()).passed).toBe(true);
    await oracle.accept("src/other.ts", other);
    expect((await oracle.check()).passed).toBe(false);
    await oracle.accept("src/account.ts", TREE["src/account.ts"]!.replace(": number {", ": string {"));
    expect((await oracle.check()).passed).toBe(true);
    await oracle.accept("src/late.ts", "export const late: string = 1;\n");
    expect(messages(await oracle.check())).toEqual(["src/late.ts:1:14 Type 'number' is not assignable to type 'string'."]);
  });

  test("does not pass by hiding errors from the compiler", async () => {
    const oracle = open(TREE);
    for (const directive of ["// @ts-ignore", "/* @ts-expect-error: later */", "// @ts-nocheck"]) {
      const found = await oracle.checkFile("src/account.ts", withBody(`${directive}\nreturn list;`));
      expect(found.passed).toBe(false);
      expect(messages(found)[0]).toMatch(/^src\/account.ts:4:3 @ts-[a-z-]+ hides errors/);
      await oracle.accept("src/hidden.ts", `${directive}\nexport const a: string = 1;\n`);
      expect(messages(await oracle.check())[0]).toMatch(/^src\/hidden.ts:1:1 @ts-[a-z-]+ hides errors/);
    }
    expect((await oracle.checkFile("src/account.ts", withBody("return '// @ts-ignore'.length;"))).passed).toBe(true);
    expect(messages(await oracle.checkFile("src/account.ts", "// @ts-ignore\n)"))[0]).not.toContain("hides");
  });

  test("is checked in turn with others", async () => {
    const oracle = open(TREE);
    const bodies = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? `return ${index};` : `return "${index}";`));
    const results = await Promise.all(bodies.map((body) => oracle.checkFile("src/account.ts", withBody(body))));
    expect(results.map(({ passed }) => passed)).toEqual(bodies.map((_, index) => index % 2 === 0));
  });
});

describe("a compiler", () => {
  const alive = (pid: number) => {
    try {
      return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };

  test("that was killed between two checks is started again", async () => {
    const oracle = open(TREE);
    await oracle.check();
    await oracle.accept("src/account.ts", withBody("return 1;"));
    const first = oracle.pid!;
    process.kill(first, "SIGKILL");
    expect((await oracle.checkFile("src/account.ts", withBody("return list;"))).passed).toBe(false);
    expect(oracle.pid).not.toBe(first);
    expect(await oracle.check()).toEqual({ passed: true, problems: [] });
  });

  test("that ends during every check is given up", async () => {
    const oracle = open(TREE);
    let killer: NodeJS.Immediate;
    // Before any answer is read, also if this process was suspended for a while.
    const kill = () => {
      if (oracle.pid !== null && alive(oracle.pid)) process.kill(oracle.pid, "SIGKILL");
      killer = setImmediate(kill);
    };
    kill();
    await expect(oracle.check()).rejects.toMatchObject({ code: "compiler_failed", message: expect.stringContaining("twice") });
    clearImmediate(killer!);
    expect((await oracle.check()).passed).toBe(true);
  });

  test("that hangs is killed, and the next check has a new one", async () => {
    const oracle = open(TREE, 15_000);
    await oracle.check();
    const hung = oracle.pid!;
    process.kill(hung, "SIGSTOP");
    await expect(oracle.checkFile("src/account.ts", withBody("return 1;"))).rejects.toMatchObject({ code: "compiler_failed" });
    await expect.poll(() => alive(hung), { timeout: 10_000 }).toBe(false);
    expect(await oracle.check()).toEqual({ passed: true, problems: [] });
  });

  test("is stopped when the run is", async () => {
    const stop = new AbortController();
    const oracle = open(TREE, 60_000, stop.signal);
    await oracle.check();
    const hung = oracle.pid!;
    process.kill(hung, "SIGSTOP");
    const pending = oracle.check();
    setTimeout(() => stop.abort(new Error("stopped by a person")), 50);
    await expect(pending).rejects.toThrow("stopped by a person");
    await expect.poll(() => alive(hung), { timeout: 10_000 }).toBe(false);
    await expect(oracle.check()).rejects.toThrow("stopped by a person");
  });

  test("ends with its oracle, which may be closed twice or unused", async () => {
    const oracle = open(TREE);
    await oracle.check();
    const { pid } = oracle;
    await oracle.close();
    await expect.poll(() => alive(pid!)).toBe(false);
    expect(oracle.pid).toBeNull();
    await oracle.close();
    await open(TREE).close();
  });

  test("answers hostile types within its limit", async () => {
    const hostile = `type Dec<A extends 0[]> = A extends [0, ...infer R extends 0[]] ? R : [];
type Ack<M extends 0[], N extends 0[]> = M extends [] ? [...N, 0] : N extends [] ? Ack<Dec<M>, [0]> : Ack<Dec<M>, Ack<M, Dec<N>>>;
export const x: Ack<[0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]>["length"] = 1;
`;
    const oracle = open(TREE);
    const found = await oracle.checkFile("src/hostile.ts", hostile);
    expect(found.problems.some(({ message }) => message.includes("excessively deep"))).toBe(true);
    expect(
      (await oracle.checkFile("src/deep.ts", `export const a = ${"(".repeat(50_000)}1${")".repeat(50_000)};\n`)).problems,
    ).toBeDefined();
    expect((await oracle.check()).passed).toBe(true);
  });

  test(
    "B23: that is kept busy by types is stopped beyond its memory or time, this process stays responsive, and the next check passes",
    { timeout: 240_000 },
    async () => {
      let ticks = 0;
      const ticking = setInterval(() => ticks++, 20);
      onTestFinished(() => clearInterval(ticking));
      const memoryBytes = 256 * 1024 ** 2;
      const oracle = openOracle(TREE, { timeoutMs: 100_000, memoryBytes });
      onTestFinished(() => oracle.close());
      const stopped = { code: "compiler_failed", message: expect.stringContaining("256 MiB of memory") };
      await expect(oracle.checkFile("src/bomb.ts", BOMB)).rejects.toMatchObject(stopped);
      expect(await oracle.check()).toEqual({ passed: true, problems: [] });
      const late = open(TREE, 2_000);
      await expect(late.checkFile("src/bomb.ts", BOMB)).rejects.toMatchObject({ code: "compiler_failed" });
      expect(ticks).toBeGreaterThan(10);
    },
  );

  test("keeps its memory over 1,000 checks", async () => {
    const oracle = open(TREE);
    const resident = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${oracle.pid}/status`, "utf8"))?.[1]);
    const sizes: number[] = [];
    for (let count = 0; count < 1_000; count++) {
      await oracle.checkFile("src/account.ts", withBody(`return ${count};`));
      if (count % 100 === 99) sizes.push(resident());
    }
    console.log(`resident memory of the compiler, in MB: ${sizes.map((size) => Math.round(size / 1024)).join(" ")}`);
    // A snapshot that is not disposed keeps its program: a hundred of them are more than this.
    expect(sizes.at(-1)).toBeLessThan(2 * sizes[1]!);
  });
});

describe("a folder", () => {
  function folderOf(files: SourceTree): string {
    const folder = mkdtempSync(join(tmpdir(), "slipway-folder-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  test("[CRI-185] compileCheck reads the sources of a folder and checks them", async () => {
    expect(await compileCheck(folderOf(TREE), {})).toEqual({ passed: true, problems: [] });
    const found = await compileCheck(folderOf({ ...TREE, "src/deep/er/bad.ts": "export const a: string = 1;\n" }), {});
    expect(messages(found)).toEqual(["src/deep/er/bad.ts:1:14 Type 'number' is not assignable to type 'string'."]);
  });

  test("is read without packages, git, other files and links", async () => {
    const folder = folderOf({
      ...STRICT,
      "package.json": "{}",
      "src/a.ts": "",
      "README.md": "",
      "node_modules/b/c.ts": "",
      ".git/d.ts": "",
      ".slipway/e.ts": "",
    });
    symlinkSync("/etc", join(folder, "src/etc"));
    symlinkSync("/etc/hostname", join(folder, "src/link.ts"));
    expect(Object.keys(await readTree(folder)).toSorted()).toEqual(["package.json", "src/a.ts", "tsconfig.json"]);
  });

  test("that does not exist is an error", async () => {
    await expect(compileCheck("/does/not/exist", {})).rejects.toMatchObject({ code: "ENOENT" });
  });
});
