import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import type { DoctorRow } from "../doctor/check.ts";
import { collectingIo, commitAll, git, scratchFolder, scratchRepository, writeAll } from "../init/testing/scratch.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { main } from "../main.ts";

/** Without a sandbox each of these repositories has one more problem. */
const available = sandboxWorksHere();

const NODE = { "package.json": JSON.stringify({ scripts: { test: "node --test" } }), "a.txt": "" };

/** The files that `slipway init` writes, committed. */
async function ready(files: Record<string, string> = NODE): Promise<string> {
  const folder = scratchRepository(files);
  expect(await main(["init", "--yes"], collectingIo(folder))).toBe(0);
  commitAll(folder);
  return folder;
}

function configured(folder: string, files: Record<string, string>): void {
  writeAll(folder, files);
  commitAll(folder);
}

async function doctor(folder: string, more: Partial<Io> = {}) {
  const io = collectingIo(folder, more);
  const exitCode = await main(["doctor", "--json"], io);
  const rows = JSON.parse(io.stdout()) as DoctorRow[];
  return {
    exitCode,
    rows,
    of: (name: string) => rows.filter((row) => row.name === name),
    problems: rows.filter(({ status }) => status === "problem"),
  };
}

const gates = (...cmd: string[]) => ({
  "slipway/gates.yaml": JSON.stringify({
    version: 1,
    profiles: { default: { modes: { fast: [{ name: "t", cmd }], full: [{ name: "t", cmd }] } } },
  }),
});

/** The policy that init wrote, with other sandbox settings. */
function sandbox(folder: string, value: object): string {
  return readFileSync(join(folder, "slipway/policy.yaml"), "utf8").replace(
    /^sandbox:.*\n(?: .*\n)*/m,
    `sandbox: ${JSON.stringify(value)}\n`,
  );
}

/** Every property of the sandbox that the self-test tries, in this order. */
const ATTEMPTS = [
  "a command runs",
  "no variable of the host is inherited",
  "no environment of a host process can be read",
  "no host process is seen",
  "nothing outside the worktree can be written",
  "no password file of the host can be read",
  ".git can neither be read nor written",
  "no TCP port of the host is reached",
  "no socket of the host is reached",
  "the command is not root and has no capability",
  "a daemon dies with its command",
  "a command cannot fake its exit code",
  "process 1 can neither be traced nor read",
  "the command is not root on the host",
  "no setting of the kernel can be written",
  "no keyring of the host is reached",
  "no file is made set-user-id",
  "no socket leads to the hypervisor, to hardware or into the kernel",
  "no memory escapes the limit",
  "io_uring is refused",
  "userfaultfd is refused",
  "no namespace can be made",
  "layers over a worktree",
  "overlays that close sockets in shown folders",
];
const COUNTED = "processes, threads, memory of processes, memory of files, output, disk space, number of files, time";
const LIMITS = `These limits bind: ${COUNTED} (counted from outside); size of a file, size of a folder in memory, open files (by the kernel)`;

const agents = (runtime: object) => ({ "slipway/agents.yaml": JSON.stringify({ version: 1, roles: {}, runtime }) });

async function withDatabase(): Promise<string> {
  const folder = await ready();
  await (await openRecords({ layout: layoutAt(folder) })).close();
  writeAll(folder, { ".git/info/exclude": ".slipway\n" });
  return folder;
}

const withConfigHome = (configHome: string) => ({
  env: { PATH: process.env["PATH"], HOME: scratchFolder(), XDG_CONFIG_HOME: configHome },
});

describe.skipIf(!available)("slipway doctor", () => {
  test("a repository without problems", async () => {
    const folder = await ready();
    const { exitCode, rows, problems, of } = await doctor(folder);
    expect(problems).toEqual([]);
    const groups = (await openSandbox()).controlGroups === true ? "; threads at once (by a control group)" : "";
    expect(of("sandbox").map(({ finding }) => finding.replace(/^bubblewrap [\d.]+ /, ""))).toEqual([
      `withstood ${ATTEMPTS.length} attempts: ${ATTEMPTS.join(", ")}.`,
      `${LIMITS}${groups}.`,
    ]);
    expect(exitCode).toBe(0);
    expect([...new Set(rows.map(({ name }) => name))]).toEqual([
      "node",
      "git",
      "sandbox",
      "repository",
      "disk",
      "configuration",
      "trust",
      "gates",
      "worktrees",
      "agents",
      "database",
      "approval key",
      "base gates",
    ]);
    // No provider is chosen yet: the only note, unless the disk is nearly full.
    expect(rows.filter(({ name, status }) => status === "note" && name !== "disk").map(({ name }) => name)).toEqual(["agents"]);
    expect(git(folder, "status", "--porcelain")).toBe("");
  });

  test("--skip-base-gates writes nothing", async () => {
    const folder = await ready();
    const io = collectingIo(folder);
    expect(await main(["doctor", "--json", "--skip-base-gates"], io)).toBe(0);
    expect((JSON.parse(io.stdout()) as DoctorRow[]).map(({ name }) => name)).not.toContain("base gates");
    expect([join(folder, ".slipway"), layoutAt(folder).database].map((path) => existsSync(path))).toEqual([false, false]);
  });

  test("text output has every problem with its fix", async () => {
    const folder = scratchRepository(NODE);
    const io = collectingIo(folder);
    expect(await main(["doctor"], io)).toBe(3);
    expect(io.stdout()).toMatch(/^ok {7}node {10}Node \d+\.\d+\.\d+ at \//);
    expect(io.stdout()).toContain("problem  configuration slipway/gates.yaml does not exist.\n                       fix: slipway init\n");
    expect(io.stdout()).toMatch(/\n\n2 problems, \d notes\.\n$/);
    expect(io.stdout()).not.toContain("ENOENT");
    expect(io.stdout()).not.toContain("\u001B");
    const colored = collectingIo(folder, { color: true });
    await main(["doctor"], colored);
    expect(colored.stdout()).toContain("\u001B[31mproblem");
    const fine = collectingIo(await ready());
    await main(["doctor"], fine);
    expect(fine.stdout()).toMatch(/\nNo problems \(0 problems, \d notes?\)\.\n$/);
  });

  test.each<[title: string, make: () => string, message: RegExp, fix: RegExp]>([
    ["no repository", () => scratchFolder(), /not in a git repository/, /git init/],
    ["a bare repository", bare, /bare repository/, /git clone/],
    ["a repository without commits", () => scratchRepository({}), /no commit yet/, /git commit/],
    ["a folder that is gone", () => join(scratchFolder(), "gone"), /The folder does not exist/, /Change to a folder/],
  ])("%s is one problem; checks that depend on it are skipped and say so", async (_, make, message, fix) => {
    const { exitCode, problems, of } = await doctor(make());
    expect(exitCode).toBe(3);
    expect(problems).toEqual([
      { name: "repository", status: "problem", finding: expect.stringMatching(message), fix: expect.stringMatching(fix) },
    ]);
    expect(of("gates")).toEqual([
      { name: "gates", status: "note", finding: "Not checked, because the repository cannot be used.", fix: null },
    ]);
    expect(of("node")[0]?.status).toBe("ok");
  });

  test("git is not installed", async () => {
    const { problems } = await doctor(await ready(), { env: { PATH: "/nowhere", HOME: scratchFolder() } });
    expect(problems.map(({ name, fix }) => [name, fix])).toEqual([
      ["git", expect.stringContaining("apt install git")],
      ["repository", expect.stringContaining("apt install git")],
    ]);
  });

  test("a detached head, changes, submodules and a shallow clone are notes", async () => {
    const origin = await ready();
    configured(origin, { "b.txt": "", ".gitmodules": "" });
    const folder = join(scratchFolder(), "clone");
    git(origin, "clone", "-q", "--depth", "1", `file://${origin}`, folder);
    git(folder, "switch", "-q", "--detach");
    writeAll(folder, { "1.txt": "", "2.txt": "", "3.txt": "", "4.txt": "" });
    const { exitCode, of } = await doctor(folder);
    expect(exitCode).toBe(0);
    expect(of("repository").map(({ status, finding }) => `${status} ${finding}`)).toEqual([
      `ok ${folder}.`,
      expect.stringMatching(/^note No branch is checked out/),
      expect.stringMatching(/^note There are uncommitted changes \(1\.txt, 2\.txt, 3\.txt, …\)/),
      expect.stringMatching(/^note There are submodules/),
      expect.stringMatching(/^note This clone does not have the full history/),
    ]);
  });
});

describe.skipIf(!available)("configuration", () => {
  test("not committed", async () => {
    const folder = scratchRepository(NODE);
    await main(["init", "--yes"], collectingIo(folder));
    const { problems, of } = await doctor(folder);
    expect(problems.map(({ name, fix }) => [name, fix])).toEqual(
      Array.from({ length: 3 }, () => ["configuration", 'git add slipway && git commit -m "Update Slipway configuration"']),
    );
    // The other checks use the working tree until then.
    expect(of("gates")[0]?.finding).toBe("Every command of slipway/gates.yaml is found: npm.");
  });

  test("changed, deleted or absent in the working tree", async () => {
    const folder = await ready();
    writeFileSync(join(folder, "slipway/agents.yaml"), "version: 1\nroles: {}\n");
    rmSync(join(folder, "slipway/gates.yaml"));
    const { exitCode, of } = await doctor(folder);
    expect(exitCode).toBe(0);
    expect(of("configuration").map(({ status, fix }) => [status, fix])).toEqual([
      ["note", "git restore slipway/gates.yaml"],
      ["ok", null],
      ["note", expect.stringContaining("git add slipway")],
    ]);
    git(folder, "rm", "-q", "-f", "slipway/agents.yaml");
    git(folder, "restore", "slipway/gates.yaml");
    commitAll(folder);
    expect((await doctor(folder)).of("configuration")[2]).toMatchObject({
      status: "note",
      finding: "slipway/agents.yaml does not exist; the built-in roles are used.",
    });
  });

  test("invalid YAML and invalid values, with line and field, wherever they are", async () => {
    const folder = await ready();
    configured(folder, { "slipway/gates.yaml": "version: 1\nprofiles: {\n" });
    writeAll(folder, { "slipway/policy.yaml": "version: 1\nworktre: {}\n" });
    const { exitCode, problems } = await doctor(folder);
    expect(exitCode).toBe(3);
    expect(problems).toMatchObject([
      { name: "configuration", finding: expect.stringMatching(/^slipway\/gates\.yaml is not valid:\n {2}line \d+/) },
      { name: "configuration", finding: expect.stringContaining("worktre"), fix: expect.stringContaining("slipway/policy.yaml") },
    ]);
  });

  test("without a valid configuration, gates and agents are not checked", async () => {
    const folder = await ready();
    configured(folder, { "slipway/policy.yaml": "version: 2\n" });
    const { of } = await doctor(folder);
    expect(of("gates")).toMatchObject([{ status: "note", finding: "Not checked, because the configuration cannot be used." }]);
    expect(of("agents")).toMatchObject([{ status: "note" }]);
  });

  test("a base branch that does not exist", async () => {
    const folder = await ready();
    git(folder, "branch", "-m", "trunk");
    expect((await doctor(folder)).problems).toMatchObject([
      {
        name: "configuration",
        finding: 'slipway/policy.yaml names the base branch "main", which does not exist.',
        fix: expect.stringContaining("git branch main"),
      },
    ]);
  });

  test("a folder where a file should be", async () => {
    const folder = await ready();
    rmSync(join(folder, "slipway/gates.yaml"));
    mkdirSync(join(folder, "slipway/gates.yaml"));
    const { problems } = await doctor(folder);
    expect(problems[0]).toMatchObject({ name: "configuration", finding: "This could not be checked: a folder is where a file should be." });
  });
});

describe.skipIf(!available)("gates", () => {
  test("a command that does not exist", async () => {
    const folder = await ready();
    configured(folder, gates("no-such-program", "--x"));
    expect((await doctor(folder)).problems).toEqual([
      {
        name: "gates",
        status: "problem",
        finding: expect.stringMatching(/^The gate default\.fast\.t cannot start: "no-such-program" was not found on PATH/),
        fix: expect.stringContaining("Install no-such-program"),
      },
    ]);
  });

  test("a command outside the sandbox's view, until the policy adds it", async () => {
    const folder = await ready();
    const tools = scratchFolder();
    writeAll(tools, { "mytool.sh": "#!/bin/sh\n" });
    configured(folder, gates("mytool.sh"));
    const env = { PATH: `${process.env["PATH"]}:${tools}`, HOME: scratchFolder() };
    expect((await doctor(folder, { env })).problems).toMatchObject([
      {
        name: "gates",
        finding: expect.stringContaining("which the sandbox does not show"),
        fix: expect.stringContaining("sandbox.read_only"),
      },
    ]);
    configured(folder, { "slipway/policy.yaml": sandbox(folder, { read_only: [tools] }), ...gates("mytool.sh") });
    expect((await doctor(folder, { env })).problems).toEqual([]);
  });

  test("a program in the repository must be in a fresh checkout", async () => {
    const folder = await ready({ ...NODE, ".gitignore": ".venv\n", "run.sh": "#!/bin/sh\n" });
    configured(folder, gates("./run.sh"));
    expect((await doctor(folder)).problems).toEqual([]);
    configured(folder, gates(".venv/run.sh"));
    writeAll(folder, { ".venv/run.sh": "#!/bin/sh\n" });
    expect((await doctor(folder)).problems).toMatchObject([
      {
        name: "gates",
        finding: expect.stringContaining("which git does not track"),
        fix: expect.stringContaining("sandbox.shared_paths"),
      },
    ]);
    configured(folder, { "slipway/policy.yaml": sandbox(folder, { shared_paths: [".venv"] }), ...gates(".venv/run.sh") });
    expect((await doctor(folder)).problems).toEqual([]);
  });

  test("shared and read-only folders that do not exist", async () => {
    const folder = await ready();
    configured(folder, {
      "slipway/policy.yaml": sandbox(folder, { shared_paths: ["web/node_modules", "vendor"], read_only: ["/nowhere/at/all"] }),
    });
    expect((await doctor(folder)).problems.map(({ finding, fix }) => [finding.split(" ")[0], fix])).toEqual([
      ["web/node_modules", expect.stringContaining("npm ci")],
      ["vendor", expect.stringContaining("Make vendor")],
      ["/nowhere/at/all", expect.stringContaining("Remove it from sandbox.read_only")],
    ]);
  });
});

describe.skipIf(!available)("gates on the base", () => {
  test("green: tried once, with a line of progress, then cached", async () => {
    const folder = await ready();
    configured(folder, gates("true"));
    const io = collectingIo(folder);
    expect(await main(["doctor"], io)).toBe(0);
    expect(io.stdout()).toMatch(/ok {7}base gates {4}The fast and full gates pass on main\.\n/);
    expect(io.stderr()).toBe("base gates: fast 1/1: t\n");
    const again = collectingIo(folder);
    expect(await main(["doctor"], again)).toBe(0);
    expect(again.stdout()).toContain("The fast and full gates pass on main, as before.");
    expect(again.stderr()).toBe("");
  });

  test("red: a problem with exit code, likely cause and the end of the log", async () => {
    const folder = await ready();
    configured(folder, gates("sh", "-c", `echo "Error: Cannot find module 'freezegun'"; exit 1`));
    const { exitCode, problems } = await doctor(folder);
    expect(exitCode).toBe(3);
    expect(problems).toMatchObject([{ name: "base gates", fix: expect.stringMatching(/\S/) }]);
    const finding = problems[0]?.finding ?? "";
    expect(finding).toMatch(/^The fast and full gates fail on main at step "t", exit code 1, before any change: /);
    expect(finding).toContain("likely cause: The package freezegun is not found.");
    expect(finding).toMatch(/^\| .*Cannot find module 'freezegun'/m);
    const log = /^log: (\S+\.log)/m.exec(finding)?.[1] ?? "";
    expect(readFileSync(log, "utf8")).toContain("freezegun");
  });

  test("not tried while another check has a problem, or when the policy turns it off", async () => {
    const folder = await ready();
    configured(folder, gates("no-such-program"));
    expect((await doctor(folder)).of("base gates")).toMatchObject([
      { status: "note", finding: "Not tried, because of the problem with gates above." },
    ]);
    const policy = readFileSync(join(folder, "slipway/policy.yaml"), "utf8");
    configured(folder, { ...gates("false"), "slipway/policy.yaml": `${policy}gates: { try_on_base: false }\n` });
    expect((await doctor(folder)).of("base gates")).toMatchObject([
      { status: "note", finding: expect.stringContaining("gates.try_on_base"), fix: "slipway gates" },
    ]);
  });
});

test("worktrees inside the checkout get a warning", async () => {
  const folder = await ready();
  const outside = (await doctor(folder)).of("worktrees");
  expect(outside).toMatchObject([{ status: "ok", finding: expect.stringContaining("outside the checkout") }]);
  const policy = readFileSync(join(folder, "slipway/policy.yaml"), "utf8");
  configured(folder, { "slipway/policy.yaml": policy.replace(/^worktree: \{/m, "worktree: { root: .worktrees,") });
  expect((await doctor(folder)).of("worktrees")).toMatchObject([
    {
      status: "note",
      finding: expect.stringContaining("worktree.root in slipway/policy.yaml is .worktrees, inside the checkout"),
      fix: expect.stringContaining("Remove worktree.root"),
    },
  ]);
});

describe.skipIf(!available)("agents", () => {
  test.each<[title: string, runtime: object, status: string, finding: RegExp]>([
    ["replay without a cassette", { default_provider: "replay" }, "note", /does not say where they are/],
    [
      "replay with one that is missing",
      { default_provider: "replay", replay: { cassette: "tapes" } },
      "problem",
      /There is no cassette in .*tapes/,
    ],
    [
      "custom without a command",
      { default_provider: "custom" },
      "problem",
      /The provider custom needs a command\. \(It would play features: builder, planner, qa; factory: arbiter, .*\.\)/,
    ],
    [
      "custom with one that is missing",
      { default_provider: "custom", custom: { command: ["no-such-agent"] } },
      "problem",
      /cannot start: there is no program "no-such-agent"/,
    ],
    [
      "custom",
      { default_provider: "custom", custom: { command: ["node", "agent.js"] } },
      "ok",
      /custom plays features: builder, planner, qa; factory: arbiter, challenger, planner, product-owner, proposer; criticality: architect, auditor, structurer, worker; forge: adversarial-reviewer, designer, implementer, knowledge-agent, planner, researcher, spec, verifier; crew: architect, coder, designer, docs, integrator, planner, qa, researcher, reviewer, security, spec-agent\./,
    ],
    [
      "a client that is not installed",
      { default_provider: "claude", claude: { command: ["no-such-claude"] } },
      "problem",
      /no-such-claude/,
    ],
    [
      "credentials that are not set",
      { default_provider: "custom", provider_config_env: "AGENT_KEY" },
      "problem",
      /AGENT_KEY, which is not set/,
    ],
  ])("%s", async (_, runtime, status, finding) => {
    const folder = await ready();
    configured(folder, agents(runtime));
    expect((await doctor(folder)).of("agents")).toMatchObject([{ status, finding: expect.stringMatching(finding) }]);
  });

  test("a cassette, and another provider for one role", async () => {
    const folder = await ready();
    const tape = { "tapes/cassette.json": JSON.stringify({ version: 1, created: "2026-01-01", description: "x" }) };
    configured(folder, {
      ...tape,
      ...agents({
        default_provider: "replay",
        replay: { cassette: "tapes" },
        custom: { command: ["node"] },
        role_provider_overrides: { qa: { provider: "custom" }, "factory/arbiter": { provider: "custom" } },
      }),
    });
    expect((await doctor(folder)).of("agents").map(({ status, finding }) => [status, finding])).toEqual([
      [
        "ok",
        "Recorded answers from tapes play features: builder, planner; factory: challenger, planner, product-owner, proposer; criticality: architect, auditor, structurer, worker; forge: adversarial-reviewer, designer, implementer, knowledge-agent, planner, researcher, spec, verifier; crew: architect, coder, designer, docs, integrator, planner, qa, researcher, reviewer, security, spec-agent.",
      ],
      ["ok", "custom plays features: qa; factory: arbiter."],
    ]);
    configured(folder, agents({ default_provider: "replay", replay: { cassette: join(folder, "tapes") } }));
    expect((await doctor(folder)).of("agents")).toMatchObject([{ status: "ok" }]);
  });

  test("the environment wins over the file", async () => {
    const env = { PATH: process.env["PATH"], HOME: scratchFolder(), SLIPWAY_AGENT_PROVIDER: "gemini" };
    expect((await doctor(await ready(), { env })).problems).toMatchObject([{ name: "agents", finding: expect.stringContaining("gemini") }]);
  });
});

describe.skipIf(!available)("disk and database", () => {
  test("a database with an intact journal", async () => {
    const folder = await withDatabase();
    const { problems, of } = await doctor(folder);
    expect(problems).toEqual([]);
    expect(of("database").map(({ finding }) => finding)).toEqual([
      expect.stringContaining("current schema"),
      expect.stringMatching(/^The journal is intact: 0 events/),
    ]);
    expect(of("disk")[0]?.finding).toContain(`${layoutAt(folder).truth} (where the records are kept)`);
  });

  test.each<[title: string, spoil: (path: string) => void, finding: RegExp]>([
    ["not a database", (path) => writeFileSync(path, Buffer.alloc(8192, "no")), /not a Slipway database/],
    ["newer than this program", (path) => sql(path, "INSERT INTO schema_version VALUES (999, 'tomorrow')"), /written by a newer Slipway/],
    [
      "an event out of order",
      (path) =>
        sql(
          path,
          "INSERT INTO events (stream, seq, kind, name, at, payload, prev, hash) VALUES ('repository', 7, 'x', 'x', 1, '{}', 'x', 'x')",
        ),
      /The journal is broken in repository/,
    ],
  ])("a database that is %s", async (_, spoil, finding) => {
    const folder = await withDatabase();
    spoil(layoutAt(folder).database);
    const { exitCode, problems } = await doctor(folder);
    expect(exitCode).toBe(3);
    expect(problems).toMatchObject([{ name: "database", finding: expect.stringMatching(finding) }]);
  });

  test("an older schema, and no journal yet", async () => {
    const folder = await withDatabase();
    const { database } = layoutAt(folder);
    rmSync(database);
    new DatabaseSync(database).close();
    expect((await doctor(folder)).of("database")).toMatchObject([
      { status: "note", finding: expect.stringMatching(/schema version 0 of \d+; the next run brings it up to date/) },
      { status: "note", finding: expect.stringContaining("the database has none yet") },
    ]);
  });

  test("a long journal is left to `slipway journal verify`", async () => {
    const folder = await withDatabase();
    sql(
      layoutAt(folder).database,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
       INSERT INTO events (stream, seq, kind, name, at, payload, prev, hash) SELECT 'repository', i, 'x', 'x', 1, '{}', 'x', 'x' FROM n`,
    );
    expect((await doctor(folder)).of("database")[1]).toMatchObject({
      status: "note",
      finding: expect.stringContaining("20001 events"),
      fix: "slipway journal verify",
    });
  });

  test("a folder of records that cannot be written", async () => {
    const folder = await ready();
    writeFileSync(layoutAt(folder).truth, "");
    const { exitCode, of } = await doctor(folder);
    expect(exitCode).toBe(3);
    expect(of("disk")[0]).toMatchObject({
      status: "problem",
      finding: expect.stringMatching(/\.git\/slipway \(where the records are kept\) cannot be written: /),
      fix: expect.stringContaining("may write"),
    });
    expect(of("disk")[1]?.status).toBe("ok");
  });

  test("B28: a state folder that is a link", async () => {
    const folder = await ready();
    symlinkSync(scratchFolder(), layoutAt(folder).state);
    const { exitCode, of } = await doctor(folder);
    expect(exitCode).toBe(3);
    expect(of("disk")[1]).toMatchObject({ status: "problem", finding: expect.stringContaining("is a symbolic link, and is not followed") });
  });

  test("a file where the state folder should be", async () => {
    const folder = await ready();
    writeFileSync(join(folder, ".slipway"), "");
    expect((await doctor(folder)).of("disk")[1]).toMatchObject({
      status: "problem",
      finding: expect.stringContaining("a component of its path is not a folder"),
    });
  });

  test("a state folder that you may not write", async ({ skip }) => {
    skip(process.getuid?.() === 0, "root may write everywhere");
    const folder = await ready();
    mkdirSync(join(folder, ".slipway"), { mode: 0o555 });
    expect((await doctor(folder)).of("disk")[1]).toMatchObject({
      status: "problem",
      finding: expect.stringContaining("you have no permission to read or write it"),
    });
    chmodSync(join(folder, ".slipway"), 0o755);
  });
});

describe.skipIf(!available)("approval key", () => {
  test("a key that only its owner can read", async () => {
    const folder = await ready();
    const configHome = scratchFolder();
    await openApprovalKey({ configHome, repositoryRoot: folder });
    const key = join(configHome, "slipway/keys/approval.pem");
    expect((await doctor(folder, withConfigHome(configHome))).of("approval key")).toMatchObject([
      { status: "ok", finding: expect.stringContaining(`${key}, outside the repository`) },
    ]);
    chmodSync(key, 0o644);
    expect((await doctor(folder, withConfigHome(configHome))).problems).toMatchObject([
      { name: "approval key", finding: expect.stringContaining("Others may read it"), fix: `Run: chmod 600 ${key}` },
    ]);
  });

  test("below a folder that every gate can read", async () => {
    const folder = await ready();
    const policy = readFileSync(join(folder, "slipway/policy.yaml"), "utf8");
    configured(folder, { "slipway/policy.yaml": policy.replace("read_only: []", "read_only: [~/.config]") });
    const home = scratchFolder();
    mkdirSync(join(home, ".config"));
    const { problems } = await doctor(folder, { env: { PATH: process.env["PATH"], HOME: home } });
    expect(problems).toMatchObject([
      { name: "approval key", finding: expect.stringContaining("below ~/.config, which slipway/policy.yaml shows to every gate") },
    ]);
  });

  test("inside the repository, even through a link", async () => {
    const folder = await ready();
    const link = join(scratchFolder(), "link");
    symlinkSync(folder, link);
    for (const configHome of [join(folder, "config"), join(link, "config")]) {
      expect((await doctor(folder, withConfigHome(configHome))).problems).toMatchObject([
        { name: "trust", fix: expect.stringContaining("XDG_CONFIG_HOME") },
        { name: "approval key", fix: expect.stringContaining("XDG_CONFIG_HOME") },
      ]);
    }
  });
});

function bare(): string {
  const folder = scratchFolder();
  git(folder, "init", "-q", "--bare");
  return folder;
}

function sql(path: string, statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}
