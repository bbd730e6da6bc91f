import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@slipway/durable/environment";
import { loadConfiguration } from "@slipway/kernel/config/load";
import { runGate } from "@slipway/kernel/change/judge/gates/run";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { findOnPath } from "@slipway/kernel/host/sandbox/host";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { expect, test } from "vitest";
import { expandHome } from "@slipway/kernel/config/home";
import { main } from "../main.ts";
import { collectingIo, git, scratchFolder, scratchRepository, writeAll } from "./testing/scratch.ts";

const available = sandboxWorksHere();

const NODE_TEST = 'import { test } from "node:test"; import fs from "left-behind"; test("it", () => fs());';
const PROJECTS: readonly {
  readonly program: string;
  readonly files: Record<string, string>;
  readonly ignored?: Record<string, string>;
  readonly steps: string[];
}[] = [
  {
    program: "npm",
    files: {
      "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" }, dependencies: { "left-behind": "1" } }),
      ".gitignore": "node_modules\n",
      "a.test.js": NODE_TEST,
    },
    ignored: { "node_modules/left-behind/index.js": "module.exports = () => 1;" },
    steps: ["test"],
  },
  {
    program: "python3",
    files: {
      "src/a.py": "ONE = 1\n",
      "tests/test_a.py":
        "import unittest\nfrom a import ONE\nclass T(unittest.TestCase):\n    def test_one(self): self.assertEqual(ONE, 1)\n",
    },
    steps: ["test"],
  },
  {
    program: "cargo",
    files: {
      "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      "Cargo.lock": 'version = 4\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n',
      "src/lib.rs": "#[test]\nfn one() { assert_eq!(1, 1) }\n",
      ".gitignore": "target\n",
    },
    steps: ["compile", "test"],
  },
  {
    program: "go",
    files: { "go.mod": "module a\n\ngo 1.20\n", "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {}\n' },
    steps: ["compile", "test"],
  },
];

test.for(PROJECTS)(
  "the gates that init writes for $program run in the sandbox in a fresh checkout",
  async ({ program, files, ignored = {}, steps }, { skip }) => {
    skip(!available, "no sandbox here");
    skip(findOnPath(program, process.env["PATH"] ?? "") === null, `no ${program} here`);
    const folder = scratchRepository(files);
    writeAll(folder, ignored);
    // The machine's own home folder, because it may contain the toolchains.
    const io = collectingIo(folder, { env: process.env });
    expect(await main(["init", "--yes"], io), io.stderr()).toBe(0);
    const { gates, policy } = await loadConfiguration(async (path) => readFileSync(join(folder, path)));
    const worktree = join(folder, ".worktrees", "feature");
    git(folder, "worktree", "add", "-q", worktree);
    for (const mode of ["fast", "full"]) {
      const result = await runGate({
        config: gates,
        profile: "default",
        mode,
        worktree,
        policy: {
          defaultStepTimeoutSeconds: 60,
          envAllowlist: policy.execution.env_allowlist,
          transientErrorCodes: [],
          transientMaxRetries: 0,
        },
        sandbox: await openSandbox(),
        hostEnv: process.env,
        readOnly: policy.sandbox.read_only.map((path) => expandHome(path, io.env)),
        shared: policy.sandbox.shared_paths.map((path) => ({ from: join(folder, path), to: path })),
        logFolder: scratchFolder(),
        redact: createRedactor({ secrets: [] }),
        clock: systemClock,
      });
      expect(result.failure).toBeNull();
      if (mode === "full") expect(result.steps.map(({ name, status }) => [name, status])).toEqual(steps.map((name) => [name, "pass"]));
    }
    expect(git(worktree, "status", "--porcelain")).toBe("");
  },
);
