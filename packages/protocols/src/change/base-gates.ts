import type { Ctx } from "@slipway/durable/ctx";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Trial } from "@slipway/kernel/change/judge/trials/trial";
import type { TrialReport } from "@slipway/kernel/change/judge/trials/trials";
import { z } from "zod";

export const baseGatesAnswer = z.strictObject({ decision: z.enum(["again", "go_on", "stop"]), comment: z.string().optional() });

/**
 * Runs the required gates on the unchanged base before the first agent is called. If one fails, a person decides: repair the base,
 * let the agents repair it, or stop. Returns the reason if the run ends here, otherwise null.
 */
export async function tryGatesOnBase(ctx: Ctx, { trials, configuration }: Kernel, skip: boolean | undefined): Promise<string | null> {
  if (skip === true || !configuration.policy.gates.try_on_base) return null;
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId}` } as const;
  for (let round = 1; ; round++) {
    const step = `base-gates:${round}`;
    const report = await ctx.step(step, (signal) => trials.onBase({ actor, operationId: `${ctx.runId}/${step}` }, {}, { signal }));
    const red = report.trials.filter(({ status }) => status === "fail");
    if (red.length === 0) return null;
    const answer = await ctx.ask(`${step}:red`, redQuestion(report, red));
    if (answer.decision === "go_on") return null;
    if (answer.decision === "stop") return answer.comment ?? `the gates fail on ${report.of} before any change`;
  }
}

function redQuestion({ of, commit, trials }: TrialReport, red: readonly Trial[]) {
  return {
    kind: "base_gates",
    title: `The ${list(red.map(({ mode }) => mode))} gates fail on ${of}, before any change`,
    body: [
      `Slipway ran them in a fresh checkout of ${of} (${commit?.slice(0, 10) ?? ""}). No agent has been called yet.`,
      ...distinct(trials).flatMap(trialLines),
    ].join("\n"),
    options: [
      { value: "again", label: "I have fixed it: run the gates again (changes in slipway/ take effect after `slipway resume`)" },
      { value: "go_on", label: "continue: the agents may fix it" },
      { value: "stop", label: "end this run; nothing has been changed" },
    ],
    schema: baseGatesAnswer,
    context: { base: of, commit, modes: red.map(({ mode }) => mode) },
    answerableBy: ["person" as const],
  };
}

/** Groups modes that failed at the same step with the same log, so that the log is shown once. */
function distinct(trials: readonly Trial[]): (readonly Trial[])[] {
  return [...Map.groupBy(trials, ({ step, status }) => (status === "fail" && step !== null ? step.log_path : Symbol("alone"))).values()];
}

function trialLines(alike: readonly Trial[]): string[] {
  const [trial] = alike;
  if (trial === undefined) return [];
  const name = list(alike.map(({ mode }) => mode));
  if (trial.status === "pass") return ["", `${name}: passed`];
  const { failure, step, cause } = trial;
  const where = step === null ? "" : ` at step "${step.name}" (${step.command.join(" ")})${exitText(step.exit_code)}`;
  return [
    "",
    `${name}: ${trial.status === "warn" ? "passed with a warning" : "failed"}${where}: ${failure?.message ?? ""}`,
    ...(cause === null ? [] : [`likely cause: ${cause.cause}`, `next: ${cause.next}`]),
    ...(step === null ? [] : [`log: ${step.log_path}, at its end:`, ...step.log_tail.map((line) => `  | ${line}`)]),
  ];
}

function exitText(code: number | null): string {
  return code === null ? "" : `, exit code ${code}`;
}

function list(names: readonly string[]): string {
  return names.join(" and ");
}
