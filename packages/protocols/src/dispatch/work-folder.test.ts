import { openBook, type InvocationBook } from "@slipway/agents/invocation-book";
import { createPack } from "@slipway/agents/pack";
import { listTree } from "@slipway/agents/packs/source";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { parseRole } from "@slipway/agents/role";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { openDispatcher, type AgentRequest } from "./dispatcher.ts";
import { droppedText, type FolderWork } from "./work-folder.ts";

const ROLE = parseRole("poet.md", "---\nname: poet\ntier: fast\ntools: []\nwrite_grant: worktree\noutput: POEM\n---\nWrite.\n");

let scratch: ScratchKernel;
beforeEach(async () => void (scratch = await openScratchKernel()));
afterEach(() => scratch.close());

const schema = z.strictObject({ poem: z.string(), diff: z.string() });
type Poem = z.infer<typeof schema>;

async function folder(): Promise<FolderWork<Poem>> {
  const { repository } = scratch.kernel;
  const tree = scratch.git("rev-parse", "HEAD^{tree}").trim();
  const rules = [
    { path: ".", level: "FULL", permission: "read", reason: "all" },
    { path: "src/a.txt", level: "FULL", permission: "write", reason: "the poem" },
  ] as const;
  return {
    contents: { ...(await listTree(repository, tree)), tree, rules, objectFormat: repository.objectFormat },
    schema: z.strictObject({ poem: z.string() }),
    adopt: (answer, { diff }) => ({ ok: true, value: schema.parse({ ...(answer as object), diff }) }),
  };
}

const request = (changes: Partial<AgentRequest<Poem>> = {}): AgentRequest<Poem> => ({
  role: "poet",
  subject: "spring",
  attempt: "1",
  pack: createPack([{ title: "spec", kind: "spec", text: "about spring" }]),
  instructions: "Write a poem.",
  schema,
  runId: "run1",
  call: { actor: { type: "system", id: "run1" }, operationId: "run1/poet:1" },
  folder,
  ...changes,
});

function writing(works: Provider["works"] = "folder") {
  const asked: ProviderRequest[] = [];
  const provider: Provider = {
    name: "writing",
    works,
    async invoke(request) {
      asked.push(request);
      await request.workplace?.tree.write("src/a.txt", Buffer.from("green\n"));
      const poem = works === "folder" && request.workplace !== null ? { poem: "green" } : { poem: "green", diff: "none" };
      return { text: JSON.stringify(poem), usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0.01 }, model: "m" };
    },
  };
  return { asked, provider };
}

function dispatcher(provider: Provider, book?: InvocationBook) {
  const { kernel } = scratch;
  return openDispatcher({
    protocol: () => "features",
    kernel,
    role: async () => ROLE,
    provider: async () => ({ provider, model: null }),
    onWarning: () => undefined,
    ...(book === undefined ? {} : { book }),
  });
}

test("an answer that was paid for before a crash is not asked for again, and its folder is restored", async () => {
  const { asked, provider } = writing();
  const { layout, objects } = scratch.records;
  const real = openBook({ layout, objects, clock: scratch.kernel.clock, onWarning: () => undefined });
  const broken: InvocationBook = {
    begin: async (facts) => ({
      ...(await real.begin(facts)),
      keep: () => Promise.reject(new Error("killed before it was recorded")),
    }),
  };
  await expect(dispatcher(provider, broken).invoke(request())).rejects.toThrow("killed before it was recorded");
  const reply = await dispatcher(provider).invoke(request());
  expect(asked).toHaveLength(1);
  expect(reply).toMatchObject({ ok: true, value: { poem: "green", diff: expect.stringContaining("-one\n+green\n") } });
});

test("a provider that only answers gets no folder, and neither does a request without folder work", async () => {
  const answering = writing("prompt");
  expect(await dispatcher(answering.provider).invoke(request())).toMatchObject({ ok: true, value: { diff: "none" } });
  const lost = writing();
  const { folder: _none, ...plain } = request({ call: { actor: { type: "system", id: "run1" }, operationId: "run1/poet:2" } });
  expect(await dispatcher(lost.provider).invoke(plain)).toMatchObject({ ok: true, value: { diff: "none" } });
  expect([...answering.asked, ...lost.asked].map(({ workplace }) => workplace)).toEqual([null, null]);
});

test("droppedText lists at most ten paths", () => {
  const dropped = Array.from({ length: 12 }, (_, index) => ({ path: `f${index}`, what: "created" as const, reason: "r" }));
  expect(droppedText({ diff: "", changed: [], dropped })).toMatch(/^Not adopted .*f9 \(created: r\) and 2 more\.$/);
});
