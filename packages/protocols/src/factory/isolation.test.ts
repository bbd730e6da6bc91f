import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "@slipway/agents/provider";
import { envelopeSchema } from "./artifacts/envelope.ts";
import type { Contract } from "@slipway/languages/contracts/schema";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { amendedOf, amendments, APPROVE, challengeOf, codeOf, planOf } from "./engineering/testing/modules.ts";
import { contextPackKind } from "./record-kinds.ts";
import { approved } from "./testing/approved.ts";
import { deliver, FIRST, NUMBERS, OBJECTION, PASS } from "./testing/numbers.ts";
import { language, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

type Shown = Record<string, string>;
type Pack = {
  created_at: string;
  created_for: { role: string; run_id: string; task_ref?: string };
  included_refs: Ref[];
  excluded_refs: Ref[];
  default_permission: string;
};
type Ref = { ref: string; permission?: string; reason: string };

const RELEASED = { value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } };
const packs = () => works.files("context_packs").map((path) => JSON.parse(works.file(`context_packs/${path}`)!) as Pack);

/** Delivers with a unique word in claim, source and tests. */
const marked = (word: string) => (shown: Shown) => {
  const proposal = deliver(shown);
  const files = proposal.files.map((file) => ({ ...file, content: withWord(file.path, word) + file.content }));
  return { ...proposal, claim: `claim${word}`, files };
};
const withWord = (path: string, word: string) =>
  path.startsWith("implementation/") ? `// source${word}\n` : path.startsWith("tests/") ? `// tests${word}\n` : "";
const planned = (word: string) => {
  const { modules, reuse_reports, ...plan } = planOf(["MM-twice"]);
  return {
    ...plan,
    modules: modules.map((module) => ({ ...module, reuse_justification: `plan${word}` })),
    reuse_reports: reuse_reports.map((report) => ({ ...report, justification: `report${word}` })),
  };
};
const refusedPlan = { ...planned("refused"), contracts: [] };
const refusedChallenge = { ...challengeOf({ R3: "wordOfNoChallenge is nothing anybody declared" }), verdict: "PASS" };
const objecting = challengeOf({ R3: "wordOfAssessment is nothing anybody declared" }, [{ ...OBJECTION, evidence: "wordOfObjection" }]);
const amending = amendments({
  action: "MODIFY",
  target: "twice",
  detail: "`twice` also refuses NaN with a NegativeError, wordOfAmendment",
});
function amended(shown: Shown) {
  const code = `// sourceThree\n${codeOf().replace("n < 0", "!(n >= 0)")}`;
  const contract = JSON.parse(shown["module contract"]!) as Contract;
  return amendedOf(contract, { "implementation/index.ts": code }, [{ amendment_index: 0, applied: true, note: "wordOfApplying" }]);
}
const SCRIPT = {
  "product-owner": [
    { calls: [{ tool: "write_file", path: "notes.md", content: "wordOfNotes" }] },
    { calls: [{ tool: "write_file", path: "./notes.md", content: "wordOfNotes, again" }] },
    { calls: [{ tool: "emit_structured_spec", spec: NUMBERS }] },
  ],
  planner: [refusedPlan, planned("locked"), planOf(["MM-quad", ["MM-twice@^1.0.0"]])],
  proposer: [
    { calls: [{ tool: "create_artifact", artifact_type: "EXAMPLES", body: { "examples.md": "wordOfDraft" } }] },
    marked("One"),
    marked("Two"),
    amended,
    { calls: [{ tool: "search_code_index", query: "double" }] },
    marked("Quad"),
  ],
  challenger: [refusedChallenge, objecting, PASS],
  arbiter: [amending, { ...APPROVE, rationale: "wordOfApproval" }],
};

/** The requests of the run that contain a word: role, subject, and number. */
function requestsWith(word: string): string[] {
  const counts = new Map<string, number>();
  return works.asked.flatMap(({ role, subject, whole }) => {
    const name = `${role} ${subject}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return whole().includes(word) ? [`${name} ${count}`] : [];
  });
}

/** The texts of the state store behind a reference of a context pack. */
function textOf(ref: string): string {
  const [id = "", version = ""] = ref.split("@");
  const wanted = (path: string) => path.includes(`/${id}/${version}/`) || path.endsWith(`/${id}.md`);
  const all = ["modules", "artifacts", "project"].flatMap((part) => works.files(part).map((path) => `${part}/${path}`));
  return all.flatMap((path) => (wanted(path) ? [works.file(path) ?? ""] : [])).join("\n");
}

describe("what one invocation passes to another", () => {
  test("[FAC-076] [FAC-084] [FAC-219] is what the table grants, as records that its pack names, and nothing else of answers, files or drafts", async () => {
    const begun = await approved(SCRIPT);
    ({ works } = begun);
    expect(begun.outcome).toMatchObject(RELEASED);
    const debate = ["challenger MM-twice 3", "arbiter MM-twice 1"];
    const granted = {
      wordOfNotes: ["product-owner numbers 2", "product-owner numbers 3"],
      planrefused: [`planner ${FIRST} 2`],
      planlocked: [],
      reportlocked: [],
      wordOfDraft: ["proposer MM-twice 2"],
      claimOne: ["challenger MM-twice 1", "challenger MM-twice 2", ...debate],
      claimTwo: debate,
      sourceOne: ["proposer MM-twice 3"],
      testsOne: ["proposer MM-twice 3"],
      sourceTwo: ["proposer MM-twice 4"],
      testsTwo: ["proposer MM-twice 4"],
      sourceThree: [],
      wordOfNoChallenge: [],
      wordOfObjection: ["proposer MM-twice 3", ...debate],
      wordOfAssessment: debate,
      wordOfAmendment: ["proposer MM-twice 4"],
      wordOfApplying: [],
      claimQuad: ["challenger MM-quad 1", "arbiter MM-quad 1"],
      sourceQuad: [],
      wordOfApproval: [],
    };
    expect(Object.fromEntries(Object.keys(granted).map((word) => [word, requestsWith(word)]))).toEqual(granted);

    // Everything from other roles is in a record that the pack names.
    const kept = packs();
    for (const word of ["claimOne", "claimTwo", "wordOfObjection", "wordOfAssessment", "wordOfAmendment", "claimQuad"]) {
      for (const request of requestsWith(word)) {
        const [role = "", subject = ""] = request.split(" ");
        const own = kept.filter(({ created_for }) => created_for.role === role && created_for.run_id.includes(`/${subject}/`));
        const refs = own.flatMap(({ included_refs }) => included_refs.map(({ ref }) => ref));
        expect(
          refs.filter((ref) => textOf(ref).includes(word)),
          `${word} in ${request}`,
        ).not.toEqual([]);
      }
    }
    const envelopes = works.files("artifacts").filter((path) => path.endsWith("/envelope.json"));
    for (const path of envelopes) envelopeSchema.parse(JSON.parse(works.file(`artifacts/${path}`)!));
    const bodies = works.files("artifacts").map((path) => works.file(`artifacts/${path}`));
    expect(bodies.join("\n")).not.toMatch(/wordOfNoChallenge|planrefused/);
    expect(bodies.join("\n")).toContain("wordOfAssessment");
  });

  test("[FAC-078] every reference of a context pack has a version, permission and reason; anything else is not stored", async () => {
    ({ works } = await approved(SCRIPT));
    const [first, ...others] = packs();
    expect(others.length).toBeGreaterThan(10);
    for (const { included_refs, excluded_refs, default_permission } of [first!, ...others]) {
      expect(default_permission).toBe("CONTRACT_ONLY");
      for (const { permission } of included_refs) expect(permission).toMatch(/^(FULL|CONTRACT_ONLY|SUMMARY_ONLY|METADATA_ONLY)$/);
      for (const { ref, reason } of [...included_refs, ...excluded_refs]) {
        expect(ref).toMatch(/^[^@]+@\d+\.\d+\.\d+$/);
        expect(reason).toMatch(/\w/);
      }
    }
    const owners = packs().filter(({ created_for }) => created_for.role === "product-owner");
    const seen = owners.map(({ included_refs }) => included_refs.map(({ ref }) => ref).join());
    expect(seen.toSorted()).toEqual(["SPEC.md@1.0.0", "SPEC.md@1.0.0,notes.md@1.0.0", "SPEC.md@1.0.0,notes.md@1.1.0"]);

    const good = { ref: "MM-twice@1.0.0", permission: "FULL", reason: "it calls it" };
    const draft = { created_for: first!.created_for, included_refs: [good], excluded_refs: [], default_permission: "CONTRACT_ONLY" };
    let count = 0;
    const keep = (change: object) =>
      works.services.documents.keep({ actor: { type: "orchestrator", id: "x" }, operationId: `keep-${++count}` }, contextPackKind, {
        ...draft,
        ...change,
      });
    expect(await keep({})).toMatchObject({
      context_pack_id: expect.stringMatching(/^CP-/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    const bad = [{ ref: "MM-twice" }, { ref: "MM-twice@latest" }, { permission: "ALL" }, { reason: " " }, { reason: undefined }];
    for (const change of bad) await expect(keep({ included_refs: [{ ...good, ...change }] })).rejects.toThrow("included_refs");
    const { permission: _included, ...left } = good;
    await keep({ excluded_refs: [left] });
    for (const change of bad.filter((one) => one.permission === undefined))
      await expect(keep({ excluded_refs: [{ ...left, ...change }] })).rejects.toThrow("excluded_refs");
    await expect(keep({ excluded_refs: [{ ref: "state_store/modules", reason: "sealed" }] })).rejects.toThrow("excluded_refs");
    await expect(keep({ default_permission: "FULL" })).rejects.toThrow("default_permission");
    const { task_ref: _task, ...without } = first!.created_for;
    for (const change of [without, { ...without, task_ref: " " }, { ...without, task_ref: 7 }])
      await expect(keep({ created_for: change })).rejects.toThrow("created_for/task_ref");
    // The harness sets its time; a pack with an invalid time is refused.
    expect((await keep({ created_at: "yesterday" })).created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
    const stored = (created_at: unknown) => contextPackKind.schema.safeParse({ ...first, created_at }).success;
    expect(stored(first!.created_at)).toBe(true);
    expect(["yesterday", "2026-11-18", "", 7, undefined].filter(stored)).toEqual([]);
  });
});

describe("Challenger and Arbiter", () => {
  const SOURCE = "throw new NegativeError";
  const [UNDER_DEBATE, SHIPPED] = ["MM-quad", "MM-twice"].map((id) => `modules/${id}/1.0.0/implementation/index.ts`) as [string, string];

  test("[FAC-133] [FAC-220] find no source of any module, not even of the one under debate; requests for it are refused with the contract's text", async () => {
    const told: string[] = [];
    const folders: string[] = [];
    let asksForTools = true;
    async function snoop({ tree, folder }: Workplace, shown: Shown) {
      folders.push(folder);
      const { deliverable_ref } = JSON.parse(shown["proposal"]!) as { deliverable_ref: string };
      const body = `artifacts/reading/${deliverable_ref.replace("@", "/")}/body/implementation/index.ts`;
      for (const path of [UNDER_DEBATE, SHIPPED]) {
        const answer = Buffer.from(await tree.read(path)).toString();
        expect(answer).toBe(accessDenied(path));
        expect(answer).toContain("closed-source service — integrate via contract.json");
      }
      for (const path of [body, "implementation/index.ts", "tests/module.test.ts", ".slipway/state_store/modules", "../../state_store"]) {
        await expect(tree.read(path), path).rejects.toThrow();
      }
      for (const path of await tree.glob("**")) told.push(Buffer.from(await tree.read(path)).toString());
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) told.push(readFileSync(join(entry.parentPath, entry.name), "utf8"));
      }
      expect(await tree.grep(SOURCE)).toEqual([]);
    }
    const calls = { calls: [{ tool: "query_artifacts" }, { tool: "search_code_index", query: "double" }] };
    const begun = await approved(
      {},
      {
        inFolder: {
          async challenger(workplace, shown) {
            await snoop(workplace, shown);
            const answer = asksForTools ? calls : PASS;
            asksForTools = false;
            return answer;
          },
          async arbiter(workplace, shown) {
            await snoop(workplace, shown);
            return APPROVE;
          },
        },
      },
    );
    ({ works } = begun);
    expect(begun.outcome).toMatchObject(RELEASED);
    expect(works.file(SHIPPED)).toContain(SOURCE);
    const judging = works.asked.filter(({ role }) => role === "challenger" || role === "arbiter");
    expect(judging.map(({ role }) => role)).toEqual(["challenger", "challenger", "arbiter", "challenger", "arbiter"]);
    expect(told.length).toBeGreaterThan(20);
    for (const text of [...told, ...judging.map(({ whole }) => whole())]) {
      expect(text).not.toContain(SOURCE);
      expect(text).not.toContain("what your tools gave");
    }
    // Every request of every role contains the rule, too.
    expect(works.asked.filter(({ whole }) => !/code[^.]*is closed-source/.test(whole()))).toEqual([]);
    expect(new Set(works.asked.map(({ role }) => role)).size).toBe(5);
    // Each ran in its own folder, which is deleted.
    expect(new Set(folders).size).toBe(folders.length);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });
});
