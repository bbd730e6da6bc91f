import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import { letters, type Project } from "../testing/project.ts";

const available = sandboxWorksHere();

/** Gates that print which program a step starts. */
const gates = (...cmd: string[]) => gatesWith({ cmd });
const gatesWith = (step: object) => ({
  "slipway/gates.yaml": JSON.stringify({
    version: 1,
    profiles: { default: { modes: { fast: [{ name: "test", ...step }], full: [{ name: "test", ...step }] } } },
  }),
});

/** A Node as nvm installs it: it only prints its version. */
function nvmNode({ home }: Project, version: string): string {
  const bin = join(home, ".nvm/versions/node", `v${version}`, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "node"), `#!/bin/sh\necho v${version}\n`);
  chmodSync(join(bin, "node"), 0o755);
  return bin;
}

const path = (project: Project, ...folders: string[]) => ({ env: { ...project.env, PATH: [...folders, process.env["PATH"]].join(":") } });
const runIn = (project: Project, more: ReturnType<typeof path>) =>
  project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], more);
const programs = (project: Project) =>
  project.sql("SELECT steps FROM gate_runs").map(({ steps }) => (JSON.parse(String(steps)) as { program: unknown }[])[0]?.program);

describe.skipIf(!available)("the toolchain of gates", () => {
  test("B1: node is the caller's, although Slipway runs on its own Node; the evidence names its path and version", async () => {
    const project = letters(gates("sh", "-c", "node --version | grep '^v20\\.'"));
    const bin = nvmNode(project, "20.1.0");
    expect((await runIn(project, path(project, bin))).code).toBe(23);
    expect(programs(project)[0]).toMatchObject({ path: expect.stringMatching(/\/sh$/) as string });
  });

  test("B1: the step's row and the evidence name the interpreter", async () => {
    const project = letters({ ...gates("npmlike"), "tools/npmlike": "" });
    const bin = nvmNode(project, "20.1.0");
    writeFileSync(join(bin, "npmlike"), "#!/usr/bin/env node\n");
    chmodSync(join(bin, "npmlike"), 0o755);
    await runIn(project, path(project, bin));
    const node = { path: join(bin, "node"), version: "20.1.0" };
    expect(programs(project)[0]).toEqual({ path: join(bin, "npmlike"), version: null, interpreter: node });
    expect((await project.slipway(["evidence", "letters"])).stdout).toContain(`${join(bin, "node")} 20.1.0`.replaceAll("_", "\\_"));
  });

  test("B1: PATH in a step's env wins, and its version is shown", async () => {
    const project = letters();
    const bin = nvmNode(project, "18.7.0");
    project.write(
      "slipway/gates.yaml",
      gatesWith({ cmd: ["sh", "-c", "node --version | grep '^v18\\.'"], env: { PATH: `${bin}:/usr/bin:/bin` } })["slipway/gates.yaml"],
    );
    project.git("commit", "--quiet", "--all", "--message=gates");
    expect((await project.run()).code).toBe(23);
  });

  test("the base branch's version file decides, even if the change edits it", async () => {
    const project = letters({ ...gates("sh", "-c", "node --version | grep '^v18\\.'"), ".nvmrc": "18\n" });
    nvmNode(project, "18.7.0");
    expect((await runIn(project, path(project, nvmNode(project, "20.1.0")))).code).toBe(23);
  });
});
