import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { withConfiguredPrompt } from "@slipway/agents/system-prompt";
import { parseAgents } from "@slipway/kernel/config/agents";
import type { Kernel } from "@slipway/kernel/kernel";
import { afterEach, expect, test } from "vitest";
import { openDispatcher } from "../dispatch/dispatcher.ts";
import { featuresRole } from "./roles.ts";
import { newFile, openWorkshop, patchOf, planFor, resultOf, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

const PROMPTS = {
  "slipway/prompts/planner.system.md": "You plan, in our house style.  \n",
  "slipway/prompts/qa.system.md": "You test.\n",
};
const AGENTS = parseAgents(
  "slipway/agents.yaml",
  "version: 1\nroles:\n  planner: { system_prompt_path: slipway/prompts/planner.system.md }\n  qa: { system_prompt_path: slipway/prompts/qa.system.md }\n",
);

/** A scripted model with the answers of each role in order. It gets the same requests as a real provider. */
function scriptedProvider(script: Readonly<Record<string, readonly ((request: ProviderRequest) => unknown)[]>>) {
  const asked: ProviderRequest[] = [];
  const turns = new Map<string, number>();
  const provider: Provider = {
    name: "scripted",
    works: "prompt",
    async invoke(request) {
      asked.push(request);
      const turn = turns.get(request.role) ?? 0;
      turns.set(request.role, turn + 1);
      const answers = script[request.role] ?? [];
      const answer = answers[Math.min(turn, answers.length - 1)]?.(request);
      return { text: JSON.stringify(answer), usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0.01 }, model: "m" };
    },
  };
  const dispatcher = (kernel: Kernel) => {
    const readFile = async (path: string) => (path in PROMPTS ? Buffer.from(PROMPTS[path as keyof typeof PROMPTS]) : null);
    return openDispatcher({
      protocol: () => "features",
      kernel,
      role: async (name) => withConfiguredPrompt(await featuresRole(name, readFile), AGENTS, readFile),
      provider: async () => ({ provider, model: "m", configRef: "SCRIPT_KEY" }),
      onWarning: () => undefined,
    });
  };
  return { asked, dispatcher };
}

const passes = (...paths: readonly string[]) => paths.map((path) => ({ path, hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }));
const both = { ...patchOf("src/a.txt", "one", "two") };
both.unified_diff += patchOf("src/b.txt", "one", "two").unified_diff;

test("[FEA-150] prompts injected, a forbidden call blocked, QA closed and respawned with its progress kept, dashboard and review pack", async () => {
  const { asked, dispatcher } = scriptedProvider({
    planner: [() => planFor("letters", { files: { create: [], modify: ["src/a.txt", "src/b.txt"], delete: [] } })],
    builder: [() => both],
    qa: [
      // Its verdict on one file counts; its patch is refused, because this policy lets QA change nothing.
      () => ({ ...patchOf("src/a.txt", "two", "three"), updates: passes("src/a.txt") }),
      () => ({ type: "NOTE", text: "the rest is fine", updates: passes("src/b.txt") }),
    ],
  });
  const policy = { "supervisor: {": "rbac: { qa: [qa.test_index_update] }\nsupervisor: {" };
  services = await openWorkshop({}, { dispatcher, policy });
  const runId = await services.start();
  expect((await services.drive(runId)).status).toBe("waiting");

  const systems = Object.fromEntries(asked.map(({ role, system }) => [role, system]));
  expect(systems).toMatchObject({ planner: PROMPTS["slipway/prompts/planner.system.md"], qa: PROMPTS["slipway/prompts/qa.system.md"] });
  expect(systems["builder"]).toContain("You implement one planned change");

  const [first, second] = asked.filter(({ role }) => role === "qa");
  const index = ({ input }: ProviderRequest) => String(input.context_bundle.find(({ kind }) => kind === "qa_index")?.text);
  expect([index(first!).includes("src/a.txt"), index(first!).includes("src/b.txt")]).toEqual([true, true]);
  expect([index(second!).includes("src/a.txt"), index(second!).includes("src/b.txt")]).toEqual([false, true]);
  expect(second?.input.last_tool_results).toContain("forbidden_tool_for_role");
  expect(services.read(".worktrees/letters/src/a.txt")).toBe("two\n");
  const sessions = (await services.operations()).filter(({ name }) => name === "qa.test_index_update").map(({ actor }) => actor.id);
  expect(sessions).toEqual([`qa-1@${runId}/feature:letters`, `qa-2@${runId}/feature:letters`]);

  const { features } = await services.kernel.features.dashboard();
  expect(features).toMatchObject([{ feature_id: "letters", status: "ready_to_merge", cost_usd: 0.04, question: { kind: "approval" } }]);
  const [question] = await services.open();
  expect(question?.context["review"]).toMatchObject({ diff: { files: [{ path: "src/a.txt" }, { path: "src/b.txt" }] } });
  await services.approve(question!);
  expect(resultOf(await services.drive(runId))?.status).toBe("merged");
});

test.each([
  ["of an unknown type", { type: "MERGE", branch: "main" }],
  ["of another role", planFor()],
])("[FEA-121] an answer %s is refused and sent back to the worker with the reason", async (_what, wrong) => {
  const { asked, dispatcher } = scriptedProvider({
    planner: [() => planFor()],
    builder: [() => wrong, () => patchOf("src/a.txt", "one", "two")],
    qa: [() => ({ type: "NOTE", text: "fine", updates: passes("src/a.txt") })],
  });
  services = await openWorkshop({}, { dispatcher });
  await services.drive(await services.start());
  const builds = asked.filter(({ role }) => role === "builder");
  expect(builds.map(({ attempt, repair }) => [attempt, repair])).toEqual([
    ["1", 0],
    ["1", 1],
  ]);
  expect(builds[1]?.prompt).toMatch(/Your last answer was refused.*\/type/s);
  expect((await services.operations()).filter(({ actor }) => actor.type === "builder").map(({ name }) => name)).toEqual([
    "repo.apply_patch",
  ]);
  expect((await services.open())[0]?.kind).toBe("approval");
});

test("[FEA-133] an answer of QA without verdicts is sent back at once, and its tests are not lost", async () => {
  const tests = newFile("src/new.txt", "three");
  const { asked, dispatcher } = scriptedProvider({
    planner: [() => planFor("letters", { files: { create: ["src/new.txt"], modify: ["src/a.txt"], delete: [] } })],
    builder: [() => patchOf("src/a.txt", "one", "two")],
    qa: [() => tests, () => ({ ...tests, updates: passes("src/a.txt") })],
  });
  services = await openWorkshop({}, { dispatcher });
  expect((await services.drive(await services.start())).status).toBe("waiting");
  const [first, second] = asked.filter(({ role }) => role === "qa");
  expect(first?.prompt).toContain("A verdict for each entry that you were given.");
  expect(second).toMatchObject({ attempt: first?.attempt, repair: 1, errors: [expect.stringContaining("/updates")] });
  expect(services.read(".worktrees/letters/src/new.txt")).toBe("three\n");
});

test("the planner is asked for nothing that the harness knows, and may leave it out", async () => {
  const { plan } = planFor();
  const { feature_id: _, plan_version: __, base_ref: ___, ...asked } = plan;
  const provider = scriptedProvider({
    planner: [() => ({ type: "PLAN_SUBMISSION", plan: asked })],
    builder: [() => patchOf("src/a.txt", "one", "two")],
    qa: [() => ({ type: "NOTE", text: "fine", updates: passes("src/a.txt") })],
  });
  services = await openWorkshop({}, { dispatcher: provider.dispatcher });
  await services.drive(await services.start());
  expect(provider.asked[0]?.prompt).not.toMatch(/"(feature_id|plan_version|base_ref|revision_of|verification_overrides)":\{/);
  expect(await services.kernel.features.plan("letters")).toMatchObject(plan);
});

test("[FEA-120] the worker's input names its role, feature, bundle, instructions and last results, and who answers", async () => {
  const { asked, dispatcher } = scriptedProvider({ planner: [() => ({ type: "NOTE", text: "?" })] });
  services = await openWorkshop({}, { dispatcher });
  await services.drive(await services.start());
  const { input } = asked[1]!;
  expect(input).toMatchObject({
    role: "planner",
    feature_id: "letters",
    instructions: "Plan this feature: return a PLAN_SUBMISSION.",
    last_tool_results: "The planner returned a NOTE. It was recorded, but the work itself is still missing.",
    provider: "scripted",
    model: "m",
    provider_config_ref: "SCRIPT_KEY",
  });
  expect(input.context_bundle.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["spec", "state", "evidence", "diff"]));
});
