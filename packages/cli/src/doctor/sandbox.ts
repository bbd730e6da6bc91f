import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { note, ok, type DoctorFinding } from "./check.ts";

/** Tries to break out: an installed program does not prove that its isolation works. */
export async function checkSandbox(searchPath?: string): Promise<DoctorFinding[]> {
  // The error of the self-test says what failed and how to fix it.
  await openSandbox(searchPath === undefined ? {} : { searchPath });
  const { version, probes, missing } = await probeSandbox(searchPath);
  const lacking = missing.map(({ name, detail }) => `It has no ${name.replace(/^an? /, "")}: ${detail}.`);
  return [
    ok(`bubblewrap ${version ?? "of unknown version"} withstood ${probes.length - 1} attempts to break out.`),
    ...lacking.map((text) => note(text, "Install Perl at /usr/bin/perl, or a newer bubblewrap or kernel; see docs/sandbox.md.")),
  ];
}
