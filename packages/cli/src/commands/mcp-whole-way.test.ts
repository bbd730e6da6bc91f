import { expect, test } from "vitest";
import { serve } from "../testing/mcp-client.ts";
import { documentedWalk, expectedRefusal, filledIn, WALK_SPEC, type WalkStep } from "../testing/mcp-walk.ts";
import { letters, type Project } from "../testing/project.ts";

test("the walk-through of docs/mcp.md, from the specification to the base branch, works with its tool calls and one approval", async () => {
  const project = letters({ "src/a.txt": "one\n" });
  project.write(WALK_SPEC.path, WALK_SPEC.text);
  const servers = { orchestrator: serve(project), builder: serve(project, "--role", "builder", "--feature", "greeting") };
  const call = ({ as, tool }: Pick<WalkStep, "as" | "tool">, given: object) =>
    servers[as](tool, { actor_type: as, actor_id: as, ...given });
  const steps = documentedWalk();
  expect(steps.map(({ tool }) => tool)).toContain("feature.ready_to_merge");

  let version = 0;
  for (const step of steps) {
    const token = "user_approval_token" in step.arguments ? await tokenOf(project) : null;
    const answer = await call(step, filledIn(step, { version, token }));
    expect([step.tool, answer.error?.code]).toEqual([step.tool, expectedRefusal(step)]);
    version = answer.data?.state?.version ?? version;
  }
  expect(project.git("show", "main:src/greeting.txt")).toBe("Hello.\n");

  const patch = steps.find(({ tool }) => tool === "repo.apply_patch")?.arguments ?? {};
  expect(await call({ as: "orchestrator", tool: "repo.apply_patch" }, patch)).toMatchObject({
    error: { code: "forbidden_tool_for_role" },
  });
});

async function tokenOf(project: Project): Promise<string> {
  const { stdout } = await project.slipway(["approve", "greeting"]);
  return stdout.split("\n")[1] ?? "";
}
