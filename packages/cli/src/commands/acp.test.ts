import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "@slipway/agents/acp/testing/scripted-agent";
import { expect, test } from "vitest";
import { letters, nothingMissing, planFor, type Project } from "../testing/project.ts";

const SCRIPTED = fileURLToPath(import.meta.resolve("@slipway/agents/acp/testing/scripted-agent"));
const LIBRARIES = resolve(import.meta.dirname, "../../../../node_modules");

/** A repository whose roles are played by an ACP agent in the sandbox. */
function played(script: Script): Project {
  const command = JSON.stringify([process.execPath, "--disable-warning=ExperimentalWarning", SCRIPTED, JSON.stringify(script)]);
  const programs = JSON.stringify([dirname(SCRIPTED), LIBRARIES]);
  return letters({
    "slipway/agents.yaml": `version: 1\nroles: {}\nruntime:\n  default_provider: acp:mine\n  acp:\n    mine: { command: ${command}, programs: ${programs} }\n`,
  });
}

const ROLES = {
  planner: JSON.stringify(planFor("letters")),
  builder: JSON.stringify({ type: "PATCH", summary: "one is two now" }),
  qa: JSON.stringify(nothingMissing("src/a.txt")),
};

test("an ACP agent in the sandbox plans, builds and tests a feature; the changes in its folder are the patch", async () => {
  const project = played({
    acts: [
      { does: "say", text: "I will look first." },
      { does: "read", path: "src/a.txt" },
      { does: "ask", kind: "execute", path: null },
      { does: "write", path: "src/b.txt", content: "not in the plan\n" },
      { does: "write", role: "builder", path: "src/a.txt", content: "two\n" },
      { does: "answer as", roles: ROLES },
    ],
  });
  const run = await project.slipway(["run", "letters.spec.md"]);
  expect(run.code, run.stdout + run.stderr).toBe(23);
  expect(run.stdout).toContain("slipway approve letters");
  expect((await project.slipway(["approve", "letters"])).code).toBe(0);
  const merged = await project.slipway(["resume"]);
  expect(merged, merged.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("letters is merged into main") });
  expect(project.git("show", "main:src/a.txt")).toBe("two\n");
  expect(project.git("diff", "--name-only", "main~1", "main")).toBe("src/a.txt\n");
});

test("an ACP agent that is not installed is reported before the run is recorded", async () => {
  const project = letters();
  const { code, stderr } = await project.slipway(["run", "letters.spec.md", "--agent-provider", "acp:codex"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^agent_not_installed: .*codex-acp.*\n {2}next: Install it: npm i -g @agentclientprotocol\/codex-acp/);
  expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
});
