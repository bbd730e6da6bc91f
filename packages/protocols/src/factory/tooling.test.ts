import type { Contract } from "@slipway/languages/contracts/schema";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { amendedOf, amendments, APPROVE, codeOf, planOf } from "./engineering/testing/modules.ts";
import { TOOL_ROUNDS, type ToolUse } from "./engineering/role-tools.ts";
import { approved } from "./testing/approved.ts";
import { deliver, PASS } from "./testing/numbers.ts";
import { language, type Parts, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const calling = planOf(["MM-quad", ["MM-twice@^1.0.0"]]);
async function run(parts: Parts) {
  const begun = await approved({ planner: [planOf(["MM-twice"]), calling], challenger: [PASS], arbiter: [APPROVE], ...parts });
  ({ works } = begun);
  return begun.outcome;
}
const gave = (shown: Record<string, string>) => JSON.parse(shown["what your tools gave"] ?? "[]") as ToolUse[];
const given = (role: string, turn: number) =>
  gave(works.asked.filter((one) => one.role === role)[turn]!.sections()).map(({ result }) => result);
const shipped = { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] };
const EXAMPLES = { tool: "create_artifact", artifact_type: "EXAMPLES", body: { "examples.md": "# Examples\n" } };

describe("the artifact store, for roles of a run", () => {
  test("[FAC-096] [FAC-190] the planner searches the index and reads what its pack names; it creates and ships nothing", async () => {
    const calls = [
      { tool: "search_code_index", query: "double a number", top_k: 3 },
      { tool: "query_artifacts" },
      EXAMPLES,
      { tool: "ship_artifact", artifact_id: "IMPL-00000000" },
      { tool: "delete_artifact" },
      { tool: "search_code_index", question: "?" },
    ];
    expect(await run({ planner: [planOf(["MM-twice"]), { calls }, calling] })).toMatchObject({ value: shipped });
    const [found, envelopes, ...refused] = given("planner", 2);
    expect(found).toMatchObject({ results: [{ module_id: "MM-twice", similarity_score: expect.any(Number) }] });
    expect(envelopes).toEqual([]);
    expect(refused).toMatchObject([
      { ok: false, error: 'The role "planner" may not use create_artifact.' },
      { ok: false, error: 'The role "planner" may not use ship_artifact.' },
      { ok: false, error: 'The role "planner" may not use delete_artifact.' },
      { ok: false, error: expect.stringContaining("/query") },
    ]);
    expect(works.files("contributions").filter((path) => path.startsWith("CONTRIB-"))).toHaveLength(8 + 2);
    const names = works.files("artifacts").join();
    expect(names).not.toContain("EX-");
  });

  test("[FAC-096] [FAC-097] the Proposer stores artifacts of its role, sees what its pack names, and ships nothing early", async () => {
    const ids: string[] = [];
    const shipping = (artifact_id: string) => ({ calls: [{ tool: "ship_artifact", artifact_id }] });
    const change = { action: "MODIFY", target: "twice", detail: "`twice` also refuses NaN with a NegativeError" };
    const outcome = await run({
      proposer: [
        {
          calls: [
            { tool: "query_artifacts", artifact_type: "CONTRACT" },
            EXAMPLES,
            { ...EXAMPLES, artifact_type: "ADJUDICATION" },
            { ...EXAMPLES, artifact_id: "EX-00000000" },
            { tool: "create_artifact", artifact_type: "IMPLEMENTATION", body: { "implementation/index.ts": "export {};\n" } },
          ],
        },
        (shown: Record<string, string>) => {
          ids.push((gave(shown)[4]!.result as { artifact_id: string }).artifact_id);
          return shipping(ids[0]!);
        },
        deliver,
        (shown: Record<string, string>) => {
          ids.push((JSON.parse(shown["adjudication"]!) as { target_artifact_id: string }).target_artifact_id);
          return shipping(ids[1]!);
        },
        (shown: Record<string, string>) => {
          const contract = JSON.parse(shown["module contract"]!) as Contract;
          const code = { "implementation/index.ts": codeOf().replace("n < 0", "!(n >= 0)") };
          return amendedOf(contract, code, [{ amendment_index: 0, applied: true, note: "done" }]);
        },
        deliver,
      ],
      arbiter: [amendments(change), APPROVE],
    });
    expect(outcome).toMatchObject({ value: shipped });
    const [contracts, made, ...others] = given("proposer", 1);
    expect(contracts).toMatchObject([{ artifact_type: "CONTRACT", artifact_id: expect.stringMatching(/^CTR-/) }]);
    expect(made).toEqual({ artifact_id: expect.stringMatching(/^EX-[0-9a-f]{8}$/), version: "1.0.0" });
    expect(others).toMatchObject([
      { ok: false, error: 'The role "proposer" may not create an artifact of type ADJUDICATION.' },
      { ok: false, error: expect.stringContaining("/artifact_id") },
      { artifact_id: expect.stringMatching(/^IMPL-/) },
    ]);
    // A draft, and an approved one without evidence: the tool only requests the checks of the ship step.
    expect(given("proposer", 2)[5]).toMatchObject({
      ok: false,
      error: `${ids[0]}@1.0.0 cannot ship: it is DRAFT, and there is no ship evidence.`,
    });
    expect(given("proposer", 4)[0]).toMatchObject({
      ok: false,
      error: expect.stringMatching(/it is ADJUDICATED, and there is no ship evidence/),
    });
    const context = { role: "proposer", runId: "r", contextPackRef: "CP-00000000", pillar: "p", creates: [], sees: new Set<string>() };
    const again = works.services.artifactTools(
      { ...context, tools: ["ship_artifact"] },
      { actor: { type: "orchestrator", id: "o" }, operationId: "again" },
    );
    await expect(again("ship_artifact", { artifact_id: ids[1] })).rejects.toMatchObject({ code: "invalid_status_transition" });
    const kept = works.files("artifacts").filter((path) => path.includes(`/${ids[0]}/`));
    expect(kept.map((path) => works.file(`artifacts/${path}`)).join()).toContain("DRAFT");
  });

  test("[FAC-096] judging roles have no tools: calls are no answer", async () => {
    const calls = { calls: [{ tool: "query_artifacts" }] };
    expect(await run({ challenger: [calls, PASS], arbiter: [calls, APPROVE] })).toMatchObject({ value: shipped });
    const [, second] = works.asked.filter(({ role }) => role === "challenger");
    expect(second?.sections()["results"]).toContain('unknown field "calls"');
    expect(works.asked.some(({ role, sections }) => ["challenger", "arbiter"].includes(role) && "what your tools gave" in sections())).toBe(
      false,
    );
  });

  test("a role that only calls tools is stopped, and a person is asked in the end", async () => {
    const calls = { calls: [{ tool: "search_code_index", query: "double" }] };
    expect(await run({ planner: [calls] })).toMatchObject({ status: "waiting" });
    expect(works.asked.filter(({ role }) => role === "planner")).toHaveLength(3 * (TOOL_ROUNDS + 1));
    const { kind, body } = await works.question();
    expect(kind).toBe("escalation");
    expect(body).toContain('unknown field "calls"');
  });
});
