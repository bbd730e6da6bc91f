import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { languageAdapter } from "@slipway/languages/adapters";
import { beforeAll, expect, test } from "vitest";
import { programProject, type ProgramProject } from "./run-program.ts";
import { answersOf, SPEC } from "./tides/answers.ts";

const BODY = 'if (!Number.isFinite(high) || !Number.isFinite(low)) throw new RangeError("no height");\nreturn Math.abs(high - low);';

const gates = (cmd: string, parsers = "") => `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: ["true"] }]
      full: [{ name: check, cmd: ${cmd} }]
${parsers}`;

let project: ProgramProject;
beforeAll(async () => {
  const { hole } = await languageAdapter("typescript", { env: {} });
  project = programProject(
    {
      "README.md": "# Tides\n",
      ".node-version": "24\n",
      "spec.toml": SPEC,
      "slipway/gates.yaml": gates('["true"]'),
      "slipway/criticality.toml": '[project]\nname = "tides"\n',
    },
    answersOf(hole, BODY),
    ["fast-check", "pure-rand"],
  );
});

test("a program is not ready to merge before the gate runs its tests, and the suggested step makes it run them", () => {
  const { output } = project.slipway("criticality", "--spec", "spec.toml");
  expect(output).not.toContain("ready to merge");
  expect(output).toContain("did not run 3 of the 3 tests of this change");
  expect(output).toContain("tests/unit/domain/tides/spread.test.ts (2 of 2)");
  const suggested = /cmd: (\[.*?\]) \} to full in slipway\/gates\.yaml, and (parsers: .*? \} \})\./.exec(output);
  writeFileSync(join(project.root, "slipway/gates.yaml"), gates(suggested?.[1] ?? "", `${suggested?.[2]}\n`));
  project.git("commit", "--quiet", "--all", "--message=gates");
  expect(project.slipway("trust", "--yes").output).toContain("Trusted");
  expect(project.slipway("answer", "Q1", "retry").output).toContain("Answered");
  expect(project.slipway("resume").output).toContain("ready to merge");
  project.slipway("approve", "tides");
  expect(project.slipway("resume").output).toContain("merged into main");
}, 600_000);
