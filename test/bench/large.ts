import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { callAs, LETTERS, lettersOn } from "@slipway/kernel/change/testing/letters";
import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { trueGate } from "@slipway/kernel/change/judge/gates/bench";
import { bareSpawn, inTurns, notMeasured, overheadRow } from "@slipway/kernel/host/sandbox/bench";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";

const FILES = 20_000;
const FILES_PER_FOLDER = 100;
const GATE = `gate of one step with a layer over a bare spawn, ${FILES} files`;
const OPERATION = "the same as `gates.run`: files compared with the tree, evidence recorded";
const BAR_MS = 25;
const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: "true", cmd: ["true"] }]
      full: [{ name: "true", cmd: ["true"] }]
`;

/** The overhead of a gate in a large repository: alone, and as the tool that agents call. */
export async function benchLargeRepository(rounds = 40): Promise<BenchRow[]> {
  const sandbox = await openSandbox().catch(() => null);
  if (sandbox?.layers !== true) return [notMeasured(GATE, "no sandbox with layers here", BAR_MS)];
  // The scratch repository is copied from a template, which stays in the temporary folder.
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-large-"));
  process.env["TMPDIR"] = folder;
  const names = Array.from({ length: FILES }, (_, index) => `src/part-${Math.floor(index / FILES_PER_FOLDER)}/file-${index}.txt`);
  const scratch = await openScratchKernel(
    { "slipway/gates.yaml": GATES, ...Object.fromEntries(names.map((name) => [name, `${name}\n`])) },
    { sandbox },
  );
  await lettersOn(scratch).planned();
  const worktree = join(scratch.root, ".worktrees", LETTERS.feature_id);
  const { bare, gate, operation } = await inTurns(rounds, {
    bare: bareSpawn,
    gate: () => trueGate(sandbox, worktree, join(folder, "logs")),
    operation: () => scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" }),
  });
  await scratch.close();
  rmSync(folder, { recursive: true, force: true });
  const { value, ratio } = overheadRow(OPERATION, bare, operation, BAR_MS);
  return [overheadRow(GATE, bare, gate, BAR_MS), { what: OPERATION, value, ratio, bar: "", ok: true }];
}
