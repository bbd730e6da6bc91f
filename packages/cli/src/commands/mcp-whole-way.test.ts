import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { documentedWalk, expectedRefusal, filledIn, WALK_SPEC, type WalkStep } from "../testing/mcp-walk.ts";
import { letters, type Project } from "../testing/project.ts";

interface Envelope {
  readonly ok: boolean;
  readonly data?: { readonly state?: { readonly version: number } };
  readonly error?: { readonly code: string };
}

/** `slipway mcp` in a process of its own, and its tools as calls. */
function serve(project: Project, ...args: string[]) {
  const launch = join(import.meta.dirname, "..", "testing", "launch.ts");
  const command = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", launch, "mcp", ...args];
  const child = spawn(process.execPath, command, { cwd: project.root, env: project.env });
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: (id += 1), method, params })}\n`);
    const { value } = (await answers.next()) as { value: string };
    return (JSON.parse(value) as { result: { structuredContent: Envelope } }).result;
  };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const ready = ask("initialize", hello);
  return async (name: string, given: object): Promise<Envelope> => {
    await ready;
    return (await ask("tools/call", { name, arguments: given })).structuredContent;
  };
}

test("the whole way of docs/mcp.md, from the specification to the base branch, by tools and one person's word", async () => {
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
