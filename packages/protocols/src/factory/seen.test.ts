import type { Workplace } from "@slipway/agents/provider";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { SlipwayError } from "@slipway/agents/errors";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { readItems, seenBy } from "./engineering/role-view.ts";
import { contextPackKind } from "./record-kinds.ts";
import { approved } from "./testing/approved.ts";
import { deliver } from "./testing/numbers.ts";
import { language, type Works, type WorksOptions } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const TWICE = "modules/MM-twice/1.0.0";
const QUAD = "modules/MM-quad/1.0.0";
const SOURCE = "throw new NegativeError";

async function built(options: WorksOptions = {}) {
  const begun = await approved({}, options);
  ({ works } = begun);
  expect(begun.outcome).toMatchObject({ value: { status: "released" } });
}
const bytes = Buffer.from("other\n");
const text = async (content: Promise<Uint8Array>) => Buffer.from(await content).toString();
async function refusal(change: () => Promise<unknown>): Promise<SlipwayError> {
  const error: unknown = await change().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SlipwayError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

describe("roles' view of the state store", () => {
  test("[FAC-079] every invocation has a recorded context pack, also the product owner's; it is written once", async () => {
    await built();
    const packs = works.files("context_packs").map((path) => {
      const pack = JSON.parse(works.file(`context_packs/${path}`) ?? "null") as { context_pack_id: string; created_for: { role: string } };
      expect(path).toBe(`${pack.context_pack_id}.json`);
      return pack;
    });
    const roles = (list: readonly string[]) => list.toSorted();
    expect(roles(packs.map(({ created_for }) => created_for.role))).toEqual(roles(works.asked.map(({ role }) => role)));
    expect(works.asked.map(({ role }) => role)).toContain("product-owner");
    const id = packs[0]!.context_pack_id;
    const call = { actor: { type: "orchestrator", id: "x" } as const, operationId: "somebody-else" };
    await expect(works.services.documents.revise(call, contextPackKind, id, {}, (pack) => pack)).rejects.toThrow("is written once");
    expect((await refusal(() => works.services.view.tree.write(`context_packs/${id}.json`, bytes))).details).toMatchObject({
      immutable: true,
    });
  });

  test("[FAC-080] [FAC-085] is read through the store's rules: the surface of a dependency, and for a sealed path the refusal, whatever the code requests", async () => {
    await built();
    const proposing = works.asked.filter(({ role, subject }) => role === "proposer" && subject === "MM-quad").at(-1)!;
    const shown = proposing.sections()["dependency MM-twice@1.0.0"]!;
    for (const name of ["contract.json", "examples.md", "ship.json"]) expect(shown).toContain(works.file(`${TWICE}/${name}`)!);
    expect(JSON.stringify(works.asked.filter(({ role }) => role !== "proposer").map((one) => one.sections()))).not.toContain(SOURCE);

    const included = [{ ref: "MM-twice@1.0.0", permission: "CONTRACT_ONLY", reason: "it calls it" }] as const;
    const asked = [`${TWICE}/implementation/index.ts`, `${TWICE}/tests/module.test.ts`, `${QUAD}/implementation/index.ts`];
    const [item] = await readItems([{ title: "all of it", kind: "contract", stored: asked }], seenBy(works.services.view.tree, included));
    for (const path of asked) expect(item!.text).toContain(accessDenied(path));
    expect(item!.text).not.toContain(SOURCE);
    // Also for a role that was granted all of it by mistake.
    const [full] = await readItems([{ title: "all of it", kind: "contract", stored: asked }], works.services.view.tree);
    expect(full!.text).not.toContain(SOURCE);
  });

  test("[FAC-086] [FAC-090] nothing of a shipped module can be written or removed, and its implementation and tests are visible to no role", async () => {
    await built();
    const { tree } = works.services.view;
    const before = works.files("modules").map((path) => works.file(`modules/${path}`));
    const sealed = works.files("modules").filter((path) => /\/(?:implementation|tests)\//.test(path));
    expect(sealed.length).toBeGreaterThan(3);
    for (const path of works.files("modules").map((one) => `modules/${one}`)) {
      for (const change of [() => tree.write(path, bytes), () => tree.edit(path, "a", "b"), () => tree.remove(path)]) {
        expect((await refusal(change)).code).toBe("policy_violation");
      }
      const shown = await text(tree.read(path));
      expect(shown).toBe(sealed.includes(path.slice("modules/".length)) ? accessDenied(path) : works.file(path));
    }
    expect((await refusal(() => tree.write(`${TWICE}/more.md`, bytes))).details).toMatchObject({ immutable: true });
    expect((await tree.glob("**")).filter((path) => /\/(?:implementation|tests)\//.test(path))).toEqual([]);
    expect(await tree.grep(SOURCE)).toEqual([]);
    const delivered = works.files("artifacts").find((path) => path.endsWith("body/implementation/index.ts"))!;
    expect(await text(tree.read(`artifacts/${delivered}`))).toBe(accessDenied(`artifacts/${delivered}`));
    expect((await tree.ls(TWICE)).map(({ path }) => path)).toEqual(
      ["contract.json", "examples.md", "ship.json"].map((name) => `${TWICE}/${name}`),
    );
    expect(works.files("modules").map((path) => works.file(`modules/${path}`))).toEqual(before);
    const seal = { module_id: "MM-twice", version: "1.0.0", files: {}, depends_on: [] };
    const call = { actor: { type: "orchestrator", id: "x" } as const, operationId: "again" };
    await expect(works.services.store.sealModule(call, seal)).rejects.toThrow("cannot be changed");
  });

  test("[FAC-089] each part that a run has written follows its rule", async () => {
    await built();
    const { tree } = works.services.view;
    const first = (folder: string) => `${folder}/${works.files(folder)[0]}`;
    const shippedArtifact = works
      .files("artifacts")
      .map((path) => `artifacts/${path}`)
      .find((path) => path.endsWith("envelope.json") && works.file(path)!.includes('"status": "SHIPPED"'))!;
    const fixed = [
      first("debates"),
      first("context_packs"),
      first("contributions"),
      first("releases"),
      shippedArtifact,
      `${TWICE}/ship.json`,
    ];
    for (const path of fixed) {
      const before = works.file(path);
      for (const change of [() => tree.write(path, bytes), () => tree.remove(path)]) {
        expect((await refusal(change)).details, path).toMatchObject({ immutable: true });
      }
      expect(works.file(path)).toBe(before);
    }
    for (const path of ["project/note.md", "escalations/note.json"]) {
      await tree.write(path, bytes);
      await tree.write(path, Buffer.from("again\n"));
      expect(works.file(path)).toBe("again\n");
    }
    expect((await refusal(() => tree.read("code_index/rows"))).message).toContain("search_code_index");
    expect((await refusal(() => tree.write("code_index/rows", bytes))).code).toBe("policy_violation");
  });
});

describe("a Proposer with tools", () => {
  test("[FAC-161] [FAC-162] gets the specification's text for a sealed path, and does not find it by searching", async () => {
    const told: Record<string, string> = {};
    async function nosy({ tree }: Workplace, shown: Record<string, string>) {
      if (shown["dependency MM-twice@1.0.0"] !== undefined) {
        const path = `${TWICE}/implementation/index.ts`;
        told["read"] = await text(tree.read(path));
        told["edit"] = (await refusal(() => tree.edit(path, "n * 2", "n * 3"))).message;
        told["write"] = (await refusal(() => tree.write(`${TWICE}/tests/more.test.ts`, bytes))).message;
        told["remove"] = (await refusal(() => tree.remove(`${TWICE}/contract.json`))).code;
        told["surface"] = await text(tree.read(`${TWICE}/contract.json`));
        told["ls"] = (await tree.ls(TWICE)).map((entry) => entry.path).join();
        told["ls inside"] = (await tree.ls(`${TWICE}/implementation`)).join();
        told["glob"] = (await tree.glob("modules/**")).join();
        told["grep"] = [...new Set((await tree.grep("NegativeError", { path: "modules" })).map((hit) => hit.path))].join();
      }
      const { files, ...claim } = deliver(shown);
      for (const file of files) await tree.write(file.path, Buffer.from(file.content));
      return claim;
    }
    await built({ inFolder: { proposer: nosy } });
    const path = `${TWICE}/implementation/index.ts`;
    const surface = ["contract.json", "examples.md", "ship.json"].map((name) => `${TWICE}/${name}`).join();
    expect(told).toEqual({
      read: accessDenied(path),
      edit: accessDenied(path),
      write: accessDenied(`${TWICE}/tests/more.test.ts`),
      remove: "policy_violation",
      surface: works.file(`${TWICE}/contract.json`),
      ls: surface,
      "ls inside": "",
      glob: surface,
      grep: `${TWICE}/contract.json,${TWICE}/examples.md`,
    });
  });
});
