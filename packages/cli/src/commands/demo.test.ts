import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "@slipway/durable/outcome";
import { probeSandbox } from "@slipway/kernel/sandbox/probe";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openApprovalOf } from "../choose.ts";
import { openSession } from "../session.ts";
import { scratchFolder } from "../init/testing/scratch.ts";
import { slipway } from "../testing/project.ts";
import type { DemoSummary } from "../demo/summary.ts";

vi.mock("@slipway/kernel/sandbox/probe", { spy: true });
vi.mock("../choose.ts", { spy: true });
vi.mock("../session.ts", { spy: true });
afterEach(() => void vi.resetAllMocks());

function place() {
  const home = scratchFolder();
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  return { home, folder: join(home, "demo"), demo: (...argv: readonly string[]) => slipway(["demo", ...argv], home, { env }) };
}

const git = (cwd: string, ...args: readonly string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });

describe("slipway demo", () => {
  test("--json ends with one object that says what merged, which checks ran and where the journal stands", async () => {
    const { folder, demo } = place();
    const { code, json } = await demo("--json", "--keep", "demo");
    const summary = json<DemoSummary>().at(-1);
    expect(code).toBe(0);
    const [commit, tree] = git(folder, "rev-parse", "main", "main^{tree}").trim().split("\n");
    expect(summary).toEqual({
      status: "completed",
      merged: [{ feature_id: "bulk_discount", commit, tree }],
      checks: { passed: expect.any(Number), failed: expect.any(Number) },
      journal: { events: expect.any(Number), head: expect.stringMatching(/^[0-9a-f]{64}$/) },
      cost_usd: expect.any(Number),
      elapsed_ms: expect.any(Number),
    });
    expect(summary?.checks.passed).toBeGreaterThan(0);
    expect(summary?.checks.failed).toBeGreaterThan(0);
    expect(summary?.journal.events).toBeGreaterThan(20);
    expect(git(folder, "status", "--porcelain")).toBe("");
  });

  test("in words: the refused plan, the failed gate and its repair, the diff, who approved, and what to try next", async () => {
    const { folder, demo } = place();
    const { code, stdout } = await demo("--keep", "demo");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^A scratch repository is at .*demo\n/);
    expect(stdout).toContain("x bulk_discount: plan refused: ");
    expect(stdout).toContain("x bulk_discount: fast gates failed: ");
    expect(stdout).toContain("Ready to merge. This is what a person would look at:");
    expect(stdout).toContain("+++ b/src/quote.ts");
    expect(stdout).toContain("# Evidence for bulk\\_discount");
    expect(stdout).toMatch(/The demo gives the approval itself, for tree [0-9a-f]{10} and nothing else\./);
    expect(stdout).toMatch(/^bulk_discount is merged: commit [0-9a-f]{10}, tree [0-9a-f]{10}$/m);
    expect(stdout).toMatch(/^checks {3}\d+ passed, \d+ failed/m);
    expect(stdout).toContain(`files    ${folder}\n`);
    expect(stdout).toContain("slipway journal verify");
    const env = { HOME: join(folder, ".."), XDG_STATE_HOME: join(folder, "..", "state"), PATH: process.env["PATH"] };
    expect((await slipway(["journal", "verify"], folder, { env })).code).toBe(0);
    expect((await slipway(["evidence"], folder, { env })).stdout).toContain("approved by the demo");
  });

  test("a folder with something in it is refused and left as it is", async () => {
    const { folder, demo } = place();
    mkdirSync(folder);
    writeFileSync(join(folder, "mine.txt"), "mine\n");
    const { code, stderr } = await demo("--keep", folder);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `invalid_cli_args: ${folder} is not empty; the demo would mix its files with yours.\n  next: Name a folder that does not exist yet.\n`,
    );
    expect(readdirSync(folder)).toEqual(["mine.txt"]);
    expect(readFileSync(join(folder, "mine.txt"), "utf8")).toBe("mine\n");
  });

  test("without git: says so", async () => {
    const home = scratchFolder();
    const { code, stderr } = await slipway(["demo", "--keep", "demo"], home, { env: { PATH: join(home, "nothing"), HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^git_missing: git could not make the demo's repository: .*\n {2}next: Install git/);
  });

  test("without a sandbox: says so plainly, records the override for its own gates, and goes on", async () => {
    vi.mocked(probeSandbox).mockResolvedValue({ available: false, version: null, probes: [], host: null });
    const { folder, demo } = place();
    const { code, stdout } = await demo("--keep", "demo");
    expect(code).toBe(0);
    expect(stdout).toContain("This machine offers no sandbox, so the demo's own gates run without one. That is recorded.");
    const env = { HOME: join(folder, ".."), PATH: process.env["PATH"] };
    const events = await slipway(["journal", "show", "repository", "--json"], folder, { env });
    expect(events.stdout).toContain("no sandbox on this machine");
  });

  test.each([
    [{ status: "waiting", question: "" }, "the lines above say why"],
    [
      { status: "failed", failure: { code: "sandbox_unavailable", message: "no walls", details: {} } },
      "it failed with sandbox_unavailable: no walls",
    ],
  ])("when it does not get there (%j): exit 3, with the reason and where to look", async (outcome, why) => {
    vi.mocked(openApprovalOf).mockResolvedValueOnce(null);
    vi.mocked(openSession).mockImplementationOnce(async (options) => {
      const { openSession: really } = await vi.importActual<typeof import("../session.ts")>("../session.ts");
      return { ...(await really(options)), drive: async () => outcome as Outcome };
    });
    const { folder, demo } = place();
    const { code, stderr } = await demo("--keep", "demo");
    expect(code).toBe(3);
    expect(stderr).toContain(`gate_failed: The demo did not reach ready_to_merge (its run is ${outcome.status}); ${why}.\n`);
    expect(stderr).toContain(`  next: Look around in ${folder}: `);
    expect(stderr).toContain("  next: Check this machine with `slipway doctor`.\n");
  });

  test("by default the scratch repository is a new folder of its own, kept for looking around", async () => {
    const { demo } = place();
    const { stdout } = await demo();
    const folder = /^A scratch repository is at (.*)$/m.exec(stdout)?.[1] ?? "";
    expect(existsSync(join(folder, "src", "quote.ts"))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
