import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { note, ok, type Finding } from "./check.ts";

/** By trying to break out: having the program says nothing about whether its walls hold. */
export async function checkSandbox(searchPath?: string): Promise<Finding[]> {
  // Says itself what failed and what to do about it.
  await openSandbox(searchPath === undefined ? {} : { searchPath });
  const { version, probes, missing } = await probeSandbox(searchPath);
  const lacking = missing.map(({ name, detail }) => `It has no ${name.replace(/^an? /, "")}: ${detail}.`);
  return [
    ok(`bubblewrap ${version ?? "of unknown version"} withstood ${probes.length - 1} attempts to break out.`),
    ...lacking.map((text) => note(text, "Install Perl at /usr/bin/perl, or a newer bubblewrap or kernel; see docs/sandbox.md.")),
  ];
}
