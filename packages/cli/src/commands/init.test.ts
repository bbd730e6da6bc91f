import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfiguration } from "@slipway/kernel/config/load";
import { afterEach, describe, expect, test, vi } from "vitest";
import { askPerson } from "../init/ask.ts";
import { collectingIo, commitAll, git, scratchFolder, scratchRepository, writeAll } from "../init/testing/scratch.ts";
import { main } from "../main.ts";

vi.mock("../init/ask.ts", { spy: true });
afterEach(() => vi.resetAllMocks());

const NODE = { "package.json": JSON.stringify({ scripts: { typecheck: "tsc", test: "node --test" } }), "package-lock.json": "{}" };

async function init(folder: string, ...args: readonly string[]) {
  const io = collectingIo(folder);
  const exitCode = await main(["init", ...args], io);
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

async function initJson(folder: string, ...args: readonly string[]) {
  const { exitCode, stdout } = await init(folder, "--yes", "--json", ...args);
  return { exitCode, ...(JSON.parse(stdout) as Record<string, unknown>) } as {
    exitCode: number;
    written: string[];
    kept: string[];
    gates: { name: string; cmd: string[]; modes: string[] }[];
    reasons: string[];
    next: string[];
    error?: { code: string; message: string };
  };
}

function configurationIn(folder: string) {
  return loadConfiguration(async (path) => readFileSync(join(folder, path)));
}

describe("slipway init", () => {
  test("prints what was written, why, and the next commands", async () => {
    const { exitCode, stdout } = await init(scratchRepository(NODE), "--yes");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Found: Node.js.");
    expect(stdout).toContain("  typecheck: npm run typecheck [fast, full]\n  test: npm test [full]\n");
    expect(stdout).toContain('typecheck: package.json has the script "typecheck", run with npm because there is a package-lock.json.');
    expect(stdout).toContain("Written:\n  slipway/gates.yaml\n  slipway/policy.yaml\n  slipway/agents.yaml\n");
    expect(stdout).toContain(
      'Next:\n  git add slipway && git commit -m "Add Slipway configuration"\n  slipway doctor\n  slipway run spec.md\n\n`slipway run` reads the configuration from the last commit of main, not from your working tree: commit first.\n',
    );
  });

  test("--json prints one object", async () => {
    const result = await initJson(scratchRepository(NODE));
    expect(result).toMatchObject({
      exitCode: 0,
      written: ["slipway/gates.yaml", "slipway/policy.yaml", "slipway/agents.yaml"],
      gates: [
        { name: "typecheck", cmd: ["npm", "run", "typecheck"], modes: ["fast", "full"] },
        { name: "test", cmd: ["npm", "test"], modes: ["full"] },
      ],
      next: ['git add slipway && git commit -m "Add Slipway configuration"', "slipway doctor", "slipway run spec.md"],
    });
    expect(result.reasons).toContain("base branch: main is what features start from and merge to.");
  });

  test.each<[title: string, files: Record<string, string>, full: string[]]>([
    ["Node", NODE, ["npm run typecheck", "npm test"]],
    ["Python", { "pytest.ini": "" }, ["python3 -m pytest -q -p no:cacheprovider"]],
    [
      "Rust",
      { "Cargo.toml": "", "Cargo.lock": "" },
      ["cargo check --all-targets --workspace --offline --locked", "cargo test --workspace --offline --locked"],
    ],
    ["Go", { "go.mod": "module a" }, ["go vet ./...", "go test ./..."]],
    ["Java", { "pom.xml": "", mvnw: "#!/bin/sh" }, ["./mvnw --offline --batch-mode test-compile", "./mvnw --offline --batch-mode test"]],
    ["a folder with an awkward name", { 'we"ird: #x/go.mod': "" }, ["go vet ./...", "go test ./..."]],
  ])("%s: the written files pass the kernel's own schemas", async (_, files, full) => {
    const folder = scratchRepository(files);
    expect((await initJson(folder)).exitCode).toBe(0);
    const { gates, policy, agents } = await configurationIn(folder);
    expect(gates.profiles["default"]?.modes.full.map(({ cmd }) => cmd.join(" "))).toEqual(full);
    expect(policy.worktree.base_branch).toBe("main");
    expect(agents).toMatchObject({ roles: {}, missing_prompt_behavior: "ignore" });
  });

  test("toolchains below the home folder are mounted, and their paths are set: a gate's own HOME is empty", async () => {
    const folder = scratchRepository({ "Cargo.toml": "" });
    const home = scratchFolder();
    writeAll(home, { ".rustup/settings.toml": "", ".cargo/bin/readme": "", ".cargo/credentials.toml": "secret" });
    const io = collectingIo(folder, { env: { PATH: "/usr/bin:/bin", HOME: home } });
    expect(await main(["init", "--yes"], io)).toBe(0);
    const { gates, policy } = await configurationIn(folder);
    expect(policy.sandbox.read_only).toEqual(["~/.cargo/bin", "~/.rustup"]);
    expect(gates.profiles["default"]?.modes.fast[0]?.env).toEqual({ RUSTUP_HOME: join(home, ".rustup") });
  });

  test("the current branch is the base; the files go to the root, from any folder", async () => {
    const folder = scratchRepository({ ...NODE, "src/a.ts": "" });
    git(folder, "switch", "-q", "-c", "feature/x");
    expect((await initJson(join(folder, "src"))).exitCode).toBe(0);
    expect((await configurationIn(folder)).policy.worktree.base_branch).toBe("feature/x");
  });

  test("untracked files count, ignored and deleted ones do not", async () => {
    const folder = scratchRepository({ ".gitignore": "web/\n", "web/package.json": "", "go.mod": "" });
    writeAll(folder, NODE);
    git(folder, "rm", "-q", "--cached", "go.mod");
    rmSync(join(folder, "go.mod"));
    expect((await initJson(folder)).gates.map(({ name }) => name)).toEqual(["typecheck", "test"]);
  });

  test("a repository without a commit", async () => {
    const folder = scratchRepository({});
    writeAll(folder, NODE);
    expect((await initJson(folder)).exitCode).toBe(0);
    expect((await configurationIn(folder)).policy.worktree.base_branch).toBe("main");
  });

  test("no project recognised: an error, and no file", async () => {
    const folder = scratchRepository({ "README.md": "" });
    const { exitCode, stderr } = await init(folder, "--yes");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^config_missing: No project was recognised .* a gate is never guessed\. Nothing was written\.\n {2}next: Give the test command/,
    );
    expect(existsSync(join(folder, "slipway"))).toBe(false);
  });

  test("--test replaces the detected test command", async () => {
    const folder = scratchRepository({ Makefile: "test:\n\ttrue\n" });
    expect((await initJson(folder, "--test", "make test")).gates).toEqual([
      { name: "test", cmd: ["make", "test"], modes: ["fast", "full"] },
    ]);
    const node = scratchRepository(NODE);
    expect((await initJson(node, "--test", "make 'all tests'")).gates.map(({ cmd }) => cmd)).toEqual([
      ["npm", "run", "typecheck"],
      ["make", "all tests"],
    ]);
    expect(await initJson(scratchRepository(NODE), "--test", "make && true")).toMatchObject({
      exitCode: 2,
      error: { code: "invalid_cli_args" },
    });
  });

  test("a broken package.json is named, and nothing is written", async () => {
    const folder = scratchRepository({ "package.json": "{" });
    const { exitCode, stderr } = await init(folder, "--yes");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^config_invalid: package\.json cannot be understood .*\n {2}next: Correct package\.json/);
    expect(existsSync(join(folder, "slipway"))).toBe(false);
  });

  test("existing files are refused; with --force they are kept beside the new ones", async () => {
    const folder = scratchRepository({ ...NODE, "slipway/policy.yaml": "mine" });
    expect(await initJson(folder)).toMatchObject({
      exitCode: 2,
      error: { code: "invalid_cli_args", message: "slipway/policy.yaml exists already. Nothing was written." },
    });
    expect(readdirSync(join(folder, "slipway"))).toEqual(["policy.yaml"]);

    const forced = await initJson(folder, "--force");
    expect(forced).toMatchObject({ exitCode: 0, kept: ["slipway/policy.yaml.bak"] });
    expect(forced.next[0]).toBe(
      'git add slipway/gates.yaml slipway/policy.yaml slipway/agents.yaml && git commit -m "Add Slipway configuration"',
    );
    expect(readFileSync(join(folder, "slipway/policy.yaml.bak"), "utf8")).toBe("mine");

    const again = await init(folder, "--yes", "--force");
    expect(again.stdout).toContain("slipway/policy.yaml.2.bak (the former file)");
    expect(readFileSync(join(folder, "slipway/policy.yaml.bak"), "utf8")).toBe("mine");
  });

  test("a file where the folder should be", async () => {
    const folder = scratchRepository(NODE);
    writeFileSync(join(folder, "slipway"), "");
    expect(await initJson(folder)).toMatchObject({
      exitCode: 2,
      error: { code: "io_error", message: expect.stringContaining("The folder slipway cannot be created") },
    });
  });

  test("no terminal and no --yes", async () => {
    const folder = scratchRepository(NODE);
    const { exitCode, stderr } = await init(folder);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "invalid_cli_args: slipway init asks questions, and without a terminal (or with --json) it cannot ask.\n  next: Take the defaults: `slipway init --yes`.\n",
    );
    expect(await main(["init", "--json"], collectingIo(folder, { interactive: true }))).toBe(2);
    expect(existsSync(join(folder, "slipway"))).toBe(false);
  });

  test("on a terminal the person's choices are used", async () => {
    const folder = scratchRepository(NODE);
    git(folder, "branch", "develop");
    vi.mocked(askPerson).mockImplementation(async ({ proposal, branch, branches }) => {
      expect({ branch, branches }).toEqual({ branch: "main", branches: ["develop", "main"] });
      return { proposal: { ...proposal, gates: proposal.gates.slice(1) }, baseBranch: "develop" };
    });
    const io = collectingIo(folder, { interactive: true });
    expect(await main(["init"], io)).toBe(0);
    const { gates, policy } = await configurationIn(folder);
    expect(gates.profiles["default"]?.modes.full.map(({ name }) => name)).toEqual(["test"]);
    expect(policy.worktree.base_branch).toBe("develop");
  });

  test("a detached head without a terminal", async () => {
    const folder = scratchRepository(NODE);
    git(folder, "switch", "-q", "--detach");
    const { exitCode, stderr } = await init(folder, "--yes");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^repository_unsuitable: No branch is checked out \(detached HEAD\).*\n {2}next: .*`git switch main`/);
    expect(existsSync(join(folder, "slipway"))).toBe(false);
  });

  test("outside a repository, and in a bare one", async () => {
    expect(await initJson(scratchFolder())).toMatchObject({ exitCode: 2, error: { code: "not_a_repository" } });
    const bare = scratchFolder();
    git(bare, "init", "-q", "--bare");
    expect(await initJson(bare)).toMatchObject({ exitCode: 2, error: { code: "repository_unsuitable" } });
  });

  test("links are not followed: their targets are not in a fresh checkout", async () => {
    const folder = scratchRepository({ "README.md": "" });
    const elsewhere = scratchFolder();
    writeAll(elsewhere, NODE);
    symlinkSync(join(elsewhere, "package.json"), join(folder, "package.json"));
    commitAll(folder);
    expect((await initJson(folder)).error?.code).toBe("config_missing");
  });
});
