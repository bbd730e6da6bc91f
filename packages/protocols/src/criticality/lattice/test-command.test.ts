import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testCommand } from "./test-command.ts";

const MANIFEST = '{ "scripts": { "test": "node --test" } }';

test("the command of Node's own runner shows the tests and writes a report of them", () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "tests"));
  writeFileSync(join(folder, "tests", "sum.test.ts"), 'require("node:test")("adds", () => {});\n');
  const [program, ...args] = testCommand("typescript", { "package.json": MANIFEST }).map((part) => part.replace("{report}", "report.xml"));
  expect(program).toBe("node");
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect({ status, isShown: stdout.includes("adds") }).toEqual({ status: 0, isShown: true });
  expect(readFileSync(join(folder, "report.xml"), "utf8")).toContain('name="adds"');
});
