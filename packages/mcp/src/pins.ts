import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { Pins } from "./catalog.ts";
import { negotiated } from "./negotiate.ts";

/** All differences between the pins and the installed SDK. */
export async function pinProblems(pins: Pins): Promise<string[]> {
  const sdk = Object.entries(pins.sdk).flatMap(([name, pinned]) => {
    const installed = installedVersion(name);
    return installed === pinned ? [] : [`${name}: ${installed ?? "none"} is installed, ${pinned} is pinned`];
  });
  const found = await negotiated(pins.protocol_versions);
  const protocol = pins.protocol_versions.flatMap((version, index) =>
    found[index] === version ? [] : [`protocol ${version} is pinned, but the SDK negotiates ${found[index] ?? "nothing"} for it`],
  );
  return [...sdk, ...protocol];
}

/** Refuses to start with other versions than the tested ones. */
export async function assertPinned(pins: Pins, transport: Pins["transports"][number]): Promise<void> {
  const problems = await pinProblems(pins);
  if (!pins.transports.includes(transport)) problems.push(`the transport ${transport} is not among ${pins.transports.join(", ")}`);
  if (problems.length === 0) return;
  throw new SlipwayError("config_invalid", `The installed MCP SDK is not the pinned one (tools/protocol.json): ${problems.join("; ")}.`, {
    file: "tools/protocol.json",
    problems,
    suggested_next_actions: ["Install Slipway again with its own lockfile, so that the pinned versions are used."],
  });
}

export function installedVersion(name: string): string | null {
  try {
    const path = findPackageJSON(name, import.meta.url);
    const { version } = JSON.parse(readFileSync(path ?? "", "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
