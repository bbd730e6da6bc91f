import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ACTOR_ROLES, DEFAULT_RBAC, TOOLS, type Tool } from "../config/rbac.ts";
import { openScratchKernel, type ScratchKernel } from "../change/testing/scratch-kernel.ts";
import type { Credential } from "./credential.ts";
import { callTool } from "./dispatch.ts";
import type { ToolEnvelope } from "./envelope.ts";
import { sampleTools, served } from "./testing/sample-tools.ts";
import { tool } from "./tool.ts";

const ACTOR = { actor_type: "orchestrator", actor_id: "kim" };

let scratch: ScratchKernel;
const seen = vi.fn<() => void>();
const tools = served(sampleTools(() => seen()));

beforeAll(async () => {
  scratch = await openScratchKernel();
});
afterAll(() => scratch.close());
beforeEach(() => void seen.mockClear());

function call(name: string, args: unknown, credential: Credential): Promise<ToolEnvelope> {
  return callTool(scratch.kernel, tools, credential, name, args);
}

describe("permissions", () => {
  /** Every tool of the catalog, each as a stub that records its call. */
  const everything = served(
    TOOLS.map((name) =>
      tool({
        name,
        kind: "read",
        description: "x",
        input: z.strictObject({}),
        output: z.strictObject({}),
        call: async () => ({ data: {} }),
      }),
    ),
  );

  test.each(ACTOR_ROLES)(
    "[FEA-063] [FEA-064] [FEA-065] [FEA-066] [FEA-067] %s may call exactly the tools that the policy grants it",
    async (role) => {
      const opened: Tool[] = [];
      for (const name of TOOLS) {
        const answer = await callTool(scratch.kernel, everything, { role, actorId: null, feature: null }, name, {
          actor_type: role,
          actor_id: "x",
        });
        if (answer.ok) opened.push(name);
        else expect(answer).toMatchObject({ error: { code: "forbidden_tool_for_role", details: { role } } });
      }
      expect(opened.toSorted()).toEqual([...DEFAULT_RBAC[role]].toSorted());
    },
  );

  test("[FEA-063] an unknown role may call nothing", async () => {
    const stranger = { role: "root", actorId: null, feature: null } as unknown as Credential;
    expect(await call("plan.get", { ...ACTOR, feature_id: "a" }, stranger)).toMatchObject({ error: { code: "forbidden_tool_for_role" } });
  });

  test("[FEA-063] a forbidden tool is refused before its input is checked", async () => {
    const planner: Credential = { role: "planner", actorId: null, feature: null };
    const refused = await call("feature.log_append", { actor_type: "planner", nonsense: 1 }, planner);
    expect(refused).toMatchObject({ error: { code: "forbidden_tool_for_role", details: { tool: "feature.log_append" } } });
  });

  test.each([
    ["another role", { actor_type: "system" }],
    ["another name", { actor_id: "eve" }],
    ["another feature", { feature_id: "other" }],
    ["another feature in its plan", { plan_json: { feature_id: "other" } }],
  ])("[FEA-180] a call that claims %s than its credential is forbidden", async (_name, claim) => {
    const token: Credential = { role: "orchestrator", actorId: "kim", feature: "search" };
    const args = { ...ACTOR, feature_id: "search" };
    expect(await call("plan.get", args, token)).toMatchObject({ ok: true });
    expect(await call("plan.get", { ...args, ...claim }, token)).toMatchObject({ error: { code: "forbidden_tool_for_role" } });
    expect(seen).toHaveBeenCalledTimes(1);
  });
});
