import { callAs, LETTERS, lettersOn } from "../../../testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../../../testing/scratch-kernel.ts";
import { checksOf } from "../../evidence/checks.ts";
import { canaryRecord } from "../record.ts";

export const WITH_CANARY = POLICY.replace("canary: off", "canary: final");

export type Files = Readonly<Record<string, string>>;

/** The same steps in both modes. */
export function gates(...commands: readonly (readonly string[])[]): string {
  const steps = commands.map((cmd, index) => JSON.stringify({ name: `step-${index + 1}`, cmd })).join(", ");
  return `version: 1\nprofiles: { default: { modes: { fast: [${steps}], full: [${steps}] } } }\n`;
}

/** A change that writes or, with null, deletes these files. */
export async function changedProject(
  project: Files,
  work: Readonly<Record<string, string | null>>,
  policy = WITH_CANARY,
  env: Files = {},
): Promise<ScratchKernel> {
  const scratch = await openScratchKernel({ "slipway/policy.yaml": policy, ...project }, { env });
  const named = (wanted: (path: string) => boolean) => Object.keys(work).filter(wanted);
  const files = {
    create: named((path) => project[path] === undefined),
    modify: named((path) => project[path] !== undefined && work[path] !== null),
    delete: named((path) => work[path] === null),
  };
  await lettersOn(scratch).planned({ allowed_areas: ["."], files });
  const start = scratch.git("rev-parse", "HEAD").trim();
  for (const [path, text] of Object.entries(work)) {
    if (text === null) scratch.git("rm", "--quiet", path);
    else scratch.write(path, text);
  }
  scratch.git("add", "--all", "--", ...Object.keys(work).filter((path) => work[path] !== null));
  const unified_diff = scratch.git("diff", "--cached", "--binary", "--no-renames");
  scratch.git("reset", "--quiet", "--hard", start);
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
  return scratch;
}

/** The full gate, and what its canary has shown. */
export async function fullGate(scratch: ScratchKernel) {
  const { passed, failure } = await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "full" });
  const checks = await checksOf(scratch.records.database.db, LETTERS);
  const row = checks.findLast(({ kind }) => kind === "canary");
  return { passed, failure, status: row?.status, canary: row === undefined ? null : canaryRecord(row) };
}
