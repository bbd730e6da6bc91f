import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { describe, expect, test, vi } from "vitest";
import { answersFor, FILES, letters, lettersToApprove, patchOf, type Project } from "../testing/project.ts";

/** State that a refused command must not change. */
function traces(project: Project) {
  return {
    state: existsSync(join(project.root, ".slipway")),
    worktrees: existsSync(join(project.root, ".worktrees")),
    refs: project.git("for-each-ref"),
    status: project.git("status", "--porcelain"),
    exclude: readFileSync(join(project.root, ".git/info/exclude"), "utf8"),
  };
}

const features = (project: Project) => project.sql("SELECT id FROM features ORDER BY id").map(({ id }) => id);

describe("slipway run without a person", () => {
  test("stops at the approval, says so in plain lines, and exits 23 with the command that answers", async () => {
    const project = letters();
    const { code, stdout, stderr } = await project.run();
    expect(code).toBe(23);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^run \d{4}-\d\d-\d\d_letters\n/);
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining([
        "+ letters: worktree and branch are ready",
        "- letters: planner proposes a plan",
        "+ letters: plan accepted",
        "- letters: builder proposes a patch: one to two",
        "+ letters: full gates passed",
        "+ letters: ready to merge",
        "A person is needed:",
        "  Merge letters into main?",
        "    slipway approve letters",
        "Then continue with `slipway resume`.",
      ]),
    );
    expect(project.git("log", "--format=%s", "main").trim()).toBe("files");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(project.read("src/a.txt")).toBe("one\n");
  });

  test("with --json: one object per line, the last with status and next", async () => {
    const project = letters();
    const { code, json } = await project.run("--json");
    const lines = json<Record<string, unknown>>();
    expect(code).toBe(23);
    expect(lines[0]).toMatchObject({ event: "started", seq: 1, name: "features" });
    expect(lines).toContainEqual(expect.objectContaining({ event: "step", name: "ready:1" }));
    expect(lines.at(-1)).toMatchObject({
      run: expect.stringMatching(/_letters$/),
      status: "waiting",
      next: [{ title: "Merge letters into main?", command: "slipway approve letters" }],
    });
  });

  test("shows each failure and its repair", async () => {
    const project = letters();
    project.record("builder", "1", patchOf("src/a.txt", "one", "BUG"));
    project.record("builder", "2", patchOf("src/a.txt", "BUG", "two"));
    const { code, stdout } = await project.run();
    expect(code).toBe(23);
    expect(stdout).toMatch(/x letters: fast gates failed: .*\n- letters: builder proposes a patch: BUG to two \(attempt 2\)\n/);
    expect(stdout).toContain("slipway approve letters");
  });

  test("when no attempt passes, the feature is blocked, and the printed command answers the question", async () => {
    const project = letters();
    rmSync(join(project.cassette, "builder"), { recursive: true });
    const { code, stdout } = await project.run();
    expect(code).toBe(23);
    expect(stdout).toContain("x letters: blocked");
    const command = /^ {4}slipway answer (Q1) retry --comment '…'$/m.exec(stdout)?.[1] ?? "";
    expect((await project.slipway(["answer", command, "give_up"])).code).toBe(0);
    const ended = await project.slipway(["resume"]);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toContain("letters ended failed; its work is kept under refs/slipway.");
  });

  test("an obstacle before the start is a question; given up, the feature can be run after the fix", async () => {
    const project = letters();
    project.write(".worktrees/letters/mine.txt", "mine\n");
    const { code, stdout } = await project.run();
    expect(code).toBe(23);
    expect(stdout).toContain("  letters cannot continue: operation_conflict\n    slipway answer Q1 retry --comment '…'\n");
    expect((await project.slipway(["inbox"])).stdout).toMatch(/\.worktrees\/letters exists.*\n {5}next: Move /);
    expect((await project.slipway(["status"])).stdout).toMatch(/^letters +waiting .*needs you: slipway answer Q1 \(mend\)$/m);
    await project.slipway(["answer", "Q1", "give_up"]);
    expect((await project.slipway(["resume"])).code).toBe(3);
    expect(project.read(".worktrees/letters/mine.txt")).toBe("mine\n");
    expect((await project.slipway(["status"])).stdout).toMatch(/^run \S+ is completed {2}→ slipway status \S+_letters\n$/);
    rmSync(join(project.root, ".worktrees"), { recursive: true });
    const again = await project.run();
    expect(again.code).toBe(23);
    expect(again.stdout).toMatch(/^run \S+_letters-2\n/);
  });

  test("a feature that exists is not started again", async () => {
    const project = await lettersToApprove();
    const waiting = await project.run();
    expect(waiting.code).toBe(2);
    expect(waiting.stderr).toMatch(
      /^run_exists: There is already a feature "letters" \(ready_to_merge, .*\n {2}next: Continue it: `slipway resume \S+_letters`/,
    );
    await project.slipway(["stop", "--cancel", "--yes"]);
    expect((await project.run()).stderr).toContain("next: Give the specification another file name");
  });

  test("a specification named like an existing branch is refused before anything is written", async () => {
    const project = letters({ "main.md": "# Main\n", "mine.md": "# Mine\n", "theirs.md": "# Theirs\n" });
    project.git("branch", "theirs");
    project.git("commit", "--quiet", "--allow-empty", "--message=on");
    project.git("switch", "--quiet", "--create", "mine");
    for (const name of ["main", "mine", "theirs"]) {
      const { code, stderr } = await project.slipway(["run", `${name}.md`, "--cassette", project.cassette]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(`^invalid_feature_slug: ${name}\\.md would become the feature "${name}"`)]);
    }
    expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
  });

  test("--record records every prompt and answer, and the recording leads to the same tree", async () => {
    const project = letters();
    await project.run("--record", "tape");
    const recorded = join(project.root, "tape");
    expect(statSync(join(recorded, "cassette.json")).isFile()).toBe(true);
    const [first] = project.sql("SELECT tree FROM features");
    const other = letters();
    expect((await other.slipway(["run", "letters.spec.md", "--cassette", recorded])).code).toBe(23);
    expect(other.sql("SELECT tree FROM features")).toEqual([first]);
  });
});

describe("which specifications", () => {
  test("[FEA-153] -fi starts one cluster, -fl one per file, neither what is below .slipway/features; -fi and -fl are parsed as one option", async () => {
    const files = { "one/alpha.md": "# a\n", "one/deep/beta.spec.md": "# b\n", "letters.spec.md": FILES["letters.spec.md"] ?? "" };
    const single = letters(files);
    expect((await single.slipway(["run", "-fi", "letters.spec.md", "--cassette", single.cassette])).code).toBe(23);
    expect(features(single)).toEqual(["letters"]);
    expect(single.sql("SELECT run_id FROM runs WHERE parent_run_id IS NOT NULL")).toHaveLength(1);
    const folder = letters(files);
    await folder.slipway(["run", "-fl=one", "--cassette", folder.cassette]);
    expect(features(folder)).toEqual(["alpha", "beta"]);
    expect(folder.sql("SELECT run_id FROM runs WHERE parent_run_id IS NOT NULL")).toHaveLength(2);
    const neither = letters(files);
    neither.write(".slipway/features/found/spec.md", "# found\n");
    neither.write(".slipway/features/found/notes.md", "# no specification\n");
    await neither.slipway(["run", "--cassette", neither.cassette], { cwd: join(neither.root, "src") });
    expect(features(neither)).toEqual(["found"]);
    // Read as -f -i they would be unknown options.
    for (const flag of ["-fi", "-fl"]) {
      const { stderr } = await single.slipway(["run", flag]);
      expect(stderr).toContain(`Option '-${flag} <value>' argument missing`);
    }
  });

  test("without a name, specifications that were started already are skipped; if all were, it says so", async () => {
    const project = await lettersToApprove();
    const { code, stderr } = await project.slipway(["run", "--cassette", project.cassette]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^no_specs_found: .* all 1 under \.slipway\/features are started already\.\n {2}next: Name one: .*\n {2}next: Or continue: `slipway resume`/,
    );
    project.write(".slipway/features/other/spec.md", "# Other\n");
    answersFor(project, "other", "src/b.txt");
    await project.slipway(["stop", "--cancel", "--yes"]);
    await project.slipway(["run", "--cassette", project.cassette]);
    expect(features(project)).toEqual(["letters", "other"]);
  });

  test("[FEA-154] contradictory, unknown and incomplete options and missing paths are refused before anything is written", async () => {
    const project = letters();
    const before = traces(project);
    expect(before.state).toBe(false);
    const refused: [string, ...string[]][] = [
      ["invalid_cli_args", "-fi", "letters.spec.md", "-fl", "src"],
      ["invalid_cli_args", "letters.spec.md", "-fi", "letters.spec.md"],
      ["invalid_cli_args", "letters.spec.md", "--colour"],
      ["invalid_cli_args", "letters.spec.md", "-x"],
      ["invalid_cli_args", "-fi"],
      ["invalid_cli_args", "-fl"],
      ["invalid_cli_args", "letters.spec.md", "--cassette"],
      ["input_path_not_found", "-fi", "nowhere.md"],
      ["input_path_not_found", "-fl", "nowhere"],
      ["input_path_not_found", "-fl", "letters.spec.md"],
      ["input_path_not_found", "letters.spec.md", "nowhere.md"],
    ];
    for (const [code, ...argv] of refused) {
      const ended = await project.slipway(["run", ...argv, "--json"]);
      expect(ended.code, argv.join(" ")).toBe(2);
      expect(ended.json(), argv.join(" ")).toEqual([{ ok: false, error: expect.objectContaining({ code }) }]);
      expect(traces(project), argv.join(" ")).toEqual(before);
    }
  });

  test("[FEA-155] a folder is read recursively, in the order of the paths; an empty result is no_specs_found, also by default", async () => {
    const project = letters({
      "s/z.md": "# z\n",
      "s/b/a-spec.md": "# a\n",
      "s/b.md": "# b\n",
      "s/B2/c.md": "# c\n",
      "s/note.txt": "x\n",
      "empty/x.txt": "x\n",
    });
    await project.slipway(["run", "-fl", "s", "--cassette", project.cassette]);
    const [run] = project.sql("SELECT payload FROM events WHERE kind = 'started' AND stream NOT LIKE '%/%'");
    const { specs } = (JSON.parse(String(run?.["payload"])) as { input: { specs: { spec_source: string }[] } }).input;
    expect(specs.map(({ spec_source }) => spec_source)).toEqual(["s/B2/c.md", "s/b.md", "s/b/a-spec.md", "s/z.md"]);
    const bare = letters();
    bare.write("empty/x.txt", "x\n");
    for (const argv of [["run", "-fl", "empty"], ["run"]]) {
      const { code, stderr } = await bare.slipway(argv);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^no_specs_found: .*\n {2}next: (?:Name|Pass) /);
    }
    expect(existsSync(join(bare.root, ".slipway"))).toBe(false);
  });

  test("[FEA-157] an unusable id, or one id for two files, stops the run before any feature begins", async () => {
    const project = letters({ "README.md": "# r\n", ".spec.md": "# e\n", "x/dup.md": "# 1\n", "y/dup.spec.md": "# 2\n" });
    const before = traces(project);
    for (const name of ["README.md", ".spec.md"]) {
      const { code, stderr } = await project.slipway(["run", "letters.spec.md", name, "--cassette", project.cassette]);
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`^invalid_feature_slug: .*${name}.*\\n {2}next: Rename`));
    }
    const { code, stderr } = await project.slipway(["run", "letters.spec.md", "x/dup.md", "y/dup.spec.md", "--cassette", project.cassette]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^feature_slug_collision: x\/dup\.md and y\/dup\.spec\.md both result in the feature id "dup"/);
    expect(traces(project)).toEqual(before);
  });

  test("several features share a run, and each waits for its own approval", async () => {
    const project = letters({ "other.md": "# Other\n" });
    answersFor(project, "other", "src/b.txt");
    const { code, stdout } = await project.slipway(["run", "letters.spec.md", "other.md", "--cassette", project.cassette]);
    expect(code).toBe(23);
    expect(stdout).toMatch(/^run \S+_2-features\n/);
    expect(stdout).toContain("slipway approve letters");
    expect(stdout).toContain("slipway approve other");
    for (const command of ["approve", "diff", "evidence", "merge"]) {
      expect((await project.slipway([command])).stderr).toMatch(
        /^feature_not_found: There are several features: (letters, other|other, letters)/,
      );
    }
  });
});

describe("several features", () => {
  const OTHER = { "other.spec.md": "# Other\n\nThe second letter file says two.\n" };
  const two = (files: Readonly<Record<string, string>> = {}) => {
    const project = letters({ ...OTHER, ...files });
    answersFor(project, "other", "src/b.txt");
    return project;
  };
  const start = (project: Project, ...more: readonly string[]) =>
    project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette, ...more]);

  test("[FEA-152] features above the limit wait in order, and begin when a slot is free", async () => {
    const policy = POLICY.replace("supervisor: {", "supervisor: { max_active_features: 1,");
    const project = two({ "slipway/policy.yaml": policy });
    expect((await start(project)).code).toBe(23);
    expect(features(project)).toEqual(["letters"]);
    await project.slipway(["approve", "letters"]);
    const { code, stdout } = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(code).toBe(23);
    expect(stdout).toMatch(/letters: merged into main[^]*other: worktree and branch are ready[^]*slipway approve other/);
    expect(features(project)).toEqual(["letters", "other"]);
  });

  test("[FEA-161] --json prints every event and every change of the dashboard, until both agree", async () => {
    const project = two();
    const { json } = await start(project, "--json");
    const lines = json<{ event?: string; feature?: { id: string; status: string; at_work: unknown } }>();
    const told = lines.flatMap(({ event, feature }) => (event === "feature" && feature !== undefined ? [feature] : []));
    for (const id of ["letters", "other"]) {
      const statuses = told.filter((feature) => feature.id === id).map(({ status }) => status);
      expect(statuses).toContain("building");
      expect(statuses.at(-1)).toBe("ready_to_merge");
    }
    const [seen] = (await project.slipway(["status", "--json"])).json<{ features: { id: string }[] }>();
    expect(["letters", "other"].map((id) => told.findLast((feature) => feature.id === id))).toEqual(seen?.features);
    expect(lines.filter(({ event }) => event === "step").length).toBeGreaterThan(10);
  });

  test("on a terminal the board has a line per feature, and its last state stays on the screen", async () => {
    const project = two();
    let screen = "";
    const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => ((screen += String(chunk)), true));
    const { code, stdout } = await project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette], {
      terminal: true,
      columns: 100,
    });
    write.mockRestore();
    expect(code).toBe(23);
    const drawn = stripVTControlCharacters(screen);
    expect(drawn).toContain("✔ letters: plan accepted\n");
    // Which state is drawn in between depends on the machine.
    expect(drawn).toMatch(/^letters +(?:planning|building|qa) .*\$0\.0\d/m);
    expect(drawn.trimEnd().split("\n").slice(-3)).toEqual([
      "feature  status          gate       cost    now",
      "letters  ready_to_merge  full pass  $0.03   needs you: slipway approve letters",
      "other    ready_to_merge  full pass  $0.03   needs you: slipway approve other",
    ]);
    expect(stdout).toContain("A person is needed:\n");
  });
});

describe("providers of the roles", () => {
  test("mistakes are reported before the run is recorded, so that the corrected command works", async () => {
    const project = letters();
    const refused: [string, string, ...string[]][] = [
      ["cassette_missing", "nowhere", "--cassette", "nowhere"],
      ["cassette_missing", "--cassette FOLDER"],
      ["agent_provider_not_configured", "runtime.acp.nobody.command", "--agent-provider", "acp:nobody"],
      ["unsupported_agent_provider", "replay", "--agent-provider", "replya"],
      ["agent_provider_not_configured", "runtime.custom.command", "--agent-provider", "custom"],
      ["provider_auth_missing", "NOT_SET_ANYWHERE", "--provider-config-env", "NOT_SET_ANYWHERE"],
    ];
    for (const [code, named, ...argv] of refused) {
      const ended = await project.slipway(["run", "letters.spec.md", ...argv]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(new RegExp(`^${code}: .*\n {2}next: `));
      expect(ended.stderr).toContain(named);
    }
    expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
    expect((await project.run()).code).toBe(23);
  });

  test("a resumed run without a provider asks a person instead of failing", async () => {
    const project = letters();
    rmSync(join(project.cassette, "builder"), { recursive: true });
    await project.run();
    await project.slipway(["answer", "Q1", "retry"]);
    expect(await project.slipway(["resume"])).toMatchObject({
      code: 23,
      stdout: expect.stringContaining("x letters: builder failed (attempt 3): The replay provider needs a folder"),
    });
    project.record("builder", "5", patchOf("src/a.txt", "one", "two"));
    await project.slipway(["answer", "Q2", "retry"]);
    const { code, stdout } = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(code).toBe(23);
    expect(stdout).toContain("slipway approve letters");
  });

  test("a cassette may be named in agents.yaml, relative to the repository's root", async () => {
    const agents = "version: 1\nroles: {}\nruntime:\n  default_provider: replay\n  replay: { cassette: tape }\n";
    const project = letters({ "slipway/agents.yaml": agents, "src/deep/x.txt": "x\n" });
    cpSync(project.cassette, join(project.root, "tape"), { recursive: true });
    const { code } = await project.slipway(["run", "../../letters.spec.md"], { cwd: join(project.root, "src/deep") });
    expect(code).toBe(23);
  });

  test("a custom command may play them, and sees only the environment it is given", async () => {
    const script = [
      `const answers = require(process.argv[1]);`,
      `let text = "";`,
      `process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => {`,
      `  const { role, attempt } = JSON.parse(text);`,
      `  if (process.env.HIDDEN !== undefined || process.env.KEY !== "k") process.exit(3);`,
      `  process.stdout.write(JSON.stringify({ text: JSON.stringify(answers[role]) }));`,
      `});`,
    ].join(" ");
    const project = letters();
    const answers = Object.fromEntries(
      ["planner", "builder", "qa"].map((role) => [
        role,
        (JSON.parse(readFileSync(join(project.cassette, role, "letters.1.json"), "utf8")) as { output: unknown }).output,
      ]),
    );
    writeFileSync(join(project.home, "answers.json"), JSON.stringify(answers));
    const command = JSON.stringify([process.execPath, "-e", script, join(project.home, "answers.json")]);
    project.write(
      "slipway/agents.yaml",
      `version: 1\nroles: {}\nruntime:\n  default_provider: custom\n  custom: { command: ${command} }\n`,
    );
    project.git("commit", "-qam", "agents");
    const env = { ...project.env, KEY: "k", HIDDEN: "h" };
    const { code, stdout, stderr } = await project.slipway(["run", "letters.spec.md", "--provider-config-env", "KEY"], { env });
    expect({ code, stderr }, stdout).toEqual({ code: 23, stderr: "" });
    expect(stdout).toContain("+ letters: ready to merge");
  });

  test("an answer recorded for another prompt is used, with a warning", async () => {
    const project = letters();
    const file = join(project.cassette, "planner", "letters.1.json");
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), prompt_digest: "0".repeat(64) }));
    const { code, stderr } = await project.run();
    expect(code).toBe(23);
    expect(stderr).toMatch(/^warning: .*letters\.1\.json was recorded for another prompt/);
  });
});

describe("without a sandbox", () => {
  test("a reason is required and recorded with the person's name; a new reason is recorded again", async () => {
    const project = letters();
    for (const reason of ["", "  "]) {
      const { code, stderr } = await project.run("--allow-unsandboxed", reason);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^invalid_cli_args: --allow-unsandboxed needs a reason/);
    }
    expect(existsSync(join(project.root, ".slipway"))).toBe(false);
    expect((await project.run("--allow-unsandboxed", "no namespaces here")).code).toBe(23);
    for (const reason of ["no namespaces here", "still none"]) await project.slipway(["resume", "--allow-unsandboxed", reason]);
    const overrides = project.sql("SELECT payload FROM events WHERE stream = 'repository' AND name = 'sandbox.override' ORDER BY seq");
    expect(overrides.map(({ payload }) => JSON.stringify(payload))).toEqual([
      expect.stringMatching(/no namespaces here/),
      expect.stringMatching(/still none/),
    ]);
    expect(overrides.every(({ payload }) => String(payload).includes("kim"))).toBe(true);
    expect(String(project.sql("SELECT counts FROM checks WHERE kind = 'mode'")[0]?.["counts"])).toContain('"sandbox":"none"');
  });
});
