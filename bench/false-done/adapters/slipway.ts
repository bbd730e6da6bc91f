import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Adapter, Task, Verdict } from "../contract.ts";
import { git, writeFiles } from "../prepare.ts";
import { agentsYaml, gatesYaml, heldOut, policyYaml } from "./slipway-files.ts";

/** The built program, or the one named in the environment: the sources, during development. */
const PROGRAM = process.env["SLIPWAY_PROGRAM"]?.split(" ") ?? [
  join(import.meta.dirname, "..", "..", "..", "packages", "cli", "bin", "slipway.mjs"),
];

/** Slipway itself, through its command line, with the agent as its `custom` provider. */
const slipway: Adapter = {
  name: "slipway",
  gatesFile: "slipway/gates.yaml",
  async judge(task) {
    setUp(task);
    await call(task, "trust", "--yes");
    // Held-out examples fail on the base, as expected; only the verdict on the change counts here.
    const ran = await call(task, "run", task.spec, "--skip-base-gates", "--json");
    const questions = JSON.parse((await call(task, "inbox", "--json")).stdout || "[]") as Question[];
    const approval = questions.find(({ kind }) => kind === "approval");
    if (approval !== undefined) return { mergeable: true, warnings: approval.context.flags ?? [], reason: "" };
    return notMergeable(questions, ran);
  },
};

export default slipway;

interface Question {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly context: { readonly flags?: readonly string[] };
}

function setUp({ case: found, project, folder, agent }: Task): void {
  const held = found.heldOut === true;
  writeFiles(folder, {
    "slipway/policy.yaml": policyYaml(found.first === undefined ? 1 : 2),
    "slipway/gates.yaml": gatesYaml(project, { held, seconds: found.gateSeconds ?? 60 }),
    "slipway/agents.yaml": agentsYaml([...agent, "--slipway"]),
    ...(held ? { [heldOut(project)]: found.acceptance } : {}),
  });
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=slipway");
}

/** A run that failed has no verdict. */
function notMergeable(questions: readonly Question[], { stdout, stderr, code }: Ended): Verdict {
  const blocked = questions.find(({ kind }) => kind === "blocked" || kind === "mend" || kind === "verdict_not_proven");
  if (blocked !== undefined) return { mergeable: false, warnings: [], reason: reasonIn(blocked.body) };
  const outcome = JSON.parse(stdout.trimEnd().split("\n").at(-1) || "{}") as Outcome;
  if (outcome.status !== "completed") throw new Error(`exit ${code}: ${stdout.slice(-500)}${stderr.slice(-500)}`);
  const merged = outcome.value?.some(({ status }) => status === "merged") === true;
  return { mergeable: merged, warnings: [], reason: "the feature ended as failed: main had moved and already had the change" };
}

interface Outcome {
  readonly status?: string;
  readonly value?: readonly { readonly status: string }[];
}

function reasonIn(body: string): string {
  return body.replace(/^No attempt passed\. The last one ended with /, "").replaceAll(/\s+/g, " ");
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function call({ folder, scratch }: Task, ...args: readonly string[]): Promise<Ended> {
  const home = join(scratch, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, [...PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, USER: "kim", CI: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
