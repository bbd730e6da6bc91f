import type { Kernel } from "@slipway/kernel/kernel";
import { openKernelAt } from "@slipway/kernel/open";
import type { Trial } from "@slipway/kernel/change/judge/trials/trial";
import type { TrialReport } from "@slipway/kernel/change/judge/trials/trials";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf } from "@slipway/protocols/surface/caller";
import { note, ok, problem, type DoctorFinding, type DoctorRow } from "./check.ts";
import { findingFromError } from "./error-texts.ts";

export const BASE_GATES = "base gates";

/** The trial depends on these checks: if one has a problem, the trial would fail for the same reason. */
const NEEDED: ReadonlySet<string> = new Set([
  "git",
  "sandbox",
  "repository",
  "disk",
  "configuration",
  "gates",
  "database",
  "approval key",
  "trust",
]);

export interface BaseGatesOptions {
  readonly onProgress: (line: string) => void;
  /** Replaced in tests. */
  readonly open?: typeof openKernelAt;
}

/**
 * Tries the gates on the base branch like `slipway gates`, or reuses a valid result. The only check that writes: the trial is recorded, so
 * that the next run need not repeat it.
 */
export async function checkBaseGates(io: Io, rows: readonly DoctorRow[], options: BaseGatesOptions): Promise<DoctorRow[]> {
  const results = await findings(io, rows, options).catch((error: unknown) => [findingFromError(error)]);
  return results.map((finding) => ({ name: BASE_GATES, ...finding }));
}

async function findings(
  io: Io,
  rows: readonly DoctorRow[],
  { onProgress, open = openKernelAt }: BaseGatesOptions,
): Promise<DoctorFinding[]> {
  const broken = rows.find(({ name, status }) => status === "problem" && NEEDED.has(name));
  if (broken !== undefined) return [note(`Not tried, because of the problem with ${broken.name} above.`)];
  if (rows.some(({ name, status }) => status === "note" && name === "database"))
    return [note("Not tried, because the database must be migrated first; the next command that writes does that.", "slipway gates")];
  const opened = await open({ cwd: io.cwd, env: io.env });
  try {
    const kernel = await opened.kernel();
    if (!kernel.configuration.policy.gates.try_on_base)
      return [note("Not tried, because of gates.try_on_base in slipway/policy.yaml.", "slipway gates")];
    return (await tried(kernel, io, onProgress)).flatMap(describe);
  } finally {
    await opened.close();
  }
}

async function tried(kernel: Kernel, io: Io, onProgress: (line: string) => void): Promise<{ report: TrialReport; alike: Trial[] }[]> {
  const call = { actor: personOf(io), operationId: kernel.records.ids.next("trial") };
  const report = await kernel.trials.onBase(
    call,
    {},
    {
      onStep: ({ mode }, event) => {
        if (event.kind === "started") onProgress(`${BASE_GATES}: ${mode} ${event.index + 1}/${event.of}: ${event.name}`);
      },
    },
  );
  // Modes with the same steps have the same result and are reported together.
  const groups = Map.groupBy(report.trials, ({ status, step, failure }) => `${status} ${step?.log_path ?? ""} ${failure?.message ?? ""}`);
  return [...groups.values()].map((alike) => ({ report, alike }));
}

function describe({ report: { of }, alike }: { readonly report: TrialReport; readonly alike: readonly Trial[] }): DoctorFinding[] {
  const [trial] = alike;
  if (trial === undefined) return [];
  const { status, tests, failure, step, cause } = trial;
  const gates = `The ${alike.map(({ mode }) => mode).join(" and ")} gates`;
  const counted = tests === null ? "" : ` (${tests.total} ${tests.total === 1 ? "test" : "tests"})`;
  if (status === "pass") return [ok(`${gates} pass on ${of}${counted}${alike.every((one) => one.remembered) ? ", as before" : ""}.`)];
  if (status === "warn") return [note(`${gates} pass on ${of}${counted}, but: ${failure?.message ?? ""}`)];
  const where = step === null ? "" : ` at step "${step.name}"${step.exit_code === null ? "" : `, exit code ${step.exit_code}`}`;
  const lines = [
    `${gates} fail on ${of}${where}, before any change: ${failure?.message ?? ""}`,
    ...(cause === null ? [] : [`likely cause: ${cause.cause}`]),
    ...(step === null ? [] : [`log: ${step.log_path}, at its end:`, ...step.log_tail.map((line) => `| ${line}`)]),
  ];
  return [problem(lines.join("\n"), cause?.next ?? "slipway gates (shows the output of each step).")];
}
