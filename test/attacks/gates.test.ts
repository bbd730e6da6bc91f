import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { processesWith } from "../bad-input/place.ts";
import { adding } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { OPEN_POLICY, type Yard } from "./yard.ts";

/** Every gate runs a script of the feature itself, as an agent's test code could be. */
const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: attack, cmd: [sh, attack.sh], timeout_seconds: 90 }]
      full: [{ name: attack, cmd: [sh, attack.sh], timeout_seconds: 90 }]
  online:
    modes:
      fast: [{ name: attack, cmd: [sh, attack.sh], timeout_seconds: 90, network: true }]
      full: [{ name: attack, cmd: [sh, attack.sh], timeout_seconds: 90, network: true }]
  two:
    modes:
      fast: [{ name: attack, cmd: [sh, attack.sh] }]
      full: [{ name: attack, cmd: [sh, attack.sh] }]
      merge: [{ name: verdict, cmd: [sh, verdict.sh] }]
parsers: { tests: { type: junit_xml, path: report.xml, modes: [full] } }
`;

const POLICY = `${OPEN_POLICY}sandbox: { shared_paths: [cache] }\n`;

/** In the command lines of processes that must not outlive their gate; digits, so that `sleep` accepts it. */
const TAG = `4711${process.pid}`;

interface GateAnswer {
  readonly ok: boolean;
  readonly code: string | null;
  /** The stored output. */
  readonly log: string;
}

let site: Site;
let yard: Yard;

beforeAll(async () => {
  const files = { "slipway/gates.yaml": GATES, "slipway/policy.yaml": POLICY, ".gitignore": "cache/\nbuild/\n" };
  site = await openSite({ files, env: { HOST_CANARY: "host-only-value" } });
  yard = site.yard;
  yard.write("cache/module.js", "original\n");
  mkdirSync(join(yard.home, "sockets"));
});
afterAll(() => site.close());

/** A feature that adds `files`, and its gate. */
async function gate(files: Readonly<Record<string, string>>, { mode = "fast", profile = "default" } = {}): Promise<GateAnswer> {
  const feature_id = await site.feature();
  const unified_diff = Object.entries(files)
    .map(([path, text]) => adding(path, text))
    .join("");
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
  return unharmed(yard, [feature_id], async () => {
    const envelope = await site.builder.call("gates.run", { feature_id, profile, mode });
    const [, path = ""] = /"log_path":"([^"]+)"/.exec(JSON.stringify(await site.builder.ok("evidence.latest", { feature_id }))) ?? [];
    return { ok: envelope.ok, code: envelope.ok ? null : envelope.error.code, log: path === "" ? "" : yard.read(path) };
  });
}

const script = (...lines: readonly string[]) => ({ "attack.sh": `${lines.join("\n")}\n` });

function listenOn(address: string | number): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached"));
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(address, () => resolve(server)));
}

function connecting(target: Readonly<Record<string, unknown>>): Record<string, string> {
  const program = `const socket = require("node:net").connect(${JSON.stringify(target)});
socket.on("connect", () => { console.log("REACHED"); process.exit(9); });
socket.on("error", (error) => { console.log("refused", error.code); process.exit(0); });
`;
  return { ...script("node connect.cjs"), "connect.cjs": program };
}

test("attack 26: no variable, file or process of the host leaks into a gate", async () => {
  const look = "{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; } > seen 2>/dev/null";
  const files = [
    ".ssh/id_ed25519",
    ".npmrc",
    "config/slipway/keys/approval.pem",
    "config/slipway/keys/mcp-token.pem",
    "repository/notes.txt",
    "repository/.git/slipway/slipway.db",
    "repository/.worktrees/bystander/src/a.txt",
    "outside/canary.txt",
  ];
  for (const file of files) expect(yard.read(join(yard.home, file))).not.toBe("");
  const read = files.map((file) => `cat ${join(yard.home, file)} >> seen 2>/dev/null && echo LEAK ${file}`);
  const { ok, log } = await gate(
    script(look, ...read, "grep -a -e host-only-value -e CANARY -e PRIVATE seen && exit 9", "echo looked around; exit 0"),
  );
  expect(log).toContain("looked around");
  expect(log).not.toMatch(/LEAK|host-only-value/);
  expect(ok).toBe(true);
});

describe("attack 27: a gate cannot reach sockets of the host", () => {
  test.each(["in the home folder", "in /tmp", "of no file"])("attack 27: a socket %s", async (place) => {
    const name = `slipway-attack-${process.pid}`;
    const places: Record<string, string> = {
      "in the home folder": join(yard.home, "sockets/s"),
      "in /tmp": `/tmp/${name}`,
      "of no file": `\0${name}`,
    };
    await listenOn(places[place] ?? "");
    const { ok, log } = await gate(connecting({ path: places[place] }));
    expect(log).toContain("refused");
    expect(ok).toBe(true);
  });
});

test("attack 28: processes that a gate leaves running are dead before it is answered", async () => {
  const daemon = `setsid sh -c 'trap "" TERM HUP; while :; do : ${TAG}; sleep 0.05; done' > /dev/null 2>&1 < /dev/null &`;
  const { ok, log } = await gate(script(daemon, "sleep 0.1; echo left it running"));
  expect(processesWith(TAG)).toEqual([]);
  expect(log).toContain("left it running");
  expect(ok).toBe(true);
});

describe("attack 29: no network, unless gates.yaml declares it", () => {
  test.each([
    ["default", true, "refused ECONNREFUSED"],
    ["online", false, "REACHED"],
  ])("attack 29: the profile %s", async (profile, ok, said) => {
    const server = await listenOn(0);
    const { port } = server.address() as { port: number };
    const answer = await gate(connecting({ host: "127.0.0.1", port }), { profile });
    expect(answer.log).toContain(said);
    expect(answer.ok).toBe(ok);
  });
});

test("attack 30: an install script runs inside the sandbox, and a changed lockfile is flagged", async () => {
  const install = ["../../../../outside/planted", join(yard.outside, "planted"), ".git/hooks/pre-commit", ".git", "$HOME/.npmrc"];
  const postinstall = `sh -c 'for f in ${install.join(" ")}; do echo evil > "$f"; done; touch installed; exit 0'`;
  const manifest = JSON.stringify({ name: "x", version: "1.0.0", scripts: { postinstall } });
  const { ok, log } = await gate({
    ...script("npm install --offline --no-audit --no-fund", `test -e installed || ${postinstall}`, "echo installed what was asked"),
    "package.json": `${manifest}\n`,
  });
  expect(log).toContain("installed what was asked");
  expect(ok).toBe(true);
  const feature_id = await site.feature();
  const { flags } = await site.builder.ok<{ flags: { lockfiles: string[] } }>("repo.apply_patch", {
    feature_id,
    unified_diff: adding("package-lock.json", "{}\n"),
  });
  expect(flags.lockfiles).toEqual(["package-lock.json"]);
});

describe("attack 31: a gate that exceeds its limits", () => {
  test.each([
    ["a fork bomb", [`f() { if [ $1 -lt 10 ]; then f $(($1+1)) & f $(($1+1)) & fi; sleep 60.${TAG}; }`, "f 0"]],
    ["a flood of output", [`yes ${TAG}`]],
    ["an endless file", ["exec truncate -s 3G big"]],
  ])("attack 31: %s is ended, and nothing of it remains", { timeout: 120_000 }, async (_what, lines) => {
    expect(await gate(script(...lines))).toMatchObject({ ok: false, code: "sandbox_limit_exceeded" });
    expect(processesWith(TAG)).toEqual([]);
  });
});

test("attack 32: a shared cache can be read and not written", async () => {
  const { ok, log } = await gate(
    script("cat cache/module.js", "echo evil > cache/module.js", "echo evil > cache/new.js", "rm -rf cache", "test -e cache/module.js"),
  );
  expect(log).toContain("original");
  expect(ok).toBe(true);
});

describe("attack 33: a forged report never counts", () => {
  const FORGED = '<testsuite tests="9" failures="0"><testcase name="a"/></testsuite>\n';

  test("attack 33: a committed one that the gate did not write", async () => {
    expect(await gate({ ...script("echo no tests today"), "report.xml": FORGED }, { mode: "full" })).toMatchObject({ ok: false });
  });

  test("attack 33: a perfect one beside a command that failed", async () => {
    const answer = await gate(script(`echo '${FORGED.trim()}' > report.xml`, "exit 1"), { mode: "full" });
    expect(answer).toMatchObject({ ok: false, code: "gate_failed" });
  });

  test("attack 33: a link to a report elsewhere", async () => {
    yard.write(join(yard.outside, "report.xml"), FORGED);
    expect(await gate(script(`ln -s ${join(yard.outside, "report.xml")} report.xml`), { mode: "full" })).toMatchObject({ ok: false });
  });

  test("attack 33: totals without tests", async () => {
    const empty = '<testsuite tests="9" failures="0"></testsuite>';
    expect(await gate(script(`echo '${empty}' > report.xml`), { mode: "full" })).toMatchObject({ ok: false, code: "no_tests_ran" });
  });
});

test("attack 34: an ignored file carries nothing from one gate to the next", async () => {
  const feature_id = await site.feature();
  const unified_diff =
    adding("attack.sh", "mkdir build; echo exit 0 > build/tool.sh\n") + adding("verdict.sh", "sh build/tool.sh || exit 1\n");
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
  await site.builder.ok("gates.run", { feature_id, profile: "two", mode: "fast" });
  const { code } = await site.builder.refused("gates.run", { feature_id, profile: "two", mode: "merge" });
  expect(code).toBe("gate_failed");
});

test("attack 34: files that a gate leaves, back-dated to seem untouched, are removed before the next one runs", async () => {
  const plant = script("cp -p verdict.sh old", "printf 'exit 0\\n' > verdict.sh", "touch -r old verdict.sh", "rm old");
  const feature_id = await site.feature();
  await site.builder.ok("repo.apply_patch", {
    feature_id,
    unified_diff: adding("attack.sh", plant["attack.sh"]) + adding("verdict.sh", "exit 1\n"),
  });
  await unharmed(yard, [feature_id], async () => {
    await site.builder.ok("gates.run", { feature_id, profile: "two", mode: "fast" });
    const { code } = await site.builder.refused("gates.run", { feature_id, profile: "two", mode: "merge" });
    expect(code).toBe("gate_failed");
  });
  expect(yard.read(yard.worktree(feature_id, "verdict.sh"))).toBe("exit 1\n");
});
