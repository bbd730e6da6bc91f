import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentProcess, AgentProcessEnd } from "@slipway/agents/process/contract";
import type { CaseName } from "@slipway/agents/testing/provider-suite-cases";

const FIXTURES = join(import.meta.dirname, "..", "..", "packages", "agents", "src", "testing", "fixtures");
const MAX_BYTES = 64 * 1024;
/** Effects on a process from outside can be applied to a recorded one as well. */
const KEPT: ReadonlySet<CaseName> = new Set<CaseName>([
  "schema-valid answer",
  "repair after invalid output",
  "refusal",
  "tool use",
  "file edits returned as a patch",
  "rate limit",
  "quota",
  "truncated stream",
]);

type Run = (agent: AgentProcess) => Promise<AgentProcessEnd>;

interface Take {
  readonly stdout: string;
  readonly end: AgentProcessEnd | { readonly kind: "stopped"; readonly stderr: string };
}

export interface Recorder {
  readonly recorded: (run: Run, folder: string, port: number) => Run;
  /** With the tool results that the model received. */
  readonly keep: (client: string, name: CaseName, toolResults: readonly string[]) => void;
}

/** Stores the real client's output, so that `npm test` can play it back, without anything specific to this machine. */
export function createRecorder(keeps: boolean): Recorder {
  let takes: Take[] = [];
  let clean = asItIs;
  return {
    recorded: (run, folder, port) => {
      takes = [];
      return async (agent) => {
        const chunks: Uint8Array[] = [];
        const places = [
          [folder, "/pack"],
          [agent.home, "/home/agent"],
          ...agent.programs.toSorted((left, right) => right.length - left.length).map((path) => [path, "/programs"] as const),
        ] as const;
        clean = (text) =>
          places
            .filter(([path]) => path !== "")
            // Some omit the first slash.
            .reduce((seen, [path, name]) => seen.replaceAll(path, name).replaceAll(path.slice(1), name.slice(1)), text)
            .replaceAll(`127.0.0.1:${port}`, "127.0.0.1:8080")
            .replaceAll(`_${port}_`, "_0_");
        const take = (end: Take["end"]) => takes.push({ stdout: Buffer.concat(chunks).toString("utf8"), end });
        try {
          const end = await run({
            ...agent,
            onStdout: (chunk) => {
              chunks.push(Uint8Array.from(chunk));
              agent.onStdout(chunk);
            },
          });
          take(end);
          return end;
        } catch (error) {
          take({ kind: "stopped", stderr: "" });
          throw error;
        }
      };
    },
    keep: (client, name, toolResults) => {
      if (!keeps || !KEPT.has(name) || takes.some(({ stdout }) => stdout.length > MAX_BYTES)) return;
      const folder = join(FIXTURES, client);
      mkdirSync(folder, { recursive: true });
      const slug = name.replaceAll(" ", "-");
      takes.forEach(({ stdout, end }, index) => {
        const file = join(folder, `${slug}${index === 0 ? "" : `.${index + 1}`}`);
        const { kind, stderr } = end;
        const how = end.kind === "exit" ? { exitCode: end.exitCode } : end.kind === "signal" ? { signal: end.signal } : {};
        writeFileSync(`${file}.jsonl`, clean(stdout));
        const meta = { kind, ...how, stderr: clean(stderr).slice(0, 2_000), toolResults: toolResults.map(clean) };
        writeFileSync(`${file}.end.json`, `${JSON.stringify(meta, null, 2)}\n`);
      });
    },
  };
}

function asItIs(text: string): string {
  return text;
}
