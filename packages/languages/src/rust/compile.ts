import { z } from "zod";
import type { CompileResult, SourceProblem, SourceTree, ToolRun } from "../adapter.ts";
import { lastLines, withoutPlace } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool, whyStopped, type ToolOutcome } from "../toolchains/run-tool.ts";
import { inCopy } from "../toolchains/work-folder.ts";
import { CARGO, prepareRustProject } from "./project.ts";

const messageSchema = z.object({
  reason: z.string(),
  executable: z.string().nullish(),
  target: z.object({ name: z.string(), kind: z.array(z.string()) }).optional(),
  message: z
    .object({
      level: z.string(),
      message: z.string(),
      code: z.object({ code: z.string() }).nullish(),
      spans: z.array(z.object({ file_name: z.string(), line_start: z.number(), column_start: z.number(), is_primary: z.boolean() })),
    })
    .optional(),
});
export type CargoMessage = z.infer<typeof messageSchema>;

/** One JSON object per line; other lines are not cargo's. */
export function cargoMessages(text: string): CargoMessage[] {
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      return messageSchema.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });
}

/** Cargo's folders, in a home that is kept if the machine has a cache. */
export function cargoEnvironment(
  folder: string,
  machine: LanguageMachine,
): Readonly<Record<"CARGO_HOME" | "CARGO_TARGET_DIR" | "CARGO_TERM_COLOR" | "CARGO_INCREMENTAL", string>> {
  const home = machine.cache === undefined ? `${folder}/.slipway-home` : `${machine.cache}/rust`;
  return { CARGO_HOME: `${home}/cargo`, CARGO_TARGET_DIR: `${home}/target`, CARGO_TERM_COLOR: "never", CARGO_INCREMENTAL: "0" };
}

/** `cargo check` of everything, tests included, on a copy and without network. */
export async function compileRust(machine: LanguageMachine, source: string | SourceTree, run: ToolRun): Promise<CompileResult> {
  await requireTool(machine, CARGO);
  return inCopy(source, async (folder) => {
    await prepareRustProject(folder);
    const command = ["cargo", "check", "--offline", "--all-targets", "--message-format=json"];
    const outcome = await runTool({ ...run, machine, folder, command, env: cargoEnvironment(folder, machine), keeps: "rust" });
    return cargoResult(outcome);
  });
}

export function cargoResult(outcome: ToolOutcome): CompileResult {
  const problems = cargoMessages(outcome.stdout).flatMap(({ message }) => (message === undefined ? [] : problemOf(message)));
  const stopped = whyStopped(outcome, "cargo");
  if (stopped === null && outcome.exitCode === 0) return { passed: true, problems: [] };
  const reason = stopped ?? `cargo ended with ${outcome.exitCode}: ${lastLines(outcome.stderr.split("\n"))}`;
  return { passed: false, problems: problems.length > 0 ? unique(problems) : [withoutPlace(reason)] };
}

function problemOf({ level, message, spans }: NonNullable<CargoMessage["message"]>): SourceProblem[] {
  if (level !== "error" || message.startsWith("aborting due to")) return [];
  const place = spans.find(({ is_primary }) => is_primary);
  return [{ file: place?.file_name ?? null, line: place?.line_start ?? 1, column: place?.column_start ?? 1, message }];
}

/** A library is compiled for its tests as well, with the same problems. */
function unique(problems: readonly SourceProblem[]): SourceProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
