import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import type { TestContext } from "vitest";
import type { LanguageAdapter } from "../adapter.ts";

export async function testSandbox(): Promise<Sandbox> {
  return sandboxWorksHere() ? openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
}

/** Skips a test, with the reason, if the adapter lacks one of these tools. */
export async function skipWithout(context: TestContext, adapter: LanguageAdapter, ...tools: readonly string[]): Promise<void> {
  const missing = (await adapter.missingTools()).find(({ tool }) => tools.includes(tool));
  context.skip(missing !== undefined, missing === undefined ? "" : `${missing.tool} is not installed (${missing.install})`);
}
