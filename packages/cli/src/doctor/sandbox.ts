import type { Probe } from "@slipway/kernel/host/sandbox/probe-result";
import { tryLimits } from "@slipway/kernel/host/sandbox/limit-probes";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { note, ok, problem, type DoctorFinding } from "./check.ts";

/** Tries to break out and to pass each limit: an installed program does not prove that its isolation works. */
export async function checkSandbox(searchPath?: string): Promise<DoctorFinding[]> {
  // The error of the self-test says what failed and how to fix it.
  const sandbox = await openSandbox(searchPath === undefined ? {} : { searchPath });
  const { version, probes, missing } = await probeSandbox(searchPath);
  const lacking = missing.map(({ name, detail }) => `It has no ${name.replace(/^an? /, "")}: ${detail}.`);
  const tried = probes.slice(1);
  return [
    ok(`bubblewrap ${version ?? "of unknown version"} withstood ${tried.length} attempts: ${namesOf(tried)}.`),
    ...judgeLimits(await tryLimits(sandbox)),
    ...lacking.map((text) => note(text, "Install Perl at /usr/bin/perl, or a newer bubblewrap or kernel; see docs/sandbox.md.")),
  ];
}

function judgeLimits(limits: readonly Probe[]): DoctorFinding[] {
  const means = Map.groupBy(
    limits.filter(({ passed }) => passed),
    ({ detail }) => detail,
  );
  const bound = [...means].map(([detail, held]) => `${namesOf(held)} (${detail})`);
  const loose = limits.filter(({ passed }) => !passed);
  return [
    ok(`These limits bind: ${bound.join("; ")}.`),
    ...loose.map(({ name, detail }) =>
      problem(`The limit on ${name} does not bind: ${detail}.`, "Run doctor again when the machine is idle; see docs/sandbox.md."),
    ),
  ];
}

function namesOf(probes: readonly Probe[]): string {
  return probes.map(({ name }) => name).join(", ");
}
