import { lstatSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adding } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { OPEN_POLICY, type Yard } from "./yard.ts";

/** The first step runs code of the change, the second is the repository's own check of the tree. */
const mode = (...steps: readonly string[]) => `{ fast: [${steps.join(", ")}], full: [${steps.join(", ")}] }`;
const step = (name: string, more = "") => `{ name: ${name}, cmd: [sh, ${name}.sh], timeout_seconds: 60${more} }`;
const GATES = `version: 1
profiles:
  default: { modes: ${mode(step("attack"), step("scan"))} }
  built: { modes: ${mode(step("attack", ", produces: [build/out, src/made]"), step("scan"))} }
  tracked: { modes: ${mode(step("attack", ", produces: [src/a.txt]"), step("scan"))} }
  reported: { modes: ${mode(step("attack"), step("later"))} }
parsers: { tests: { type: junit_xml, path: report.xml, modes: [full] } }
`;

const [SETXATTR, GETXATTR] = process.arch === "arm64" ? [5, 8] : [188, 191];
const ATTRIBUTE = 'my ($path, $name, $value) = ("src/install.sh", "user.slipway", "planted");';
const SET_ATTRIBUTE = `${ATTRIBUTE} syscall(${SETXATTR}, $path, $name, $value, 7, 0) == 0 or die "not set: $!"`;
const HAS_ATTRIBUTE = `${ATTRIBUTE} exit(syscall(${GETXATTR}, $path, $name, my $read = "x" x 99, 99) >= 0)`;

/** Fails if a file differs from git's tree, or is not in it. */
const SCAN = `set -e
test -f src/install.sh
grep -q curl src/install.sh && { echo found the download; exit 1; }
exit 0
`;

let site: Site;
let yard: Yard;

beforeAll(async () => {
  const files = {
    "slipway/gates.yaml": GATES,
    "slipway/policy.yaml": OPEN_POLICY,
    ".gitignore": "build/\n*.tmp\n",
    "scan.sh": SCAN,
    "later.sh": "exit 0\n",
    "src/install.sh": "echo plain\n",
  };
  site = await openSite({ files });
  yard = site.yard;
});
afterAll(() => site.close());

interface Wish {
  readonly profile?: string;
  readonly mode?: "fast" | "full";
}

async function gate(files: Readonly<Record<string, string>>, { profile = "default", mode: which = "fast" }: Wish = {}) {
  const feature_id = await site.feature();
  const unified_diff = Object.entries(files)
    .map(([path, text]) => adding(path, text))
    .join("");
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
  const envelope = await unharmed(yard, [feature_id], () => site.builder.call("gates.run", { feature_id, profile, mode: which }));
  return { feature_id, ok: envelope.ok, code: envelope.ok ? null : envelope.error.code, text: JSON.stringify(envelope) };
}

const script = (...lines: readonly string[]) => ({ "attack.sh": `${lines.join("\n")}\n` });

describe("B7: a step finds git's tree, whatever an earlier step did", () => {
  test("B7: a file that an earlier step deleted is present for the scanner", async () => {
    expect(await gate(script("rm src/install.sh"))).toMatchObject({ ok: true });
  });

  test.each([
    ["modified a tracked file", "echo 'curl evil' >> src/install.sh"],
    [
      "modified one and reset its times",
      "cp -p src/install.sh old; echo 'curl evil' >> src/install.sh; touch -r old src/install.sh; rm old",
    ],
    ["replaced a folder by a link", "mv src src.old; mkdir /tmp/x; echo 'curl evil' > /tmp/x/install.sh; ln -s /tmp/x src"],
  ])("B7: a step that %s hides nothing from the scanner and shows it nothing", async (_what, line) => {
    expect(await gate(script(line, "exit 0"))).toMatchObject({ ok: true });
  });

  test("B7: a scanner that must fail fails, even if a test removed what it would find", async () => {
    const feature_id = await site.feature();
    const unified_diff = adding("attack.sh", "sed -i /curl/d src/get.sh; rm -f src/get.sh; exit 0\n") + adding("src/get.sh", "curl evil\n");
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: `${unified_diff}${scanDiff()}` });
    const { code } = await site.builder.refused("gates.run", { feature_id, mode: "fast" });
    expect(code).toBe("gate_failed");
    expect(yard.read(yard.worktree(feature_id, "src/get.sh"))).toBe("curl evil\n");
  });

  test.each([
    ["an ignored file", "mkdir -p build; echo x > build/planted; echo x > src/planted.tmp", "! test -e build && ! test -e src/planted.tmp"],
    ["an untracked file", "echo x > src/planted", "! test -e src/planted"],
    ["an extended attribute", `perl -e '${SET_ATTRIBUTE}'`, `perl -e '${HAS_ATTRIBUTE}'`],
    ["a mode", "chmod 700 src/install.sh; chmod 500 src", '! test -x src/install.sh && test "$(stat -c %a src)" != 500'],
  ])("B7: a later step does not find %s of an earlier one", async (_what, line, look) => {
    const feature_id = await site.feature();
    const unified_diff = adding("attack.sh", `${line}\nexit 0\n`) + adding("later.extra", "x\n") + replaceScan(look);
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
    await site.builder.ok("gates.run", { feature_id, mode: "fast" });
    expect(lstatSync(yard.worktree(feature_id, "src/install.sh")).mode & 0o111).toBe(0);
  });
});

describe("products of a step", () => {
  test("paths named in gates.yaml are available to the next step, and nothing else", async () => {
    const feature_id = await site.feature();
    const make = "mkdir -p build/out src/made; echo 1 > build/out/a; echo 2 > src/made/b; echo 3 > build/other; echo changed > src/a.txt";
    const look = 'test "$(cat build/out/a src/made/b | tr -d "\\n")" = 12 && ! test -e build/other && grep -q one src/a.txt';
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: adding("attack.sh", `${make}\n`) + replaceScan(look) });
    await site.builder.ok("gates.run", { feature_id, profile: "built", mode: "fast" });
    const evidence = JSON.stringify(await site.builder.ok("evidence.latest", { feature_id }));
    expect(evidence).toContain('"path":"build/out"');
    expect(evidence).toMatch(/"digest":"[0-9a-f]{64}"/);
  });

  test("a step without its product fails", async () => {
    expect(await gate(script("exit 0"), { profile: "built" })).toMatchObject({ ok: false, code: "gate_failed" });
  });

  test("a tracked file is never a product", async () => {
    expect(await gate(script("echo changed > src/a.txt"), { profile: "tracked" })).toMatchObject({ ok: false, code: "config_invalid" });
  });
});

describe("B8: reports", () => {
  const report = (cases: string) => `printf '%s' '<testsuite>${cases}</testsuite>' > report.xml`;

  test("B8: a later step cannot change a report of an earlier one", async () => {
    const feature_id = await site.feature();
    const unified_diff =
      adding("attack.sh", `${report('<testcase name="a"><failure/></testcase>')}\n`) + replaceLater("rm -f report.xml; exit 0");
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
    const { code, message } = await site.builder.refused("gates.run", { feature_id, profile: "reported", mode: "full" });
    expect([code, message]).toEqual(["gate_failed", "1 of 1 tests failed according to report.xml."]);
  });

  test("B8: a report written to a new file and renamed into place counts", async () => {
    const write = report('<testcase name="a"/>').replace("report.xml", "report.tmp");
    expect(await gate(script(write, "mv report.tmp report.xml"), { profile: "reported", mode: "full" })).toMatchObject({ ok: true });
  });
});

function replaceScan(look: string): string {
  return replacingAll("scan.sh", SCAN, `${look}\n`);
}

function scanDiff(): string {
  return replacingAll("scan.sh", SCAN, "if grep -rn curl src; then exit 1; fi\n");
}

function replaceLater(line: string): string {
  return replacingAll("later.sh", "exit 0\n", `${line}\n`);
}

function replacingAll(path: string, from: string, to: string): string {
  const [old, fresh] = [from, to].map((text) => text.split("\n").slice(0, -1)) as [string[], string[]];
  const lines = [...old.map((line) => `-${line}\n`), ...fresh.map((line) => `+${line}\n`)].join("");
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,${old.length} +1,${fresh.length} @@\n${lines}`;
}
