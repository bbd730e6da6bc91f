import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { refusalOf, textOf, treeYard, type Yard } from "@slipway/kernel/host/file-views/testing/yard";
import { STORE_PARTS, storePaths } from "../layout.ts";
import { stateStoreTree } from "./state-store.ts";

const SHIPPED = "modules/MM-mail/1.0.0";
const OPEN = "modules/MM-mail/1.1.0";
const MODULE = {
  "contract.json": '{"needle":1}\n',
  "examples.md": "needle example\n",
  "implementation/send.ts": "const needle = 'hidden';\n",
  "implementation/deep/inner.ts": "needle\n",
  "tests/send.test.ts": "needle test\n",
};
const below = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

let yard: Yard;
let tree: FileTree;
beforeEach(async () => {
  yard = await treeYard({
    ...below(SHIPPED, { ...MODULE, "ship.json": "{}\n" }),
    ...below(OPEN, MODULE),
    "artifacts/core/PROP-00000001/1.0.0/envelope.json": "{}\n",
    "artifacts/core/PROP-00000002/1.0.0/envelope.json": "{}\n",
    "context_packs/CP-1.json": "{}\n",
    "exceptions/ICE-1.json": "{}\n",
    "exceptions/ICE-1.decisions.jsonl": "1\n",
    "escalations/ESC-1.json": "{}\n",
    "contributions/CONTRIB-1.json": "{}\n",
    "releases/REL-1.json": "{}\n",
    "project/state_machine.json": "{}\n",
    "product/spec.json": "{}\n",
    "code_index/rows": "needle\n",
    "debates/MM-mail/round-1/proposal.json": "1\n",
    "debates/MM-mail/round-2/proposal.json": "2\n",
    "debates/MM-mail/round-2/adjudication.json": "2\n",
    "debates/MM-new/round-1/proposal.json": "1\n",
    ".hidden/x": "needle\n",
  });
  tree = stateStoreTree({ ...yard, isArtifactShipped: (id) => id === "PROP-00000001" });
});

const bytes = Buffer.from("other\n");
const onDisk = (path: string) => readFileSync(join(yard.folder, path), "utf8");

describe("implementation and tests of a shipped module", () => {
  const sealed = [
    `${SHIPPED}/implementation/send.ts`,
    `${SHIPPED}/tests/send.test.ts`,
    `./${SHIPPED}//implementation/./deep/inner.ts`,
    `${SHIPPED}/implementation`,
    `${SHIPPED}/Implementation/send.ts`,
  ];

  test.each(sealed)("%s is answered with the specification's text", async (asked) => {
    expect(textOf(await tree.read(asked))).toBe(accessDenied(asked));
    for (const change of [() => tree.write(asked, bytes), () => tree.edit(asked, "needle", "x"), () => tree.remove(asked)]) {
      expect((await refusalOf(change)).message).toBe(accessDenied(asked));
    }
    expect(onDisk(`${SHIPPED}/implementation/send.ts`)).toBe(MODULE["implementation/send.ts"]);
  });

  test("the text is exactly this", () => {
    expect(accessDenied("a/b")).toBe(
      "ACCESS DENIED: 'a/b' is a sealed implementation directory. This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change Exception (§13).",
    );
  });

  test("are omitted from every listing and search, without an error", async () => {
    expect((await tree.ls(SHIPPED)).map(({ path }) => path.split("/").at(-1))).toEqual(["contract.json", "examples.md", "ship.json"]);
    expect(await tree.ls(`${SHIPPED}/implementation`)).toEqual([]);
    expect(await tree.ls(`${SHIPPED}/tests`)).toEqual([]);
    for (const pattern of ["**", "**/*.ts", `${SHIPPED}/**`, "modules/*/*/implementation/**"]) {
      expect(
        (await tree.glob(pattern)).filter((path) => path.startsWith(`${SHIPPED}/implementation`) || path.startsWith(`${SHIPPED}/tests`)),
      ).toEqual([]);
    }
    expect(await tree.glob("**", { under: `${SHIPPED}/implementation` })).toEqual([]);
    const found = (await tree.grep("needle")).map(({ path }) => path).toSorted();
    expect(found).toEqual(
      [`${SHIPPED}/contract.json`, `${SHIPPED}/examples.md`, ...Object.keys(MODULE).map((name) => `${OPEN}/${name}`)].toSorted(),
    );
    expect(await tree.grep("needle", { path: `${SHIPPED}/implementation` })).toEqual([]);
    expect(await tree.grep("needle", { path: [`${SHIPPED}/implementation/send.ts`, `${SHIPPED}/tests`] })).toEqual([]);
    // Nor by gaps: all visible hits are returned, however many are hidden.
    expect(await tree.grep("needle", { path: "modules", limit: 2 })).toHaveLength(2);
  });

  test("are not reached through links or upwards", async () => {
    symlinkSync(join(yard.folder, SHIPPED, "implementation"), join(yard.folder, OPEN, "peek"));
    symlinkSync("../1.0.0/implementation/send.ts", join(yard.folder, OPEN, "one.ts"));
    mkdirSync(join(yard.folder, "product/links"));
    symlinkSync(join(yard.folder, SHIPPED), join(yard.folder, "product/links/mail"));
    for (const asked of [
      `${OPEN}/peek/send.ts`,
      `${OPEN}/one.ts`,
      "product/links/mail/implementation/send.ts",
      `${OPEN}/../1.0.0/implementation/send.ts`,
      `${OPEN}/implementation/../../1.0.0/implementation/send.ts`,
      "product/../modules/MM-mail/1.0.0/implementation/send.ts",
      join(yard.folder, SHIPPED, "implementation/send.ts"),
    ]) {
      expect((await refusalOf(() => tree.read(asked))).code, asked).toBe("path_out_of_bounds");
    }
    expect((await tree.glob("**")).filter((path) => /peek|one\.ts|links/.test(path))).toEqual([]);
    expect((await tree.grep("hidden", { path: ["product", OPEN] })).map(({ path }) => path)).toEqual([`${OPEN}/implementation/send.ts`]);
  });

  test("the surface can be read, and before ship everything can", async () => {
    for (const name of ["contract.json", "examples.md", "ship.json"]) {
      expect(textOf(await tree.read(`${SHIPPED}/${name}`))).toBe(onDisk(`${SHIPPED}/${name}`));
    }
    expect(textOf(await tree.read(`${OPEN}/implementation/send.ts`))).toBe(MODULE["implementation/send.ts"]);
    await tree.write(`${OPEN}/implementation/send.ts`, bytes);
    await tree.write(`${OPEN}/ship.json`, bytes);
    expect(textOf(await tree.read(`${OPEN}/implementation/send.ts`))).toMatch(/^ACCESS DENIED/);
  });
});

describe("each part has its rule", () => {
  const FIXED = [
    `${SHIPPED}/contract.json`,
    `${SHIPPED}/ship.json`,
    "artifacts/core/PROP-00000001/1.0.0/envelope.json",
    "context_packs/CP-1.json",
    "exceptions/ICE-1.json",
    "exceptions/ICE-1.decisions.jsonl",
    "contributions/CONTRIB-1.json",
    "releases/REL-1.json",
    "debates/MM-mail/round-1/proposal.json",
    "debates/MM-mail/round-2/proposal.json",
    "debates/MM-mail/round-2/adjudication.json",
  ];

  test.each(FIXED)("%s cannot be written, edited or removed", async (path) => {
    const before = onDisk(path);
    for (const change of [() => tree.write(path, bytes), () => tree.edit(path, before.trim(), "x"), () => tree.remove(path)]) {
      expect(await refusalOf(change)).toMatchObject({ code: "policy_violation", details: { immutable: true } });
    }
    expect(onDisk(path)).toBe(before);
    expect(textOf(await tree.read(path))).toBe(before);
  });

  test.each([`${SHIPPED}/new.md`, "artifacts/core/PROP-00000001/1.0.0/body/new.md", "debates/MM-mail/round-2/more.json"])(
    "nothing can be added as %s either",
    async (path) => {
      expect((await refusalOf(() => tree.write(path, bytes))).message).toMatch(/is shipped|is adjudicated/);
    },
  );

  test.each([
    "project/state_machine.json",
    "escalations/ESC-1.json",
    "product/spec.json",
    `${OPEN}/contract.json`,
    "modules/MM-mail/2.0.0/contract.json",
    "artifacts/core/PROP-00000002/1.0.0/envelope.json",
    "context_packs/CP-2.json",
    "exceptions/ICE-2.json",
    "contributions/CONTRIB-2.json",
    "releases/REL-2.json",
    "debates/MM-mail/round-3/proposal.json",
    "debates/MM-new/round-1/proposal.json",
  ])("%s can be written", async (path) => {
    await tree.write(path, bytes);
    expect(onDisk(path)).toBe("other\n");
  });

  test("decisions about an exception are only appended", async () => {
    const path = "exceptions/ICE-1.decisions.jsonl";
    await tree.write(path, Buffer.from("1\n2\n"));
    expect((await refusalOf(() => tree.write(path, Buffer.from("2\n")))).message).toMatch(/only grows/);
    expect(onDisk(path)).toBe("1\n2\n");
  });

  test("the code index has no files, and there are no other parts", async () => {
    for (const path of ["code_index/rows", "elsewhere/x", ".hidden/x", "constructor/x"]) {
      expect((await refusalOf(() => tree.read(path))).code).toBe("policy_violation");
      expect((await refusalOf(() => tree.write(path, bytes))).code).toBe("policy_violation");
    }
    expect((await refusalOf(() => tree.ls("code_index"))).message).toMatch(/search_code_index/);
    expect(await tree.grep("needle", { path: ["code_index", ".hidden"] })).toEqual([]);
    expect((await tree.ls(".")).map(({ path }) => path)).not.toContain("code_index");
  });
});

test("[FAC-088] the parts of the store and their paths", () => {
  expect(
    readdirSync(yard.folder)
      .filter((name) => !name.startsWith("."))
      .toSorted(),
  ).toEqual([...STORE_PARTS].toSorted());
  expect(storePaths.artifact("core", "PROP-1", "1.0.0")).toBe("artifacts/core/PROP-1/1.0.0");
  expect(storePaths.module("MM-x", "1.0.0")).toBe("modules/MM-x/1.0.0");
  expect(storePaths.debateRound("MM-x", 2)).toBe("debates/MM-x/round-2");
  expect(storePaths.contextPack("CP-1")).toBe("context_packs/CP-1.json");
  expect(storePaths.exception("ICE-1")).toBe("exceptions/ICE-1.json");
  expect(storePaths.exceptionDecisions("ICE-1")).toBe("exceptions/ICE-1.decisions.jsonl");
  expect(storePaths.escalation("ESC-1")).toBe("escalations/ESC-1.json");
  expect(storePaths.contribution("CONTRIB-1")).toBe("contributions/CONTRIB-1.json");
  expect(storePaths.release("REL-1")).toBe("releases/REL-1.json");
  expect([storePaths.stateMachine, storePaths.spec, storePaths.specText]).toEqual([
    "project/state_machine.json",
    "product/spec.json",
    "product/spec.md",
  ]);
  for (const name of ["../x", "a/b", "", ".", "..", "a..b", ".hidden"])
    expect(() => storePaths.escalation(name)).toThrow(/cannot be the name/);
});
