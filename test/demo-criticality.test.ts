import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { telemetryEventSchema } from "@slipway/protocols/criticality/telemetry/events";
import { PROGRAM } from "slipway/testing/program";
import { beforeAll, describe, expect, test } from "vitest";
import { cassetteFiles } from "./demo-criticality/author.ts";

const DEMO = join(import.meta.dirname, "..", "packages", "protocols", "demos", "criticality");
const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-criticality-test-")));
const folder = join(home, "repository");
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};

/** An empty network namespace, without loopback. */
const OFFLINE = process.getuid?.() === 0 ? ["unshare", "--net"] : ["unshare", "--map-root-user", "--net"];
const canGoOffline = spawnSync(OFFLINE[0] ?? "", [...OFFLINE.slice(1), "true"]).status === 0;
if (!canGoOffline) console.log("skipped: this machine cannot make a network namespace, so nothing can be shown offline");

test("the cassette of criticality is what its author writes", () => {
  const written = cassetteFiles();
  const there = readdirSync(join(DEMO, "cassette"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DEMO.length + 1));
  expect(there.toSorted()).toEqual(Object.keys(written).toSorted());
  // A role's answer has changed: `npm run record:demo-criticality`, see packages/protocols/demos/criticality/README.md.
  for (const path of there) expect(readFileSync(join(DEMO, path), "utf8"), path).toBe(written[path]);
});

interface ProgramSummary {
  readonly status: string;
  readonly functions: number;
  readonly escalations: number;
  readonly claims: Readonly<Record<string, string>>;
  readonly transforms: { readonly accepted: number; readonly reverted: number };
  readonly commit: string;
  readonly elapsed_ms: number;
}

describe.skipIf(!canGoOffline)("the demo of criticality, without any network", () => {
  let output = "";
  let summary: ProgramSummary;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });

  beforeAll(() => {
    const [command = "", ...prefix] = OFFLINE;
    output = execFileSync(command, [...prefix, process.execPath, ...PROGRAM, "demo", "criticality", "--json", "--keep", folder], {
      cwd: home,
      env,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as ProgramSummary;
  }, 300_000);

  test("ends with one object: merged, 16 functions, one escalated, every claim tested", () => {
    expect(summary).toMatchObject({
      status: "merged",
      functions: 16,
      escalations: 1,
      claims: { balance_001: "pass", balance_002: "pass", transfer_001: "pass", withdraw_001: "pass" },
      elapsed_ms: expect.any(Number),
    });
    expect(git("rev-parse", "main").trim()).toBe(summary.commit);
  });

  test("[CRI-011] a simple contradiction leads to a second version of the specification", () => {
    expect(git("show", "main:spec/spec.toml")).toMatch(/^version = "2\.0\.0"$/m);
  });

  test("[CRI-013] the function that refers to the violated claim is written again, and no other", () => {
    const again = [...output.matchAll(/"name":"write:([^"]+):2:1"/g)].map(([, id]) => id);
    expect([...new Set(again)]).toEqual(["src/services/transfer.ts#transfer"]);
  });

  test("[CRI-081] three transformations are accepted and one is reverted", () => {
    expect(summary.transforms).toEqual({ accepted: 3, reverted: 1 });
    expect(git("show", "main:src/services/bank.ts")).toContain("total += account.balance");
  });

  test("[CRI-125] status names the security scanners that ran, and why others did not", () => {
    const shown = execFileSync(process.execPath, [...PROGRAM, "criticality", "status"], { cwd: folder, env, encoding: "utf8" });
    expect(shown).toMatch(/^security scan: 0 findings/m);
    expect(shown).toMatch(/npm audit/);
    expect(shown).toMatch(/eslint-plugin-security/);
  });

  test("[CRI-008] no hole is left in the source", () => {
    const found = spawnSync("git", ["grep", "--quiet", "-e", 'new Error("hole")', "main", "--", "src"], { cwd: folder, env });
    expect(found.status).toBe(1);
  });

  const slipway = (...args: string[]) => execFileSync(process.execPath, [...PROGRAM, ...args], { cwd: folder, env, encoding: "utf8" });
  const runFolder = () => join(folder, ".slipway", "runs", readdirSync(join(folder, ".slipway", "runs"))[0] ?? "");
  const filesIn = (place: string) =>
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
      .toSorted();

  test.each(["status", "ledger", "witnesses", "claims", "smells", "telemetry", "metrics"])("%s reads what the run recorded", (name) => {
    expect(() => JSON.parse(slipway("criticality", name, "--json")) as unknown).not.toThrow();
  });

  test("[CRI-187] the folder of the run and the delivered program have the layout of the protocol", () => {
    const left = filesIn(runFolder());
    expect(left).toEqual(expect.arrayContaining(["state.json", "ledger.toml", "telemetry.json", "events.jsonl", "journal.jsonl"]));
    expect(left).toEqual(expect.arrayContaining(["spec/spec.toml", "spec/claims.toml", "lattice/lattice.json"]));
    expect(left.filter((path) => path.startsWith("checkpoints/"))).toHaveLength(7);
    for (const archived of ["interview", "lattice", "proposals"])
      expect(left.some((path) => path.startsWith(`archive/${archived}/`))).toBe(true);
    const delivered = git("ls-tree", "-r", "--name-only", "main").split("\n");
    expect(delivered).toEqual(expect.arrayContaining(["spec/spec.toml", "spec/claims.toml", "slipway/criticality.toml"]));
    for (const part of ["src/domain", "src/services", "src/witnesses", "tests/unit", "tests/property", "tests/integration"])
      expect(delivered.some((path) => path.startsWith(`${part}/`))).toBe(true);
  });

  test("[CRI-157] each line of events.jsonl is one of five events, and journal.jsonl has the journal", () => {
    const events = readFileSync(join(runFolder(), "events.jsonl"), "utf8").trimEnd().split("\n");
    const parsed = events.map((line) => telemetryEventSchema.parse(JSON.parse(line)));
    expect(new Set(parsed.map(({ event }) => event))).toEqual(new Set(["model_call", "phase_transition", "escalation"]));
    expect(readFileSync(join(runFolder(), "journal.jsonl"), "utf8")).toMatch(/"event":"completed"/);
  });

  test("files of the ended run that were removed are written again by status", () => {
    const place = runFolder();
    // The kernel writes journal.jsonl again by itself, in the order of times.
    const own = () => filesIn(place).filter((path) => path !== "journal.jsonl");
    const texts = () => Object.fromEntries(own().map((path) => [path, readFileSync(join(place, path), "utf8")]));
    const before = texts();
    git("clean", "-fdxq", "--exclude=node_modules");
    expect(existsSync(place)).toBe(false);
    slipway("criticality", "status");
    expect(texts()).toEqual(before);
    rmSync(place, { recursive: true });
    slipway("status", basename(place));
    expect(texts()).toEqual(before);
  });

  test("the tests of the program pass when a stranger runs them", () => {
    const { status, stdout } = spawnSync(process.execPath, ["--test", "tests/**/*.test.ts"], { cwd: folder, env, encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ℹ fail 0$/m)]);
  });
});
