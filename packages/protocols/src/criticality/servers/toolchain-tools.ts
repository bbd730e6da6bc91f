import { SlipwayError } from "@slipway/agents/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import { repositoryPath } from "@slipway/kernel/paths/fields";
import type { AnyTool, ToolCall } from "@slipway/kernel/tools/tool";
import { LANGUAGE_IDS } from "@slipway/languages/adapter";
import { z } from "zod";
import type { ServerSession } from "../../tool-server.ts";
import { claimId } from "../spec/schema.ts";
import { findingSchema, problemSchema, shownProblems, testReportSchema } from "./check-results.ts";
import { missingArtifact } from "./committed-artifacts.ts";
import { committedCode, findFunction, type CommittedCode } from "./committed-code.ts";
import { complexityReading, fileComplexity } from "./complexity.ts";
import { openGuard, type ServerGuard } from "./guard.ts";
import { TOOLCHAIN_SERVER, type ServerToolName } from "./names.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { checkStructure, testClaim, testFunction } from "./toolchain-checks.ts";

const count = z.int().min(0);
const commit = z.string().describe("The commit that was checked.");
const coverage = z
  .strictObject({ clauses: count, tested: count, untested: z.array(z.strictObject({ subject: z.string(), reason: z.string() })) })
  .describe("How many clauses of the contract were tested.");

/** The tools of the toolchain server. They check committed code, one call after the other; the code runs only in the sandbox. */
export function toolchainTools(session: ServerSession): readonly AnyTool[] {
  const guard = openGuard(TOOLCHAIN_SERVER, session);
  const inTurn = oneAtATime();
  const withCode = <T>(kernel: Kernel, call: ToolCall, work: (code: CommittedCode, signal: AbortSignal) => Promise<T>) => {
    const signal = call.signal();
    return inTurn(async () => ({ data: await unlessCancelled(signal, async () => work(await committedCode(kernel, guard), signal)) }));
  };
  return [
    guard.tool({
      name: "verify_structure",
      kind: "read",
      description:
        "Compiles the committed program without running it (`tsc --noEmit`, `cargo check` or the like) and counts its functions and holes.",
      input: z.strictObject({}),
      output: z.strictObject({
        commit,
        language: z.enum(LANGUAGE_IDS),
        passed: z.boolean(),
        problem_count: count,
        problems: z.array(problemSchema).describe("The first hundred."),
        functions: z.strictObject({ total: count, holes: count }),
        notes: z.array(z.string()),
      }),
      call: (kernel, _input, call) =>
        withCode(kernel, call, async (code, signal) => {
          const { problems, ...checked } = await checkStructure(kernel, code, signal);
          const own = guard.function?.split("#")[0];
          const shown = problems.filter(({ file }) => own === undefined || file === own);
          return {
            commit: code.commit,
            language: code.language.id,
            ...checked,
            notes: [...checked.notes],
            problem_count: problems.length,
            problems: shownProblems(shown),
          };
        }),
    }),
    guard.tool({
      name: "run_function_test",
      kind: "read",
      description: "Runs the unit tests that the contract of one function gives, in the sandbox.",
      input: z.strictObject({ function_name: z.string().min(1).max(500).describe("PATH#NAME, or a name that only one function has.") }),
      output: z.strictObject({ commit, function: z.string(), ...testReportSchema.shape, coverage }),
      call: async (kernel, { function_name }, call) => {
        const wanted = await ownFunction(kernel, guard, "run_function_test", function_name);
        return withCode(kernel, call, async (code, signal) => {
          const found = findFunction(code, wanted);
          const { report, coverage: reached } = await testFunction(kernel, code, found, signal);
          return { commit: code.commit, function: found.id, ...report, coverage: { ...reached, untested: [...reached.untested] } };
        });
      },
    }),
    guard.tool({
      name: "run_property_test",
      kind: "read",
      description: "Runs the committed property tests of one claim of the specification, in the sandbox.",
      input: z.strictObject({ claim_id: claimId.max(120) }),
      output: z.strictObject({ commit, claim: z.string(), files: z.array(z.string()), ...testReportSchema.shape }),
      call: (kernel, { claim_id }, call) =>
        withCode(kernel, call, async (code, signal) => ({
          commit: code.commit,
          claim: claim_id,
          ...(await testClaim(kernel, code, claim_id, signal)),
        })),
    }),
    guard.tool({
      name: "check_complexity",
      kind: "read",
      description:
        "Measures every function of one committed source file against the targets of the project, and lists what the security scanner finds.",
      input: z.strictObject({ file_path: repositoryPath }),
      output: z.strictObject({
        commit,
        file: z.string(),
        passed: z.boolean().describe("Every function is within the targets, and no finding is high or critical."),
        targets: z.strictObject({ cyclomatic: count, lines: count, nesting: count }),
        functions: z.array(complexityReading),
        security: z.array(findingSchema),
      }),
      call: async (kernel, { file_path }, call) => {
        const own = guard.function?.split("#") ?? null;
        if (own !== null && file_path !== own[0])
          await guard.refuse(kernel, "check_complexity", `the role is limited to ${guard.function}`);
        return withCode(kernel, call, async (code) => {
          const read = fileComplexity(code, file_path, own?.[1] ?? null);
          if (read === null) throw missingArtifact(`${file_path} is no committed source file of the program.`, "Name a file below src.");
          return { commit: code.commit, file: file_path, ...read, functions: guard.isScannerOnly ? [] : read.functions };
        });
      },
    }),
  ];
}

async function unlessCancelled<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new SlipwayError("run_cancelled", "The call was cancelled; its processes have ended.", {}, { cause: error });
  }
}

/** The function that is meant. Any other than the session's own is refused, whether it exists or not. */
async function ownFunction(kernel: Kernel, guard: ServerGuard, name: ServerToolName, wanted: string): Promise<string> {
  const { function: own } = guard;
  if (own === null) return wanted;
  if (wanted !== own && wanted !== own.split("#")[1]) await guard.refuse(kernel, name, `the role is limited to ${own}`);
  return own;
}
