import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "@slipway/durable/outcome";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { afterEach, describe, expect, test, vi } from "vitest";
import { DEMOS } from "@slipway/protocols/demo/demos";
import { openSession } from "@slipway/runtime/session";
import { scratchFolder } from "../init/testing/scratch.ts";
import { slipway } from "../testing/project.ts";

vi.mock("@slipway/kernel/host/sandbox/probe", { spy: true });
vi.mock("@slipway/runtime/session", { spy: true });
afterEach(() => void vi.resetAllMocks());

const MINUTES_MS = 60_000;
const FEATURES = ["currency_format", "discount_codes", "order_archive", "order_export", "stock_rules"];

function place() {
  const home = scratchFolder();
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  return { home, env, folder: join(home, "demo"), demo: (...argv: readonly string[]) => slipway(["demo", ...argv], home, { env }) };
}

const git = (cwd: string, ...args: readonly string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });

describe("slipway demo", () => {
  test(
    "text output shows the events, what a person would review, the approver, the story and the next commands; without a sandbox it says so, records the override for its own gates and continues",
    async () => {
      vi.mocked(probeSandbox).mockResolvedValue({ available: false, version: null, probes: [], host: null, layers: false, missing: [] });
      const { folder, env, demo } = place();
      const { code, stdout } = await demo("--keep", "demo");
      expect(code).toBe(0);
      expect(stdout).toMatch(/^A scratch repository is at .*demo\nIts specifications:\n {2}specs\/currency_format\.spec\.md\n/);
      expect(stdout).toContain("This machine offers no sandbox, so the demo's gates run without one. That is recorded.");
      expect(stdout).toContain("- stock_rules: its plan collides with discount_codes: src/cart.ts\n");
      expect(stdout).toContain("x order_export: patch refused: ");
      expect(stdout).toContain("x currency_format: full gates failed: ");
      expect(stdout).toContain(
        "\norder_archive\nAdd a migration for archived orders and find the orders to archive\n migrations/002_archived_orders.json |",
      );
      expect(stdout).toMatch(/^The demo approves tree [0-9a-f]{10} of discount_codes itself\.$/m);
      expect(stdout).toMatch(/^5 features are merged\n {2}discount_codes +commit [0-9a-f]{10}, tree [0-9a-f]{10}, approved by the demo$/m);
      expect(stdout).toContain(
        [
          "What happened on the way",
          "  stock_rules waited until discount_codes had landed: both change src/cart.ts",
          "  order_archive held the lock db_migrations until it was merged",
          "  order_export left its plan (src/cart.ts), was refused, and then kept to it",
          "  currency_format failed the full gates once and was repaired",
        ].join("\n"),
      );
      expect(stdout).toContain(`files    ${folder}\n`);
      const [commit, tree] = ["main", "main^{tree}"].map((name) => git(folder, "rev-parse", name).slice(0, 10));
      expect(stdout).toContain(`commit ${commit}, tree ${tree}, approved by the demo\n`);
      for (const feature of FEATURES) expect(stdout).toMatch(new RegExp(`^ {2}${feature} +commit `, "m"));
      const events = await slipway(["journal", "show", "repository", "--json", "--limit", "1000"], folder, { env });
      expect(events.stdout).toContain("no sandbox on this machine");
      expect(git(folder, "status", "--porcelain")).toBe("");
      expect((await slipway(["journal", "verify"], folder, { env })).code).toBe(0);
      expect((await slipway(["evidence", "stock_rules"], folder, { env })).stdout).toContain("approved by the demo");
      expect((await slipway(["status"], folder, { env })).stdout.match(/^\w+ +merged +full pass/gm)).toHaveLength(5);
    },
    2 * MINUTES_MS,
  );

  test("a folder that is not empty is refused and left unchanged", async () => {
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

  test("real, without network: exit 3, says what could not be downloaded and how to continue, and creates nothing", async () => {
    const { home, env, folder } = place();
    const offline = { ...env, npm_config_registry: "http://127.0.0.1:9/", npm_config_cache: join(home, "cache") };
    const { code, stderr } = await slipway(["demo", "real", "--keep", "demo"], home, { env: offline });
    expect(stderr).toMatch(/^download_failed: process-warning@5\.1\.1 could not be downloaded: ECONNREFUSED: .*\. Nothing was created\.\n/);
    expect(stderr).toContain("  next: Connect this machine");
    expect(code).toBe(3);
    expect(existsSync(folder)).toBe(false);
  });

  test("an unknown demo is refused with the names of all demos", async () => {
    const { code, stderr } = await place().demo("unreal");
    expect(code).toBe(2);
    const names = DEMOS.map(({ entry }) => entry.name).join(", ");
    expect(stderr).toBe(
      `invalid_cli_args: There is no \`slipway demo unreal\`.\n  next: Name one of ${names}.\n  next: slipway demo --help\n`,
    );
  });

  test("help lists the demos of every protocol, with their summaries and own options", async () => {
    const { code, stdout } = await place().demo("--help");
    expect(code).toBe(0);
    const rows = DEMOS.map(({ entry: { name, summary } }) => `    ${name.padEnd(28)} ${summary}\n`).join("");
    expect(stdout).toContain(`  which                          the demo (default: features)\n${rows}  --keep FOLDER`);
    expect(stdout).toMatch(/^ {2}--edit {25}factory: then edit one sentence/m);
  });

  test("without git: says so", async () => {
    const home = scratchFolder();
    const { code, stderr } = await slipway(["demo", "--keep", "demo"], home, { env: { PATH: join(home, "nothing"), HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^git_missing: git could not make the demo's repository: .*\n {2}next: Install git/);
  });

  /** A session whose run ends at once with this outcome. */
  function ending(outcome: object): void {
    vi.mocked(openSession).mockImplementationOnce(async (options) => {
      const { openSession: really } = await vi.importActual<typeof import("@slipway/runtime/session")>("@slipway/runtime/session");
      return { ...(await really(options)), drive: async () => outcome as Outcome };
    });
  }

  test.each([
    [{ status: "waiting", question: "" }, "it asks: nothing"],
    [
      { status: "failed", failure: { code: "sandbox_unavailable", message: "no walls", details: {} } },
      "it failed with sandbox_unavailable: no walls",
    ],
  ])("when it does not finish (%j): exit 3, with the reason and where to look", async (outcome, why) => {
    ending(outcome);
    const { folder, demo } = place();
    const { code, stderr } = await demo("--keep", "demo");
    expect(code).toBe(3);
    expect(stderr).toContain(`gate_failed: The demo did not merge everything (its run is ${outcome.status}); ${why}\n`);
    expect(stderr).toContain(`  next: Inspect ${folder} with `);
    expect(stderr).toContain("  next: Check this machine with `slipway doctor`.\n");
  });

  test("the story has only recorded events; by default the scratch repository is a new folder, which is kept", async () => {
    ending({ status: "completed", value: [] });
    const { demo } = place();
    const { code, stdout } = await demo();
    expect(code).toBe(3);
    expect(stdout).toContain("0 features are merged\n\nchecks   0 passed, 0 failed\n");
    expect(stdout).not.toContain("on the way");
    const folder = /^A scratch repository is at (.*)$/m.exec(stdout)?.[1] ?? "";
    expect(existsSync(join(folder, "src", "cart.ts"))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
