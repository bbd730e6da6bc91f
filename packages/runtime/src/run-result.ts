import type { Outcome } from "@slipway/durable/outcome";
import type { Ending } from "@slipway/protocols/protocol";
import { protocolOf } from "@slipway/protocols/protocols";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import { nextActions } from "@slipway/protocols/surface/next-actions";

/** How a run ended or why it waits: the same lines and exit code for `run`, `resume`, `merge` and `watch`. */
export interface RunResult {
  readonly code: ExitCode;
  readonly lines: readonly string[];
}

/** An action for a person, and its command. */
export interface NextStep {
  readonly title: string;
  readonly command: string;
}

export async function runResult(runId: string, workflow: string, outcome: Outcome, next: readonly NextStep[]): Promise<RunResult> {
  const ending = outcome.status === "completed" ? (await protocolOf(workflow).load()).describe(outcome.value) : null;
  return { code: exitCode(outcome, ending), lines: linesOf(runId, outcome, ending, next) };
}

function exitCode({ status }: Outcome, ending: Ending | null): ExitCode {
  if (status === "waiting" || status === "stopped") return EXIT.personNeeded;
  return ending?.code ?? (ending?.done === true ? EXIT.done : EXIT.failed);
}

function linesOf(runId: string, outcome: Outcome, ending: Ending | null, next: readonly NextStep[]): readonly string[] {
  switch (outcome.status) {
    case "completed":
      return ending?.lines ?? [];
    case "waiting":
      return [
        "A person is needed:",
        ...next.map(({ title, command }) => `  ${title}\n    ${command}`),
        "Then continue with `slipway resume`.",
      ];
    case "stopped":
      return [`Run ${runId} is stopped (${outcome.reason}). Nothing is lost; continue with \`slipway resume\`.`];
    case "cancelled":
      return [`Run ${runId} was cancelled: ${outcome.reason}`];
    case "failed":
      return [
        `Run ${runId} failed: ${outcome.failure.code}: ${outcome.failure.message}`,
        ...nextActions(outcome.failure).map((action) => `  next: ${action}`),
      ];
  }
}
