import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILES, letters } from "slipway/testing/project";
import { describe, expect, test } from "vitest";
import { belongings, expectRefused, inHere, run, runHere, slipway } from "./place.ts";

describe("the specification", () => {
  test("missing, a folder, empty, 10 MB, not UTF-8, with a NUL: each is named, and nothing is written", async () => {
    const project = letters();
    mkdirSync(join(project.root, "folder.md"));
    const files: Record<string, Buffer> = {
      "empty.md": Buffer.alloc(0),
      "blank.md": Buffer.from(" \n\t\n"),
      "large.md": Buffer.alloc(10 * 1024 * 1024, "x\n"),
      "latin.md": Buffer.from([0x23, 0x20, 0xe4, 0xf6, 0xfc, 0x0a]),
      "nul.md": Buffer.from("# a\0b\n"),
    };
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(project.root, name), bytes);
    const before = belongings(project.root);
    expectRefused(await slipway(project, ["run", "missing.md"]), { code: "input_path_not_found", names: ["missing.md"] });
    expectRefused(await inHere(project, ["run", "folder.md"]), { code: "no_specs_found", names: ["folder.md"] });
    const why: [string, string][] = [
      ["empty.md", "is empty"],
      ["blank.md", "is empty"],
      ["large.md", "10485760 bytes"],
      ["latin.md", "UTF-8"],
      ["nul.md", "UTF-8"],
    ];
    for (const [name, reason] of why) {
      expectRefused(await inHere(project, ["run", name, "--cassette", project.cassette]), {
        code: "spec_ingest_failed",
        names: [name, reason],
      });
    }
    expect(belongings(project.root)).toEqual(before);
    expect(existsSync(join(project.root, ".slipway"))).toBe(false);
    expect((await runHere(project)).code).toBe(23);
  });
});

describe("the configuration", () => {
  test("not committed, or missing", async () => {
    const project = letters();
    project.git("rm", "-r", "--quiet", "--cached", "slipway");
    project.git("commit", "--quiet", "--message=without");
    const before = belongings(project.root);
    expectRefused(await run(project), { code: "config_missing", names: ["slipway/", "not committed", "git add slipway && git commit"] });
    expect(belongings(project.root)).toEqual(before);
    project.git("add", "slipway");
    project.git("commit", "--quiet", "--message=with");
    expect((await runHere(project)).code).toBe(23);
    const none = letters();
    none.git("rm", "-r", "--quiet", "slipway");
    none.git("commit", "--quiet", "--message=none");
    expectRefused(await runHere(none), { code: "config_missing", names: ["slipway/policy.yaml and slipway/gates.yaml", "slipway init"] });
  });

  const gates = FILES["slipway/gates.yaml"] ?? "";
  const policy = FILES["slipway/policy.yaml"] ?? "";
  const nine = (name: string) => `[${Array.from({ length: 9 }, () => name).join(", ")}]`;
  const bomb = `a: &a ${nine("x")}\n${["b", "c", "d", "e", "f", "g", "h", "i"].map((name, index) => `${name}: &${name} ${nine(`*${"abcdefgh"[index]}`)}`).join("\n")}\n`;

  test.each([
    ["an unknown field", "slipway/gates.yaml", `${gates}tresholds: {}\n`, ["line 7", "/tresholds", 'did you mean "thresholds"']],
    ["an unknown field", "slipway/policy.yaml", `${policy}comit_policy: {}\n`, ["/comit_policy", 'did you mean "commit_policy"']],
    [
      "an unknown field deep inside",
      "slipway/gates.yaml",
      gates.replaceAll("cmd:", "comand:"),
      ["/profiles/default/modes/fast/0", "comand"],
    ],
    ["an unknown field", "slipway/agents.yaml", "version: 1\nroles: {}\nruntime: { default_provder: replay }\n", ["default_provder"]],
    [
      "a value of the wrong kind",
      "slipway/policy.yaml",
      policy.replace("worktree: { base_branch: main,", "worktree: { base_branch: 7,"),
      ["/worktree/base_branch"],
    ],
    ["a key given twice", "slipway/policy.yaml", `${policy}version: 2\n`, ['"version" is given twice', "line"]],
    ["an alias bomb", "slipway/gates.yaml", bomb, ["aliases"]],
    ["a dangerous key", "slipway/gates.yaml", `${gates}__proto__: { polluted: true }\n`, ["__proto__"]],
    ["broken YAML", "slipway/gates.yaml", "version: [1\n", ["line 2"]],
    ["no YAML at all", "slipway/gates.yaml", "\u0000\u0001\u0002", ["slipway/gates.yaml"]],
  ])("%s in %s: file, field and line, before anything is written", async (_what, file, text, names) => {
    const project = letters({ [file]: text });
    const before = belongings(project.root);
    expectRefused(await runHere(project), { code: "config_invalid", names: [file, ...names] });
    expect(belongings(project.root)).toEqual(before);
    expect(existsSync(join(project.root, ".slipway"))).toBe(false);
  });

  test("after it is corrected and committed, the same command works", async () => {
    const project = letters({ "slipway/gates.yaml": bomb });
    expect((await run(project)).code).toBe(2);
    project.write("slipway/gates.yaml", gates);
    expectRefused(await run(project), { code: "config_invalid", names: ["aliases"] });
    project.git("commit", "--quiet", "--all", "--message=corrected");
    expect((await run(project)).code).toBe(23);
  });
});

describe("the cassette", () => {
  test("missing, or without its head file: reported before the run is recorded", async () => {
    const project = letters();
    expectRefused(await slipway(project, ["run", "letters.spec.md", "--cassette", "nowhere"]), {
      code: "cassette_missing",
      names: [join(project.root, "nowhere"), "cassette.json", "--cassette"],
    });
    rmSync(join(project.cassette, "cassette.json"));
    expectRefused(await runHere(project), { code: "cassette_missing", names: ["cassette.json"] });
    writeFileSync(join(project.cassette, "cassette.json"), "{ not json");
    expectRefused(await runHere(project), { code: "config_invalid", names: [join(project.cassette, "cassette.json"), "JSON"] });
    writeFileSync(join(project.cassette, "cassette.json"), '{"version":2,"created":"x","description":"x"}');
    expectRefused(await runHere(project), { code: "config_invalid", names: ["cassette.json", "/version"] });
    writeFileSync(join(project.cassette, "cassette.json"), '{"version":1,"created":"x","description":"x"}');
    expect((await runHere(project)).code).toBe(23);
  });

  test("a missing answer: the run waits with the file's name, and continues when it exists", async () => {
    const project = letters();
    rmSync(join(project.cassette, "builder"), { recursive: true });
    const { code, stdout } = await run(project);
    expect(code).toBe(23);
    const file = join(project.cassette, "builder", "letters.1.json");
    expect(stdout).toContain(`${file} does not exist. It holds planner/letters.1.json, qa/letters.1.json. Next: Record the cassette again`);
    expect((await slipway(project, ["inbox"])).stdout).toContain("cassette_answer_missing: ");
    project.record("builder", "3", {
      type: "PATCH",
      summary: "two",
      unified_diff: "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
    });
    await slipway(project, ["answer", "Q1", "retry"]);
    const again = await slipway(project, ["resume", "--cassette", project.cassette]);
    expect(again.code).toBe(23);
    expect(again.stdout).toContain("slipway approve letters");
  });

  test.each([
    ["no JSON", "{ nope", "not valid JSON"],
    ["an unknown field", '{"role":"builder","subject":"letters","attempt":"1","prompt_digest":null,"output":{},"extra":1}', "/extra"],
    ["another's answer", '{"role":"planner","subject":"letters","attempt":"1","prompt_digest":null,"output":{}}', "/role"],
    ["a duplicate key", '{"role":"builder","role":"builder","subject":"letters","attempt":"1","prompt_digest":null,"output":{}}', "role"],
  ])("a malformed answer (%s): the run waits with file and field", async (_what, text, named) => {
    const project = letters();
    const file = join(project.cassette, "builder", "letters.1.json");
    writeFileSync(file, text);
    const before = belongings(project.root);
    const { code, stdout } = await runHere(project);
    expect(code).toBe(23);
    expect(stdout).toContain(file);
    expect(stdout).toContain(named);
    expect((await inHere(project, ["inbox"])).stdout).toContain("config_invalid: ");
    expect(belongings(project.root)).toEqual(before);
  });
});
