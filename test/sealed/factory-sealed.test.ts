import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { APPROVE, challengeOf, codeOf, contractOf, planOf, testsOf } from "@slipway/protocols/factory/engineering/testing/modules";
import { deliver, NUMBERS, SECOND } from "@slipway/protocols/factory/testing/numbers";
import { letters, type Project } from "slipway/testing/project";
import { expect, test } from "vitest";
import { THIEF } from "./thief.ts";

/** Found nowhere else on this machine. */
const MARKER = `behind-the-contract-${randomUUID()}`;
const INSIDE = "modules/MM-twice/1.0.0/implementation/index.ts";
const quad = contractOf("MM-quad", "quad", { dependencies: [{ ref: "MM-twice@^1.0.0", why: "it doubles" }] });

/** Encoded, so that the thief's own files do not contain the marker. */
const hidden = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");

function answers() {
  const twice = deliver({ "module contract": JSON.stringify(contractOf()) });
  const marked = twice.files.map((file) => {
    if (file.path === "implementation/index.ts") return { ...file, content: `// ${MARKER}\n${codeOf()}` };
    return file.path === "tests/module.test.ts" ? { ...file, content: `// ${MARKER}\n${testsOf()}` } : file;
  });
  const reading = [INSIDE, INSIDE.replace("modules/", "./modules/"), "Modules/MM-twice/1.0.0/implementation/index.ts"];
  return {
    marker: hidden(MARKER),
    "product-owner/numbers": hidden({ calls: [{ tool: "emit_structured_spec", spec: NUMBERS }] }),
    "product-owner/more/1.1": hidden({ calls: reading.map((path) => ({ tool: "read_file", path })) }),
    "product-owner/more": hidden({ tells: true, calls: [{ tool: "emit_structured_spec", spec: NUMBERS }] }),
    planner: hidden(planOf(["MM-twice"])),
    [`planner/${SECOND}`]: hidden(planOf(["MM-quad", ["MM-twice@^1.0.0"]])),
    "proposer/MM-twice": hidden({ ...twice, files: marked }),
    "proposer/MM-quad": hidden(deliver({ "module contract": JSON.stringify(quad) })),
    challenger: hidden(challengeOf()),
    arbiter: hidden(APPROVE),
  };
}

function thievish(): Project {
  const project = letters({
    "numbers.md": "# Numbers\n\nDouble numbers, and double them again.\n",
    "more.md": "# More\n\nMore of the same.\n",
    "slipway/policy.yaml": POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,"),
  });
  const folder = join(project.home, "agent");
  mkdirSync(folder);
  writeFileSync(join(folder, "thief.cjs"), THIEF);
  writeFileSync(join(folder, "answers.json"), JSON.stringify(answers()));
  const command = JSON.stringify(["node", join(folder, "thief.cjs"), folder, project.root, project.home]);
  project.write(
    "slipway/agents.yaml",
    `version: 1\nroles: {}\nruntime: { default_provider: custom, custom: { works: folder, command: ${command}, programs: [${folder}] } }\n`,
  );
  project.git("add", "-A");
  project.git("commit", "-qm", "agents");
  return project;
}

const store = ({ root }: Project) => join(root, ".slipway/state_store");
function textsBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")).join("\n");
}

test.skipIf(!sandboxWorksHere())(
  "[FAC-090] [FAC-133] [FAC-162] no role reads sealed source: not by files, links, grep, glob, git or other processes, and not after its release",
  { timeout: 300_000 },
  async () => {
    const project = thievish();
    await project.slipway(["factory", "numbers.md"]);
    await project.slipway(["answer", "Q1", "APPROVE"]);
    const built = await project.slipway(["resume"]);
    expect([built.code, built.stderr], built.stdout).toEqual([0, ""]);
    // It exists and was released; otherwise nothing was tested.
    expect(readFileSync(join(store(project), INSIDE), "utf8")).toContain(MARKER);
    expect(project.git("show", `main:${INSIDE}`)).toContain(MARKER);

    const debates = textsBelow(join(store(project), "debates"));
    expect(debates).not.toContain(MARKER);
    // Every role except the module's own Proposer has searched, and found nothing.
    expect([...new Set(debates.match(/looked; found: \[[^\]]*\]/g))]).toEqual(["looked; found: []"]);
    expect(debates.match(/looked; found/g)!.length).toBeGreaterThanOrEqual(5);

    // A product owner, who may read the repository, after the release.
    expect((await project.slipway(["factory", "more.md"])).code).toBe(23);
    const runs = join(project.root, ".slipway/runs");
    const told = readdirSync(runs, { recursive: true, withFileTypes: true }).find(({ name }) => name === "told.md")!;
    const text = readFileSync(join(told.parentPath, told.name), "utf8");
    expect(text).toContain("looked; found: []");
    expect(text).toContain(JSON.stringify(accessDenied(INSIDE)).slice(1, -1));
    expect(text).not.toContain(MARKER);
  },
);
