import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import type { ProcessOutcome, Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { printContract } from "@slipway/languages/micro-contracts/print";
import { whyStopped } from "@slipway/languages/toolchains/run-tool";
import type { VerifierSettings } from "../config/verifier.ts";
import type { InjectionFailure } from "../escalation/failures.ts";
import type { LatticeFunction } from "../lattice/lattice.ts";
import type { ProjectFolders } from "../workspace/project-folders.ts";

/** What the external verifier says of one function. */
export interface FormalVerdict {
  readonly function: string;
  readonly verdict: "pass" | "fail" | "inconclusive";
  /** Empty for a pass. */
  readonly message: string;
}

export interface FormalChecks {
  readonly language: Pick<LanguageAdapter, "id">;
  readonly folders: ProjectFolders;
  readonly sandbox: Sandbox;
  readonly signal?: AbortSignal | undefined;
}

const PATH = "/usr/local/bin:/usr/bin:/bin";
const OUTPUT_BYTES = 1024 ** 2;
const MOST_CHARACTERS = 2_000;

/**
 * Runs the verifier in the sandbox, in a folder with the tree. It reads the function as JSON from stdin. Exit code 0 is a pass, 1 a fail;
 * anything else proves nothing, also an end that is not its own.
 */
export async function verifyFormally(
  { language, folders, sandbox, signal }: FormalChecks,
  { command, read_only, timeout_seconds }: VerifierSettings,
  tree: SourceTree,
  { id, path, name, signature, contract }: LatticeFunction,
): Promise<FormalVerdict> {
  const input = JSON.stringify({ id, path, name, signature, contract: printContract(contract), language: language.id });
  const chunks: Uint8Array[] = [];
  const [program = ""] = command;
  const outcome = await folders.withTree(tree, (folder) =>
    sandbox.run({
      worktree: folder,
      git: "none",
      command,
      env: { PATH, LC_ALL: "C.UTF-8" },
      // The folder is used again: nothing that a verifier leaves may be part of the next tree.
      folders: [{ path: ".", writable: false }],
      // The sandbox refuses a path that does not exist; without it the program cannot start, which is no verdict.
      readOnly: [...read_only, ...(isAbsolute(program) ? [dirname(program)] : [])].filter((place) => existsSync(place)),
      input,
      limits: { outputBytes: OUTPUT_BYTES },
      timeoutMs: timeout_seconds * 1_000,
      onOutput: (_stream, chunk) => void chunks.push(chunk),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  signal?.throwIfAborted();
  const said = Buffer.concat(chunks).toString("utf8").replaceAll("\0", "").trim().slice(0, MOST_CHARACTERS).toWellFormed();
  return { function: id, ...verdictOf(outcome, program, said) };
}

function verdictOf(outcome: ProcessOutcome, program: string, said: string): Pick<FormalVerdict, "verdict" | "message"> {
  const stopped = whyStopped(outcome, program);
  if (stopped !== null) return { verdict: "inconclusive", message: stopped };
  if (outcome.exitCode === 0) return { verdict: "pass", message: "" };
  if (outcome.exitCode === 1) return { verdict: "fail", message: said === "" ? `${program} gave no reason` : said };
  return { verdict: "inconclusive", message: `${program} ended with code ${outcome.exitCode}${said === "" ? "" : `: ${said}`}` };
}

/** Refuses a required verifier that is not there, before a model is called. */
export function assertVerifierInstalled({ command: [program = ""], required }: VerifierSettings, file: string): void {
  const places = isAbsolute(program) ? [program] : PATH.split(delimiter).map((folder) => join(folder, program));
  if (!required || places.some((place) => existsSync(place))) return;
  throw new SlipwayError("config_invalid", `${file}, verifier.command: there is no program ${JSON.stringify(program)} in ${PATH}.`, {
    file,
    field: "verifier.command",
    suggested_next_actions: ["Install it, write its absolute path, or set verifier.required = false."],
  });
}

/** A fail rejects the body like a failed test; no verdict does so only where one is required. */
export function formalFailure(verdicts: readonly FormalVerdict[], { required }: VerifierSettings): InjectionFailure | null {
  const failed = verdicts.filter(({ verdict }) => verdict === "fail" || (required && verdict === "inconclusive"));
  if (failed.length === 0) return null;
  const failingTests = failed.map(({ function: id, verdict, message }) => ({
    test: `formal verification of ${id}`,
    message: verdict === "fail" ? message : `no verdict: ${message}`,
  }));
  return { type: "test", failingTests };
}
