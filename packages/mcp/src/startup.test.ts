import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GATES, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { loadConfiguration } from "@slipway/kernel/config/load";
import { checkConfigurationFiles, loadDocumentSchemas } from "@slipway/kernel/tools/documents";
import { describe, expect, test, vi } from "vitest";
import { runHttp, runStdio } from "./run.ts";
import { scratchPlace } from "./testing/bench.ts";
import { PassThrough } from "node:stream";

/** Starts a server that ends as soon as it has started; returns whether it served. */
async function start(files: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
  const place = scratchPlace(files);
  const onListening = vi.fn<(url: string) => void>();
  const around = {
    cwd: place.root,
    env: { ...place.env, ...env },
    askTrust: trustAnything,
    version: "0.0.0",
    report: () => undefined,
    signal: AbortSignal.abort(),
  };
  await runHttp(around, { port: 0, run: null, onListening }).catch((error: unknown) => {
    expect(onListening).not.toHaveBeenCalled();
    throw error;
  });
  return onListening.mock.calls.length;
}

describe("a server", () => {
  test("starts with a valid configuration, with and without agents.yaml", async () => {
    expect(await start({})).toBe(1);
    expect(await start({ "slipway/agents.yaml": "version: 1\nroles: {}\n" })).toBe(1);
  });

  test.each([
    ["gates.yaml", { "slipway/gates.yaml": "version: 1\nprofiles: {}\n" }, "config_invalid"],
    ["policy.yaml", { "slipway/policy.yaml": POLICY.replace("commit_policy", "comit_policy") }, "config_invalid"],
    ["agents.yaml", { "slipway/agents.yaml": "version: 2\nroles: {}\n" }, "config_invalid"],
  ])("[FEA-049] with an invalid %s does not start", async (_name, files, code) => {
    await expect(start(files)).rejects.toMatchObject({ code });
  });

  test("[FEA-046] with a workspace other than nx does not start, with its own code", async () => {
    const policy = POLICY.replace("workspace: nx", "workspace: bazel");
    await expect(start({ "slipway/policy.yaml": policy })).rejects.toMatchObject({ code: "invalid_workspace_implementation" });
  });

  test("[FEA-046] with coverage minimums below 0.90, or another target than 1.00, does not start", async () => {
    for (const coverage of ["minimums: { line: 0.89, branch: 0.9 }", "targets: { line: 0.99, branch: 1 }"]) {
      const policy = POLICY.replace("{ framework: vitest }", `{ framework: vitest, coverage: { ${coverage} } }`);
      await expect(start({ "slipway/policy.yaml": policy })).rejects.toMatchObject({ code: "config_invalid" });
    }
  });

  test("whose gates could read the token key does not start", async () => {
    const policy = `${POLICY}sandbox: { read_only: ["~/config"] }\n`;
    await expect(start({ "slipway/policy.yaml": policy })).rejects.toMatchObject({
      code: "config_invalid",
      details: { field: "/sandbox/read_only/0" },
    });
  });

  test("outside a repository does not start", async () => {
    const { home, env } = scratchPlace();
    const around = { cwd: home, env, version: "0.0.0", report: () => undefined, signal: AbortSignal.abort() };
    await expect(runHttp(around, { port: 0, run: null, onListening: () => undefined })).rejects.toMatchObject({ code: "not_a_repository" });
  });

  test("over stdio ends at once if its signal is already aborted", async () => {
    const { root, env } = scratchPlace();
    const around = {
      cwd: root,
      env,
      askTrust: trustAnything,
      version: "0.0.0",
      report: () => undefined,
      signal: AbortSignal.abort(),
    };
    const streams = { stdin: new PassThrough(), stdout: new PassThrough() };
    await runStdio(around, streams, { role: null, feature: null, run: null });
    expect(streams.stdout.read()).toBeNull();
  });
});

describe("the shipped schemas", () => {
  const schemas = loadDocumentSchemas();
  const folder = join(import.meta.dirname, "..", "..", "..", "docs", "examples");

  test.each(["node", "java"])("[FEA-049] accept the example configuration for %s", async (kind) => {
    const readFile = async (path: string) => readFileSync(join(folder, kind, path));
    await expect(loadConfiguration(readFile)).resolves.toMatchObject({ policy: { required_merge_mode: "full" }, agents: { version: 1 } });
    await expect(checkConfigurationFiles(schemas, readFile)).resolves.toBeUndefined();
  });

  test("[FEA-019] check the configuration in addition to its own rules", async () => {
    const readFile = async (path: string) =>
      path.endsWith("agents.yaml") ? null : Buffer.from(path.endsWith("gates.yaml") ? `${GATES}more: 1\n` : POLICY);
    await expect(checkConfigurationFiles(schemas, readFile)).rejects.toMatchObject({ code: "config_invalid", details: { field: "/more" } });
  });
});
