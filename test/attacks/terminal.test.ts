import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "slipway/testing/program";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atTerminal, canOpenTerminal } from "./at-terminal.ts";
import { runUntilApproval, slipway } from "./cli.ts";
import { adding, addingBinary, replacing } from "./patches.ts";
import { makeYard, type Yard } from "./yard.ts";

/** Erases the line above, fills the clipboard, colours, reverses the direction of text, hides. */
const HOSTILE = "steal();\u001b[2K\u001b[1A\u001b]52;c;aGFja2Vk\u0007\u009b31m\u001b[32m ok\r\b\u202e\u2066\u200b\u{e0041}\u3164";
const SHOWN =
  "steal();<U+001B>[2K<U+001B>[1A<U+001B>]52;c;aGFja2Vk<U+0007><U+009B>31m<U+001B>[32m ok<U+000D><U+0008><U+202E><U+2066><U+200B><U+E0041><U+3164>";
const NAME = "src/größe 日本.txt";

let yard: Yard;
beforeAll(async () => {
  yard = await makeYard();
  const files = { create: [NAME, "src/latin.txt"], modify: ["src/a.txt"], delete: [] };
  await runUntilApproval(yard, {
    plan: { files, summary: `letters ${HOSTILE}` },
    diff:
      replacing("src/a.txt", "one", HOSTILE) +
      adding(NAME.replaceAll(/[^ -~]/g, octal), `${HOSTILE}\n`) +
      addingBinary("src/latin.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])),
    lines: { "src/a.txt": 1, [NAME]: 1, "src/latin.txt": 1 },
  });
});
afterAll(() => yard.remove());

function octal(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8)}`).join("");
}

/** Slipway's own colours, and characters that are invisible or interpreted. */
// oxlint-disable-next-line no-control-regex
const STYLES = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;
const UNSEEN = /[[\p{C}\p{Z}\p{DI}]--[ \t\n]]/v;

if (!canOpenTerminal) console.log("skipped: there is no `script` to open a pseudo-terminal with");

describe.skipIf(!canOpenTerminal)("B10: on a terminal no control character is interpreted and nothing is hidden", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["the diff", ["diff", "letters"], [`+${SHOWN}\n`, `+++ b/${NAME}`, "+caf<0xE9>\n"]],
    ["the diff's summary", ["diff", "letters", "--stat"], [` ${NAME} `]],
    ["the names of the files", ["diff", "letters", "--name-only"], [`\n${NAME}\n`]],
    ["the question", ["inbox"], [`letters ${SHOWN}`, NAME]],
    ["the question as JSON", ["inbox", "--json"], [String.raw`\u001b[2K`, String.raw`\u202e`]],
    ["the status", ["status"], ["letters"]],
    ["the evidence", ["evidence", "letters"], ["letters"]],
    ["the journal", ["journal", "show"], ["feature.init"]],
    ["a transcript", ["transcript", "RUN", "builder:1", "--full"], [String.raw`\u001b[2K`]],
    ["an unknown command", [HOSTILE], [`There is no command '${SHOWN}'`]],
    ["an unknown option", ["status", `--${HOSTILE}`], ["<U+001B>[2K"]],
    ["an unknown feature", ["diff", HOSTILE], ["<U+001B>[2K"]],
    ["an invalid answer", ["answer", "Q1", HOSTILE], ["<U+001B>[2K"]],
  ])("%s", async (_what, argv, expected) => {
    const [run = ""] = readdirSync(join(yard.root, ".slipway", "runs"));
    const shown = await atTerminal(
      yard,
      argv.map((word) => word.replace("RUN", run)),
    );
    for (const text of expected) expect(shown).toContain(text);
    expect(UNSEEN.exec(shown.replaceAll(STYLES, "")), JSON.stringify(shown)).toBeNull();
  });

  test("the change to sign, and the prompt that asks for it", async () => {
    const shown = await atTerminal(yard, ["approve", "letters"], { after: "Sign tree", press: "n" });
    expect(shown).toContain(`letters ${SHOWN}`);
    expect(shown).toContain(NAME);
    // The prompt itself moves the cursor; the shown text does not.
    expect(shown).not.toContain("\u001b]");
    expect(shown).not.toMatch(/[\u009b\u202e\u2066\u200b\u3164\u{e0041}]/u);
  });
});

test("a piped diff is a patch: exactly the bytes that git apply accepts", async () => {
  const { stdout, status } = spawnSync(process.execPath, [...PROGRAM, "diff", "letters"], { cwd: yard.root, env: { ...yard.env } });
  expect(status).toBe(0);
  const clone = join(yard.home, "clone");
  execFileSync("git", ["clone", "--quiet", "--branch", "main", yard.root, clone]);
  writeFileSync(join(yard.home, "x.patch"), stdout);
  execFileSync("git", ["apply", "--index", "--whitespace=nowarn", join(yard.home, "x.patch")], { cwd: clone });
  const tree = execFileSync("git", ["write-tree"], { cwd: clone, encoding: "utf8" }).trim();
  expect((await slipway(yard, ["diff", "letters", "--stat"])).stderr).toContain(`tree ${tree}`);
});
