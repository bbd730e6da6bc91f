import { SlipwayError } from "@slipway/agents/errors";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { CompileOracle, LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { afterEach, describe, expect, test } from "vitest";
import { openCodeTools, type CodeTools } from "./code-tools.ts";

let tools: CodeTools;
afterEach(() => tools.close());

interface FakeCompiler {
  readonly log: string[];
  failNext: "open" | "accept" | null;
}

/** Records what is done to compilers, which are numbered as they are opened. */
function openFake(): FakeCompiler {
  const fake: FakeCompiler = { log: [], failNext: null };
  let opened = 0;
  const fail = (when: FakeCompiler["failNext"]) => {
    if (fake.failNext !== when) return;
    fake.failNext = null;
    throw new SlipwayError("compiler_failed", `${when} failed`);
  };
  const openOracle = async (tree: SourceTree): Promise<CompileOracle> => {
    fail("open");
    const number = ++opened;
    fake.log.push(`open ${number} ${Object.keys(tree).join(" ")}`);
    return {
      check: async () => ({ passed: true, problems: [] }),
      checkFile: async (path, text) => {
        fake.log.push(`check ${number} ${path} ${text}`);
        return { passed: true, problems: [] };
      },
      accept: async (path, text) => {
        fail("accept");
        fake.log.push(`accept ${number} ${path} ${text}`);
      },
      close: async () => void fake.log.push(`close ${number}`),
    };
  };
  tools = openCodeTools({ language: { openOracle } as unknown as LanguageAdapter, sandbox: async () => ({}) as Sandbox });
  return fake;
}

const ONE = { "a.ts": "1", "b.ts": "1" };
const TWO = { "a.ts": "1", "b.ts": "2" };

describe("the compiler of a run", () => {
  test("it is started once, and told what differs in the next tree", async () => {
    const { log } = openFake();
    await tools.oracleFor(ONE);
    await tools.oracleFor(ONE);
    await tools.oracleFor(TWO);
    expect(log).toEqual(["open 1 a.ts b.ts", "accept 1 b.ts 2"]);
  });

  test("calls at the same time share it", async () => {
    const { log } = openFake();
    const [first, second] = await Promise.all([tools.oracleFor(ONE), tools.oracleFor(ONE)]);
    expect(first).toBe(second);
    expect(log).toEqual(["open 1 a.ts b.ts"]);
  });

  test("a tree without one of the files needs another one", async () => {
    const { log } = openFake();
    await tools.oracleFor(ONE);
    await Promise.all([tools.oracleFor({ "a.ts": "1" }), tools.oracleFor(TWO)]);
    expect(log).toEqual(["open 1 a.ts b.ts", "close 1", "open 2 a.ts", "accept 2 b.ts 2"]);
  });

  test("one that cannot be opened is opened again by the next call", async () => {
    const fake = openFake();
    fake.failNext = "open";
    await expect(tools.oracleFor(ONE)).rejects.toThrow("open failed");
    await tools.oracleFor(ONE);
    expect(fake.log).toEqual(["open 1 a.ts b.ts"]);
  });

  test("one that fails while it takes over a tree is replaced: what it has open is uncertain", async () => {
    const fake = openFake();
    await tools.oracleFor(ONE);
    fake.failNext = "accept";
    await tools.compile(TWO, "b.ts");
    expect(fake.log).toEqual(["open 1 a.ts b.ts", "close 1", "open 2 a.ts b.ts", "check 2 b.ts 2"]);
  });

  test("one that is dropped is closed, and the next call starts another one", async () => {
    const { log } = openFake();
    await tools.oracleFor(ONE);
    tools.dropOracle();
    await tools.oracleFor(ONE);
    expect(log.toSorted()).toEqual(["close 1", "open 1 a.ts b.ts", "open 2 a.ts b.ts"]);
  });

  test("it is closed with the tools, and not started for that", async () => {
    const { log } = openFake();
    await tools.close();
    expect(log).toEqual([]);
    await tools.oracleFor(ONE);
    await tools.close();
    expect(log).toEqual(["open 1 a.ts b.ts", "close 1"]);
  });
});
