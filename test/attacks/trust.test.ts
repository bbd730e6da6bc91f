import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { slipway as started, type Ended } from "../bad-input/place.ts";
import { atTerminal, canOpenTerminal } from "./at-terminal.ts";
import { runUntilApproval } from "./cli.ts";
import { connect } from "./server.ts";
import { makeYard, type Yard } from "./yard.ts";

/** Says that it ran, outside a sandbox. */
const EVIL = '#!/bin/sh\ntouch "$HOME/evil-ran"\necho "1.0.0 (Claude Code)"\n';

const AGENTS = `version: 1
roles: {}
runtime:
  default_provider: custom
  claude: { command: [./evil.sh] }
  codex: { command: [./evil.sh] }
  custom: { command: [./evil.sh] }
`;

const yards: Yard[] = [];
afterAll(() => yards.forEach(({ remove }) => remove()));

/** A repository as it was cloned from a stranger: nobody has trusted its configuration. */
async function strangers(files: Readonly<Record<string, string>> = {}): Promise<Yard> {
  const yard = await makeYard({ files: { "slipway/agents.yaml": AGENTS, ...files }, trusted: false });
  yards.push(yard);
  yard.write("evil.sh", EVIL, 0o755);
  return yard;
}

/** A person without a terminal, who is not asked. */
const slipway = (yard: Yard, ...argv: readonly string[]): Promise<Ended> => started(yard, argv, { trusted: false });

const ran = ({ home }: Yard) => existsSync(join(home, "evil-ran"));

function expectNotTrusted({ code, stdout, stderr }: Ended, yard: Yard): void {
  expect(stderr, stdout).toMatch(/^configuration_not_trusted: [^]*\n {2}next: Run `slipway trust`/);
  expect(code).toBe(23);
  expect(ran(yard), "a program of the repository").toBe(false);
}

function commit(yard: Yard, path: string, text: string): void {
  yard.write(path, text);
  yard.git("commit", "--quiet", `--message=${path}`, "--", path);
}

describe("what a repository's configuration names is not started before a person has trusted it", () => {
  test("B12: every command that begins work refuses and says how to trust it", { timeout: 300_000 }, async () => {
    const yard = await strangers();
    const words = "the first letter says two";
    for (const argv of [
      ["agents"],
      ["run", "letters.spec.md"],
      ["gates", "fast"],
      ["mcp"],
      ["factory", "letters.spec.md"],
      ["criticality", words],
      ["forge", words],
      ["crew", words],
    ])
      expectNotTrusted(await slipway(yard, ...argv), yard);
    // Nothing was recorded either.
    expect(existsSync(join(yard.root, ".git/slipway/slipway.db"))).toBe(false);
  });

  test("B12: every command that continues a run refuses a configuration that changed since", { timeout: 300_000 }, async () => {
    const yard = await makeYard();
    yards.push(yard);
    await runUntilApproval(yard);
    yard.write("evil.sh", EVIL, 0o755);
    commit(yard, "slipway/agents.yaml", AGENTS);
    for (const argv of [["resume"], ["merge", "letters"], ["retry", "letters"]]) expectNotTrusted(await slipway(yard, ...argv), yard);
    expect(yard.git("show", "main:src/a.txt")).toBe("one\n");
  });

  test("B12: doctor reports it and starts nothing", async () => {
    const yard = await strangers();
    const { code, stdout } = await slipway(yard, "doctor");
    expect(stdout).toMatch(/problem +trust +You have not trusted this configuration/);
    expect(stdout).toMatch(/base gates +Not tried, because of the problem with trust above/);
    expect(code).toBe(3);
    expect(ran(yard)).toBe(false);
  });

  test("B12: commands that only read need no trust", async () => {
    const yard = await makeYard({ files: { "slipway/agents.yaml": AGENTS }, trusted: false });
    yards.push(yard);
    yard.write("evil.sh", EVIL, 0o755);
    await (await connectTrusted(yard)).close();
    expect((await slipway(yard, "trust", "--remove")).stdout).toMatch(/No configuration/);
    for (const argv of [["status"], ["inbox"], ["locks"], ["collisions"], ["journal", "verify"]]) {
      const { code, stderr } = await slipway(yard, ...argv);
      expect(code, `${argv.join(" ")}: ${stderr}`).toBe(0);
    }
    expect(ran(yard)).toBe(false);
  });

  test("B12: a client of the MCP server cannot trust it, also when it changes while the server runs", async () => {
    const yard = await strangers();
    const server = await connectTrusted(yard);
    yard.write(".slipway/features/letters/spec.md", "# Letters\n\nThe first letter file says two.\n");
    await server.ok("feature.init", { feature_id: "letters" });
    commit(yard, "slipway/agents.yaml", `${AGENTS}  gemini: { command: [./evil.sh] }\n`);
    const refusal = await server.refused("gates.run", { feature_id: "letters", profile: "default", mode: "fast" });
    expect(refusal.code).toBe("configuration_not_trusted");
    await server.close();
  });
});

async function connectTrusted(yard: Yard) {
  expect((await slipway(yard, "trust", "--yes")).code).toBe(0);
  return connect(yard, "orchestrator");
}

describe("what is trusted", () => {
  test("is shown before: every program, where it runs and what names it, with nothing that a terminal would execute", async () => {
    const yard = await strangers({
      "slipway/agents.yaml": `${AGENTS}  gemini: { command: ["./evil.sh", "\\e[2K\\nTrusted: nothing"] }\n`,
    });
    const { code, stdout } = await slipway(yard, "trust");
    expect(stdout).toMatch(
      /outside the sandbox[^]*\.\/evil\.sh {2}\(slipway\/agents\.yaml, runtime\.custom\.command, runtime\.claude\.command/,
    );
    expect(stdout).toMatch(/in the sandbox[^]*check\.sh.*slipway\/gates\.yaml/);
    expect(stdout).toContain("Files of your checkout that are started");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toMatch(/^Trusted: nothing/m);
    expect(code).toBe(23);
    expect(ran(yard)).toBe(false);
  });

  test("is one configuration: after a change the person is asked again, and sees the difference", async () => {
    const yard = await strangers({ "slipway/agents.yaml": "version: 1\nroles: {}\n" });
    expect((await slipway(yard, "trust", "--yes")).code).toBe(0);
    expect((await slipway(yard, "agents")).code).toBe(0);
    commit(yard, "slipway/agents.yaml", AGENTS);
    expectNotTrusted(await slipway(yard, "agents"), yard);
    const { stdout } = await slipway(yard, "trust");
    expect(stdout).toMatch(
      /Since you last trusted it[^]*new: \.\/evil\.sh, started outside the sandbox[^]*changed: .*slipway\/agents\.yaml/,
    );
    // The way back was trusted already.
    commit(yard, "slipway/agents.yaml", "version: 1\nroles: {}\n");
    expect((await slipway(yard, "agents")).code).toBe(0);
  });

  test("includes a script of the checkout, as it is on disk, and a file of a protocol", async () => {
    const yard = await strangers();
    yard.write("evil.sh", "#!/bin/sh\necho 1.0.0\n", 0o755);
    expect((await slipway(yard, "trust", "--yes")).code).toBe(0);
    expect((await slipway(yard, "agents")).code).toBe(0);
    yard.write("evil.sh", EVIL, 0o755);
    expectNotTrusted(await slipway(yard, "agents"), yard);
    yard.write("evil.sh", "#!/bin/sh\necho 1.0.0\n", 0o755);
    yard.write("slipway/criticality.toml", '[verifier]\ncommand = ["./prove.sh"]\nfunctions = ["src/**"]\n');
    yard.git("add", "slipway/criticality.toml");
    yard.git("commit", "--quiet", "--message=verifier");
    expectNotTrusted(await slipway(yard, "agents"), yard);
    expect((await slipway(yard, "trust")).stdout).toContain("new: ./prove.sh, started in the sandbox");
  });

  test("is the configuration of one repository, not of another one that has the same", async () => {
    const yard = await strangers();
    expect((await slipway(yard, "trust", "--yes")).code).toBe(0);
    const copy = join(yard.home, "copy");
    execFileSync("cp", ["-a", yard.root, copy]);
    expectNotTrusted(await started(yard, ["gates", "fast"], { trusted: false, cwd: copy }), yard);
  });

  test("is kept where no repository can bring it, and only as the person's own file", async () => {
    const yard = await strangers();
    expect((await slipway(yard, "trust", "--yes")).code).toBe(0);
    const folder = join(yard.home, "config/slipway/trust");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const listed = await slipway(yard, "trust", "--list", "--json");
    const [{ repository } = { repository: "" }] = JSON.parse(listed.stdout) as { repository: string }[];
    expect(repository).toBe(join(yard.root, ".git"));
    // A configuration folder inside the repository.
    renameSync(join(yard.home, "config"), join(yard.root, "config"));
    const inside = await started(yard, ["agents"], { trusted: false, env: { XDG_CONFIG_HOME: join(yard.root, "config") } });
    expect(inside).toMatchObject({ code: 23, stderr: expect.stringMatching(/^configuration_not_trusted: .*inside the repository/) });
    renameSync(join(yard.root, "config"), join(yard.home, "config"));
    const [file = ""] = execFileSync("ls", [folder], { encoding: "utf8" }).split("\n");
    const text = readFileSync(join(folder, file), "utf8");
    for (const spoil of [
      () => writeFileSync(join(folder, file), "{}"),
      () => writeFileSync(join(folder, file), text.replace(yard.root, "/x")),
    ]) {
      spoil();
      expect((await slipway(yard, "agents")).stderr).toMatch(/^configuration_not_trusted: .*changed outside Slipway/);
    }
    writeFileSync(join(folder, file), text);
    chmodSync(join(folder, file), 0o666);
    expect((await slipway(yard, "agents")).stderr).toMatch(/^configuration_not_trusted: .*Others may read it/);
  });
});

describe("who is not asked", () => {
  test("the person who ran init, until they commit anything else", async () => {
    const yard = await strangers();
    execFileSync("rm", ["-r", join(yard.root, "slipway")]);
    expect((await slipway(yard, "init", "--yes", "--test", "sh check.sh")).code).toBe(0);
    yard.git("add", "--all", "slipway");
    yard.git("commit", "--quiet", "--message=configuration");
    expect((await slipway(yard, "agents")).code).toBe(0);
    commit(yard, "slipway/gates.yaml", yard.read("slipway/gates.yaml").replace("check.sh", "evil.sh"));
    expectNotTrusted(await slipway(yard, "gates", "fast"), yard);
  });
});

if (!canOpenTerminal) console.log("skipped: there is no `script` to open a pseudo-terminal with");

test.runIf(canOpenTerminal)("on a terminal the person is asked right there, and Enter alone is no", async () => {
  const yard = await strangers();
  const asked = "Trust it, and start these programs?";
  const no = await atTerminal(yard, ["agents"], { after: "No", press: "\r" });
  expect(no).toContain(asked);
  expect(no).toContain("configuration_not_trusted: ");
  expect(ran(yard)).toBe(false);
  const yes = await atTerminal(yard, ["agents"], { after: "No", press: "y" });
  expect(yes).toContain("Providers");
  expect(ran(yard)).toBe(true);
  expect(await atTerminal(yard, ["agents"])).not.toContain(asked);
});
