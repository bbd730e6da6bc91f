import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBook } from "@slipway/agents/invocation-book";
import { createPack } from "@slipway/agents/pack";
import { listTree } from "@slipway/agents/packs/source";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { cassetteWriter } from "@slipway/agents/record";
import { replayProvider } from "@slipway/agents/replay";
import { parseRole } from "@slipway/agents/role";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDispatcher, type Reply, type WorkspaceRequest } from "./dispatcher.ts";
import { workspaceOf, type Workspace } from "./workspace.ts";

const ROLE = parseRole("poet.md", "---\nname: poet\ntier: fast\ntools: [read, write]\nwrite_grant: worktree\noutput: POEM\n---\nWrite.\n");
const USAGE = { input_tokens: 1, output_tokens: 1, cost_usd: 0 };

const poemSchema = z.strictObject({ poem: z.string() });
interface Delivery {
  readonly poem: string;
  readonly diff: string;
  readonly dropped: readonly string[];
}

let scratch: ScratchKernel;
beforeEach(async () => void (scratch = await openScratchKernel()));
afterEach(() => scratch.close());

const MAY_WRITE: readonly PackRule[] = [
  { path: ".", level: "FULL", permission: "read", reason: "all" },
  { path: "src", level: "FULL", permission: "write", reason: "the poem" },
];

async function workspace(rules = MAY_WRITE): Promise<Workspace<Delivery>> {
  const { repository } = scratch.kernel;
  const tree = scratch.git("rev-parse", "HEAD^{tree}").trim();
  return workspaceOf({
    contents: { ...(await listTree(repository, tree)), tree, rules, objectFormat: repository.objectFormat },
    outputSchema: poemSchema,
    adopt: ({ poem }, { diff, dropped }): Reply<Delivery> => ({
      ok: true,
      value: { poem, diff, dropped: dropped.map(({ path }) => path) },
    }),
  });
}

const request = (step: string, rules?: readonly PackRule[]): WorkspaceRequest<Delivery> => ({
  role: "poet",
  subject: "spring",
  attempt: "1",
  pack: createPack([{ title: "src/a.txt", kind: "file", text: "one\n" }]),
  instructions: "Write a poem.",
  runId: "run1",
  call: { actor: { type: "system", id: "run1" }, operationId: `run1/${step}` },
  workspace: () => workspace(rules),
});

function answering(works: Provider["works"], answer: (request: ProviderRequest) => Promise<unknown>) {
  const asked: ProviderRequest[] = [];
  const provider: Provider = {
    name: `${works}-only`,
    works,
    async invoke(one) {
      asked.push(one);
      return { text: JSON.stringify(await answer(one)), usage: USAGE, model: null };
    },
  };
  return { provider, asked };
}

const inFolder = () =>
  answering("folder", async ({ workplace }) => {
    await workplace?.tree.write("src/a.txt", Buffer.from("green\n"));
    await workplace?.tree.write("src/b.bin", Uint8Array.of(0, 255));
    return { poem: "green" };
  });
const asAnswer = () =>
  answering("prompt", async () => ({
    output: { poem: "green" },
    files: [
      { path: "src/a.txt", content: "green\n" },
      { path: "src/b.bin", base64: "AP8=" },
    ],
  }));

function dispatcher(provider: Provider, cassette?: string) {
  const { kernel, records } = scratch;
  const writer = cassette === undefined ? undefined : cassetteWriter({ folder: cassette, description: "test", clock: kernel.clock });
  return openDispatcher({
    protocol: () => "features",
    kernel,
    role: async () => ROLE,
    provider: async () => ({ provider, model: null }),
    onWarning: () => undefined,
    book: openBook({ layout: records.layout, objects: records.objects, clock: kernel.clock, cassette: writer }),
  });
}

describe("a workspace", () => {
  test("gives the same reply, diff and prompt digest, whether the provider works in a folder or only answers", async () => {
    const [folder, plain] = [inFolder(), asAnswer()];
    const one = await dispatcher(folder.provider).invoke(request("one"));
    const other = await dispatcher(plain.provider).invoke(request("two"));
    expect(one).toMatchObject({ ok: true, value: { poem: "green", diff: expect.stringContaining("-one\n+green\n") } });
    expect(other).toEqual(one);
    expect(plain.asked[0]?.promptDigest).toBe(folder.asked[0]?.promptDigest);
  });

  test("shows the grants to both, and the files only to the one that has no folder", async () => {
    const [folder, plain] = [inFolder(), asAnswer()];
    await dispatcher(folder.provider).invoke(request("one"));
    await dispatcher(plain.provider).invoke(request("two"));
    const [there, here] = [folder.asked[0]!, plain.asked[0]!];
    for (const { prompt } of [there, here]) expect(prompt).toContain('- "src/"\nA path that ends with "/" stands for everything below it.');
    expect(here.prompt).toContain("\n## file ");
    expect(there.prompt).not.toContain("\n## file ");
    expect(Object.keys(here.schema["properties"] as object)).toEqual(["output", "files"]);
    expect(Object.keys(there.schema["properties"] as object)).toEqual(["poem"]);
  });

  test("in which nothing may change has a plain answer", async () => {
    const readOnly = MAY_WRITE.slice(0, 1);
    const plain = answering("prompt", async () => ({ poem: "green" }));
    expect(await dispatcher(plain.provider).invoke(request("one", readOnly))).toEqual({
      ok: true,
      value: { poem: "green", diff: "", dropped: [] },
    });
    expect(plain.asked[0]?.prompt).not.toContain("# Files");
  });

  test("drops changes that its rules do not permit, and the reply names them as refusals", async () => {
    const told: unknown[] = [];
    const plain = answering("prompt", async () => ({ output: { poem: "green" }, files: [{ path: "docs/x.md", content: "x" }] }));
    const reply = await dispatcher(plain.provider).invoke({ ...request("one"), onRefusals: (refusals) => told.push(...refusals) });
    const refusal = { tool: "write", path: "docs/x.md", reason: "it may be read and not changed" };
    expect(reply).toMatchObject({ ok: true, value: { diff: "", dropped: ["docs/x.md"] }, refusals: [refusal] });
    expect(told).toEqual([refusal]);
  });

  test("sends an answer with a file that is listed twice back for repair", async () => {
    const files = [
      { path: "src/a.txt", content: "1" },
      { path: "./src/a.txt", content: "2" },
    ];
    const plain = answering("prompt", async ({ repair }) => ({ output: { poem: "green" }, files: files.slice(0, repair === 0 ? 2 : 1) }));
    expect(await dispatcher(plain.provider).invoke(request("one"))).toMatchObject({ ok: true });
    expect(plain.asked[1]?.prompt).toContain('"src/a.txt" is listed twice');
  });
});

describe("a cassette", () => {
  test.each([
    ["a provider that works in a folder", inFolder],
    ["one that only answers", asAnswer],
  ])("recorded with %s replays the same reply without a folder", async (_, make) => {
    const folder = join(mkdtempSync(join(tmpdir(), "slipway-workspace-")), "cassette");
    mkdirSync(folder);
    const live = await dispatcher(make().provider, folder).invoke(request("live"));
    expect(existsSync(join(folder, "poet/spring.1.json"))).toBe(true);
    const replay = await replayProvider({ folder, strict: true });
    expect(replay.works).toBe("prompt");
    expect(await dispatcher(replay).invoke(request("replayed"))).toEqual(live);
  });

  test("has the changed files as text, and binary ones as base64", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "slipway-workspace-")), "cassette");
    mkdirSync(folder);
    await dispatcher(inFolder().provider, folder).invoke(request("live"));
    expect(JSON.parse(readFileSync(join(folder, "poet/spring.1.json"), "utf8"))).toMatchObject({
      output: {
        output: { poem: "green" },
        files: [
          { path: "src/a.txt", content: "green\n" },
          { path: "src/b.bin", base64: "AP8=" },
        ],
      },
    });
  });
});
