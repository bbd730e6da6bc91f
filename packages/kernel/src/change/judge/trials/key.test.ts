import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@slipway/durable/environment";
import { afterAll, describe, expect, test } from "vitest";
import { planGate } from "../gates/precedence.ts";
import type { GateRequest } from "../gates/run.ts";
import { gatesWith, policy, shellStep } from "../gates/testing/gate.ts";
import { createRedactor } from "../../../host/redaction/redactor.ts";
import { unsandboxed } from "../../../host/sandbox/unsandboxed.ts";
import { trialKey } from "./key.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-key-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const tool = join(home, "bin/tool");
const modules = join(home, "node_modules");
for (const folder of [join(home, "bin"), modules]) mkdirSync(folder);
writeFileSync(tool, "#!/bin/sh\n");
chmodSync(tool, 0o755);
writeFileSync(join(modules, ".package-lock.json"), "{}\n");

const CONFIG = gatesWith([{ name: "test", cmd: ["tool", "--all"] }]);
const REQUEST: GateRequest = {
  config: CONFIG,
  profile: "default",
  mode: "fast",
  policy: { ...policy, envAllowlist: ["CI", "PATH"] },
  hostEnv: { PATH: join(home, "bin"), CI: "1", EDITOR: "vi" },
  worktree: join(home, "w"),
  logFolder: join(home, "logs"),
  sandbox: unsandboxed({ reason: "test", by: "kim" }),
  shared: [{ from: modules, to: "node_modules" }],
  redact: createRedactor({ secrets: [] }),
  clock: systemClock,
};

interface Wish extends Partial<GateRequest> {
  readonly tree?: string;
}

function keyOf({ tree = "t1", ...wish }: Wish = {}): string {
  const request = { ...REQUEST, ...wish };
  return trialKey(tree, planGate(request.config, request.profile, request.mode, request.policy), request);
}

const other = (config: GateRequest["config"]) => ({ config });
const step = { name: "test", cmd: ["tool", "--all"] };

describe("a former trial is reused", () => {
  test.each<readonly [string, Wish]>([
    ["another mode with the same steps", { mode: "full" }],
    ["another folder to run and to log in", { worktree: join(home, "x"), logFolder: join(home, "y") }],
    ["a variable that steps do not get", { hostEnv: { ...REQUEST.hostEnv, EDITOR: "emacs", NEW: "1" } }],
  ])("with %s", (_what, wish) => expect(keyOf(wish)).toBe(keyOf()));

  test.each<readonly [string, Wish]>([
    ["another tree", { tree: "t2" }],
    ["another argument", other(gatesWith([{ ...step, cmd: ["tool", "--some"] }]))],
    ["one step more", other(gatesWith([step, shellStep("lint", "true")]))],
    ["a step with a network", other(gatesWith([{ ...step, network: true }]))],
    ["a report to read", other(gatesWith([step], { parsers: { tests: { type: "junit_xml", path: "r.xml" } } }))],
    ["a minimum of coverage", other(gatesWith([step], { thresholds: { coverage_line_min: 0.9 } }))],
    ["another value of a variable that steps get", { hostEnv: { ...REQUEST.hostEnv, CI: "2" } }],
    ["a variable that steps no longer get", { policy: { ...REQUEST.policy, envAllowlist: ["PATH"] } }],
    ["no PATH for the steps", { policy: { ...REQUEST.policy, envAllowlist: ["CI"] } }],
    ["parsers that may be unknown", { policy: { ...REQUEST.policy, allowUnsupportedParser: true } }],
    ["another sandbox", { sandbox: { ...REQUEST.sandbox, kind: "bubblewrap" } }],
    ["more folders of the host", { readOnly: ["/opt"] }],
    ["nothing shared", { shared: [] }],
    ["the same packages in another place", { shared: [{ from: modules, to: "web/node_modules" }] }],
    ["a toolchain in the repository", { toolchain: { path: [join(home, "other"), join(home, "bin")], notes: [], shownFor: () => [] } }],
  ])("not with %s", (_what, wish) => expect(keyOf(wish)).not.toBe(keyOf()));

  test("not after packages were installed again", () => {
    const before = keyOf();
    utimesSync(join(modules, ".package-lock.json"), 1_000, 1_000);
    const after = keyOf();
    expect(after).not.toBe(before);
    utimesSync(modules, 1_000, 1_000);
    expect(keyOf()).not.toBe(after);
  });

  test("not after the program was replaced", () => {
    const before = keyOf();
    writeFileSync(tool, "#!/bin/sh\nexit 1\n");
    utimesSync(tool, 1_000, 1_000);
    const after = keyOf();
    expect(after).not.toBe(before);
    rmSync(tool);
    expect(keyOf()).not.toBe(after);
  });
});
