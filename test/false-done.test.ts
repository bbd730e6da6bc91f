import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { PROGRAM } from "slipway/testing/program";
import { expect, test } from "vitest";

interface Outcome {
  readonly id: string;
  readonly honest: boolean;
  readonly result: string;
  readonly said: string;
}

/** A selection; `npm run bench:false-done` runs all of them. */
test("agents that falsely claim to be done are caught, and similar honest ones pass", { timeout: 300_000 }, () => {
  const run = join(import.meta.dirname, "..", "bench", "false-done", "run.ts");
  const { stdout, stderr } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", run, "--quick", "--json"], {
    encoding: "utf8",
    env: { ...process.env, SLIPWAY_PROGRAM: PROGRAM.join(" "), PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` },
  });
  const outcomes = JSON.parse(stdout || "[]") as Outcome[];
  expect(outcomes.length, stderr).toBeGreaterThanOrEqual(12);
  expect(outcomes.filter(({ honest, result }) => result !== (honest ? "passed" : "caught"))).toEqual([]);
  expect(outcomes.some(({ honest }) => honest)).toBe(true);
});
