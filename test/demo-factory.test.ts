import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "slipway/testing/program";
import { beforeAll, describe, expect, test } from "vitest";
import { cassetteFiles } from "./demo-factory/author.ts";
import { demoRows } from "./demo-records.ts";

const DEMO = join(import.meta.dirname, "..", "packages", "protocols", "demos", "factory");
const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-factory-test-")));
const folder = join(home, "repository");
const store = join(folder, ".slipway", "state_store");
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};
const EARLIER = ["MM-parse_time@1.1.0", "MM-format_time@1.0.0", "MM-parse_days@1.0.0"];
const LATER = ["MM-parse_hours@1.0.0", "MM-is_open@1.0.0", "MM-next_opening@1.0.0"];

/** An empty network namespace, without loopback. */
const OFFLINE = process.getuid?.() === 0 ? ["unshare", "--net"] : ["unshare", "--map-root-user", "--net"];
const canGoOffline = spawnSync(OFFLINE[0] ?? "", [...OFFLINE.slice(1), "true"]).status === 0;
if (!canGoOffline) console.log("skipped: this machine cannot make a network namespace, so nothing can be shown offline");

test("the cassettes are what their author writes", () => {
  const written = cassetteFiles();
  const there = ["cassette", "cassette-edited"].flatMap((name) =>
    readdirSync(join(DEMO, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(DEMO.length + 1)),
  );
  expect(there.toSorted()).toEqual(Object.keys(written).toSorted());
  // A role's answer has changed: `npm run record:demo-factory`, see packages/protocols/demos/factory/README.md.
  for (const path of there) expect(readFileSync(join(DEMO, path), "utf8"), path).toBe(written[path]);
});

interface Summary {
  readonly status: string;
  readonly modules: readonly { readonly module_ref: string; readonly tests: number }[];
  readonly release: { readonly status: string; readonly merge: { readonly commit: string } };
  readonly story: readonly ({ readonly fact: string } & Record<string, unknown>)[];
  readonly again: { readonly tasks: Record<string, string[]> } & Omit<Summary, "again">;
  readonly commands: readonly string[];
  readonly elapsed_ms: number;
}

describe.skipIf(!canGoOffline)("the factory's demo, without any network", () => {
  let summary: Summary;
  let output = "";

  beforeAll(() => {
    const [command = "", ...prefix] = OFFLINE;
    output = execFileSync(command, [...prefix, process.execPath, ...PROGRAM, "demo", "factory", "--edit", "--json", "--keep", folder], {
      cwd: home,
      env,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as Summary;
  }, 240_000);

  const fact = (name: string) => summary.story.filter((one) => one.fact === name);
  const refs = ({ modules }: Pick<Summary, "modules">) => modules.map(({ module_ref }) => module_ref);

  test("runs from a page to a release of seven modules in three epics", () => {
    expect(summary).toMatchObject({ status: "completed", release: { status: "released" }, elapsed_ms: expect.any(Number) });
    expect(refs(summary)).toEqual([...EARLIER, "MM-join_spans@1.0.0", ...LATER]);
    const tasks = readdirSync(join(store, "project", "hours"));
    expect(tasks.toSorted()).toEqual(["answers", "clock", "week"]);
    expect(git("status", "--porcelain")).toBe("");
  });

  test("a challenge failed and was revised, an objection was refuted by running it, amendments were applied", () => {
    expect(fact("revised")).toEqual([
      { fact: "revised", module_ref: "MM-parse_time@1.0.0", objection: "a time with one digit each is refused" },
    ]);
    expect(fact("refuted")).toEqual([{ fact: "refuted", module_ref: "MM-format_time@1.0.0", witness: "65 minutes are 01:05" }]);
    expect(fact("amended")).toMatchObject([{ module_ref: "MM-parse_days@1.0.0" }]);
    expect(readFileSync(join(store, "modules/MM-parse_days/1.0.0/tests/module.test.ts"), "utf8")).toContain("a range may pass Sunday");
  });

  test("a module was reused from the index, a contract was changed with a person's approval, a halt was resolved by an answer", () => {
    expect(fact("reused")).toEqual([{ fact: "reused", module_ref: "MM-format_time@1.0.0", task_id: "T-hours-answers-questions-002" }]);
    expect(fact("contract_changed")).toMatchObject([{ from: "MM-parse_time@1.0.0", to: "MM-parse_time@1.1.0", by: "the demo" }]);
    expect(
      rows(
        "SELECT version, status, superseded_by FROM code_index_retirements JOIN code_index_entries USING (position) WHERE module_id = 'MM-parse_time'",
      ),
    ).toEqual([{ version: "1.0.0", status: "SUPERSEDED", superseded_by: "MM-parse_time@1.1.0" }]);
    expect(fact("halted")).toMatchObject([{ task_id: "T-hours-answers-questions-001", resolution: "AMEND_SPEC", by: "the demo" }]);
  });

  test("every released module was sealed with its evidence, and is on main as sealed", () => {
    for (const ref of refs(summary.again)) {
      const path = ref.replace("@", "/");
      expect(existsSync(join(store, "modules", path, "ship.json")), ref).toBe(true);
      for (const file of ["implementation/index.ts", "tests/module.test.ts", "contract.json", "ship.json"]) {
        expect(git("show", `main:modules/${path}/${file}`), `${ref} ${file}`).toBe(
          readFileSync(join(store, "modules", path, file), "utf8"),
        );
      }
    }
  });

  test("after an edit of one sentence one task is built again, three are rechecked, three are kept", () => {
    const { again } = summary;
    expect(again).toMatchObject({ status: "completed", release: { status: "released" } });
    expect(again.tasks).toEqual({
      rebuild: ["T-hours-week-rules-001"],
      recheck: ["T-hours-week-rules-002", "T-hours-answers-questions-001", "T-hours-answers-questions-002"],
      keep: ["T-hours-clock-reading-001", "T-hours-clock-reading-002", "T-hours-clock-reading-003"],
    });
    expect(refs(again)).toEqual([...EARLIER, "MM-join_spans@1.0.1", ...LATER]);
    const root = "substr(run_id, 1, instr(run_id, '/') - 1)";
    const last = `(SELECT ${root} FROM telemetry ORDER BY at DESC LIMIT 1)`;
    const asked = rows(`SELECT role, feature_id AS subject FROM telemetry WHERE ${root} = ${last} ORDER BY at, id`);
    const module = "MM-join_spans";
    expect(asked.map(({ role, subject }) => `${String(role)} ${String(subject)}`)).toEqual([
      "factory/product-owner spec",
      "factory/planner T-hours-week-rules-001",
      ...["proposer", "challenger", "arbiter"].map((role) => `factory/${role} ${module}`),
    ]);
  });

  test("the released modules run and compile with the commands that the demo prints", () => {
    expect(summary.commands).toHaveLength(2);
    const [run = "", compile = ""] = summary.commands;
    const shell = (command: string) =>
      execFileSync("sh", ["-c", command], { cwd: home, encoding: "utf8", env: { ...env, NODE_TEST_CONTEXT: undefined } });
    expect(shell(run)).toMatch(/^(?:# |ℹ )fail 0$/m);
    expect(shell(compile)).toBe("");
    expect(run).toMatch(/^cd \S+\/modules && \S*node --test$/);
  }, 120_000);
});

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" });
}

function rows(sql: string): Record<string, unknown>[] {
  return demoRows(folder, sql);
}
