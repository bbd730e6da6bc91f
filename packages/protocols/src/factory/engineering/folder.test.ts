import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { roleFolder } from "./folder.ts";
import { patched } from "./apply-amendments.ts";
import { APPROVE, challengeOf, proposalOf } from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop } from "./testing/workshop.ts";

afterAll(() => language.close());

describe("a folder", () => {
  const DIFF = [
    "diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n@@ -8,2 +8,2 @@\n eight\n-nine\n\\ No newline at end of file\n+NINE\n\\ No newline at end of file\n",
    "diff --git a/new.ts b/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+x\n+y\n",
    "diff --git a/old.ts b/old.ts\ndeleted file mode 100644\n--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n",
    "diff --git a/empty.ts b/empty.ts\nnew file mode 100644\nindex 0000000..e69de29\n",
    "diff --git a/was-empty.ts b/was-empty.ts\ndeleted file mode 100644\nindex e69de29..0000000\n",
  ].join("");
  const before = { "a.ts": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine", "old.ts": "gone\n", "was-empty.ts": "" };

  test("becomes texts by path", () => {
    expect(patched(before, DIFF)).toEqual({
      "a.ts": "one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nNINE",
      "new.ts": "x\ny\n",
      "empty.ts": "",
    });
    expect(() => patched({ ...before, "a.ts": "another\n" }, DIFF)).toThrow("a.ts was made from another text");
  });

  test("shows the role's context and accepts what it may write", () => {
    const schema = z.strictObject({ files: z.array(z.string()) });
    const sections = [
      { title: "Module contract", kind: "contract", text: "c" },
      { title: "a.ts", kind: "file", text: "x" },
    ];
    const work = {
      files: before,
      writable: ["a.ts", "new.ts"],
      schema: z.unknown(),
      adopt: (_: unknown, files: object) => ({ files: Object.keys(files) }),
    };
    const folder = roleFolder({ sections, stored: {}, rules: [] }, schema, "sha1", work);
    expect(folder.contents.files.map(({ path }) => path)).toEqual(["context/module-contract.md", ...Object.keys(before)]);
    expect(folder.contents.rules.map(({ path, level }) => `${path} ${level}`)).toEqual(["context FULL", "a.ts FULL", "new.ts FULL"]);
    const changes = { diff: DIFF, changed: [], dropped: [] };
    expect(folder.adopt({}, changes)).toEqual({ ok: true, value: { files: ["a.ts", "new.ts", "empty.ts"] } });
    const wrong = roleFolder({ sections, stored: {}, rules: [] }, schema, "sha1", { ...work, adopt: () => ({ files: 1 }) }).adopt(
      {},
      changes,
    );
    expect(wrong).toMatchObject({ ok: false, failure: { code: "agent_output_invalid", message: expect.stringContaining("files: ") } });
    expect(roleFolder({ sections, stored: {}, rules: [] }, schema, "sha1").adopt({ files: ["as it is"] }, changes)).toEqual({
      ok: true,
      value: { files: ["as it is"] },
    });
  });
});

describe("a Proposer that works on files", () => {
  test("finds its context and module in a folder, and its final content is the deliverable", async () => {
    const { files, ...claim } = proposalOf();
    const seen: string[][] = [];
    const services = await openWorkshop(
      { ...ONE_MODULE, challenger: [challengeOf()], arbiter: [APPROVE] },
      {
        folderProposer(folder, attempt) {
          seen.push(readdirSync(folder, { recursive: true }).map(String).toSorted());
          if (attempt === "1") return { ...claim, acceptance_checks: ["none"] };
          for (const { path, content } of files) {
            mkdirSync(join(folder, path, ".."), { recursive: true });
            rmSync(join(folder, path), { force: true });
            writeFileSync(join(folder, path), content);
          }
          return claim;
        },
      },
    );
    try {
      expect(await services.run()).toMatchObject({ status: "SHIPPED" });
      expect(seen[0]).toContain("context/module-contract.md");
      expect(seen[0]).toContain("context/task.md");
      expect(seen[0]).toContain("contract.json");
      expect(services.kept.sealed[0]?.files["implementation/index.ts"]).toBe(
        files.find(({ path }) => path === "implementation/index.ts")?.content,
      );
    } finally {
      await services.close();
    }
  });

  test("may also report that a dependency is not sufficient", async () => {
    const change = {
      exception_type: "AMBIGUOUS",
      target_module: "MM-a@1.0.0",
      reason: "r",
      evidence: ["e"],
      proposed_delta: {},
      compatibility: "UNKNOWN",
      urgency: "LOW",
    };
    const services = await openWorkshop(ONE_MODULE, { folderProposer: () => ({ type: "INTERFACE_CHANGE", ...change }) });
    try {
      expect(await services.run()).toMatchObject({ status: "HALTED", halt: { cause: "interface_change" } });
    } finally {
      await services.close();
    }
  });

  test("may use its tools first", async () => {
    const { files, ...claim } = proposalOf();
    const services = await openWorkshop(
      { ...ONE_MODULE, challenger: [challengeOf()], arbiter: [APPROVE] },
      {
        folderProposer(folder, attempt) {
          if (attempt === "1") return { calls: [{ tool: "search_code_index", query: "double" }] };
          expect(readFileSync(join(folder, "context/what-your-tools-gave.md"), "utf8")).toContain('"query": "double"');
          for (const { path, content } of files) {
            mkdirSync(join(folder, path, ".."), { recursive: true });
            rmSync(join(folder, path), { force: true });
            writeFileSync(join(folder, path), content);
          }
          return claim;
        },
      },
    );
    expect(await services.run()).toMatchObject({ status: "SHIPPED" });
    expect(services.asked.map(({ attempt }) => attempt)).toEqual(["1", "1", "1-tools-1", "1", "1"]);
    await services.close();
  });
});
