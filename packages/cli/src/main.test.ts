import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { COMMANDS } from "./commands.ts";
import { scratchFolder } from "./init/testing/scratch.ts";
import { letters, slipway } from "./testing/project.ts";
import { VERSION } from "./version.ts";
import packageJson from "../package.json" with { type: "json" };

vi.mock("./commands/status.ts", { spy: true });

describe("help", () => {
  test("the overview names every command, the exit codes and where to start", async () => {
    for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
      const { code, stdout, stderr } = await slipway(argv, "/");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const { name, summary } of COMMANDS) expect(stdout).toContain(`  ${name.padEnd(10)} ${summary}`);
      expect(stdout).toContain("0 done, 1 bug, 2 usage, 3 ended in failure, 23 a person is needed");
      expect(stdout).toContain("slipway demo");
    }
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    "%s --help has its usage, options and an example",
    async (name, command) => {
      const { code, stdout } = await slipway([name, "--help"], "/");
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: slipway ${name}`);
      expect(stdout).toContain(`Example: ${command.example}`);
      for (const option of [...Object.keys(command.options), "json", "verbose"]) expect(stdout).toContain(`--${option}`);
      for (const positional of command.positionals) expect(stdout).toContain(positional.describe);
      expect(command.example).toMatch(new RegExp(`^slipway ${name}\\b`));
      expect(await slipway(["help", name], "/")).toMatchObject({ code: 0, stdout });
    },
  );

  test("required, optional and repeated arguments are marked", async () => {
    expect((await slipway(["answer", "-h"], "/")).stdout).toContain("slipway answer <question> [answer]");
    expect((await slipway(["run", "-h"], "/")).stdout).toContain("slipway run [spec…]");
  });
});

test("--version is the package's, as text and as JSON", async () => {
  expect(VERSION).toBe(packageJson.version);
  expect((await slipway(["--version"], "/")).stdout).toBe(`${VERSION}\n`);
  expect((await slipway(["-v", "--json"], "/")).json()).toEqual([{ version: VERSION }]);
});

describe("mistakes", () => {
  test.each([
    [["nonsense"], "There is no command 'nonsense'."],
    [["statsu"], "There is no command 'statsu'; did you mean 'status'?"],
    [["help", "nonsense"], "There is no command 'nonsense'."],
    [["status", "--nope"], "slipway status: Unknown option '--nope'."],
    [["locks", "extra"], "slipway locks: unexpected argument 'extra'."],
    [["locks", "--", "-fi"], "slipway locks: unexpected argument '-fi'."],
    [["answer"], "slipway answer: missing argument <question>: number or id from `slipway inbox`."],
    [["journal"], "slipway journal: missing argument <action>: show, verify or prune."],
    [["demo", "--keep"], "slipway demo: Option '--keep <value>' argument missing."],
    [["status", "--json=1"], "slipway status: Option '--json' does not take an argument."],
  ])("%j is invalid_cli_args, exit 2, with the next command to type", async (argv, message) => {
    const { code, stdout, stderr } = await slipway(argv, "/");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^invalid_cli_args: .*\n {2}next: Run `slipway .*--help`.*\n$/);
    expect(stderr).toContain(message);
  });

  test("with --json the error is one object on standard output, with file, field and next actions", async () => {
    const project = letters({ "slipway/gates.yaml": "version: 1\n" });
    const { code, stderr, json } = await project.run("--json");
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(json()).toEqual([
      {
        ok: false,
        error: {
          code: "config_invalid",
          message: expect.stringContaining("slipway/gates.yaml"),
          details: expect.objectContaining({
            file: "slipway/gates.yaml",
            field: "/profiles",
            suggested_next_actions: [expect.any(String)],
          }),
        },
      },
    ]);
  });

  test("a stack is only shown with --verbose", async () => {
    const folder = scratchFolder();
    expect((await slipway(["status"], folder)).stderr).not.toMatch(/^\s+at /m);
    expect((await slipway(["status", "--verbose"], folder)).stderr).toMatch(/^not_a_repository: .*SlipwayError.*^\s+at /ms);
  });
});

describe("an error without a code", () => {
  async function failing(error: unknown, ...argv: readonly string[]) {
    const status = await import("./commands/status.ts");
    vi.mocked(status.run).mockRejectedValueOnce(error);
    return slipway(["status", ...argv], "/");
  }

  test("is a bug: exit 1, and a request to report it", async () => {
    const { code, stderr } = await failing(new TypeError("x is not a function"));
    expect(code).toBe(1);
    expect(stderr).toBe(
      "internal_error: x is not a function\n  next: This is a bug in Slipway; run again with --verbose and report what it prints.\n",
    );
    expect((await failing(new TypeError("again"), "--verbose")).stderr).toMatch(/^\s+at /m);
    expect((await failing("a string", "--verbose")).stderr).toContain("internal_error: a string\n");
    const odd = Object.assign(new Error("kill ESRCH"), { code: "ESRCH", syscall: "kill" });
    expect((await failing(odd)).code).toBe(1);
  });

  test.each([
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EACCES", "io_error"],
    ["EROFS", "io_error"],
    ["EIO", "io_error"],
  ])("except a system error that a person can fix: %s is %s and names the file", async (code, slipwayCode) => {
    const error = Object.assign(new Error(`${code}: trouble, open '/data/x'`), { code, syscall: "open", path: "/data/x" });
    const { code: exit, stderr } = await failing(error);
    expect(exit).toBe(2);
    expect(stderr).toMatch(new RegExp(`^${slipwayCode}: .*/data/x\\n {2}next: `));
  });

  test("a file in place of the state folder, and a deleted current folder", async () => {
    const project = letters();
    writeFileSync(join(project.root, ".slipway"), "mine\n");
    const { code, stderr } = await project.run();
    expect(code).toBe(2);
    expect(stderr).toContain(`path_out_of_bounds: ${join(project.root, ".slipway")} is not a folder.`);
    expect(project.read(".slipway")).toBe("mine\n");
    const gone = Object.assign(new Error("ENOENT: process.cwd failed"), { code: "ENOENT", syscall: "uv_cwd" });
    expect((await failing(gone)).stderr).toMatch(/^not_a_repository: The current folder no longer exists/);
    rmSync(join(project.root, ".slipway"));
    expect((await project.run()).code).toBe(23);
  });

  test("escape sequences in a message do not reach the screen", async () => {
    expect((await failing(new Error("a\u001b[2Jb"), "--json")).stdout).not.toContain("\u001b");
    expect((await failing(new Error("a\u001b[2Jb"))).stderr).toContain("internal_error: a<U+001B>[2Jb\n");
  });
});
