import type { JournalEvent } from "@slipway/durable/chain";
import type { TrialReport } from "@slipway/kernel/change/judge/trials/trials";
import type { Line } from "./line.ts";

/** What a run says of the gates on its base, before its first feature or task begins. */
export function narrateBase({ stream, kind, name, payload }: JournalEvent): Line | null {
  if (stream.includes("/") || !isBaseGates(name)) return null;
  const given = JSON.parse(payload) as { readonly title?: unknown; readonly by?: unknown; readonly value?: Partial<TrialReport> };
  if (kind === "asked") return { feature: "base", text: `asks: ${String(given.title)}`, good: null };
  if (kind === "answered") return { feature: "base", text: `answered by ${String(given.by)}`, good: null };
  const { of, trials } = given.value ?? {};
  if (kind !== "step" || of === undefined || trials === undefined) return null;
  const good = trials.every(({ status }) => status !== "fail");
  const text = trials.map(({ mode, status, remembered, tests, failure, step }) => {
    if (status === "fail") return `${mode} gates fail${step === null ? "" : ` at step "${step.name}"`}: ${failure?.message ?? ""}`;
    const counted = tests === null ? "" : ` (${tests.total} ${tests.total === 1 ? "test" : "tests"})`;
    const but = status === "warn" ? `, but: ${failure?.message ?? ""}` : "";
    return `${mode} gates pass${counted}${remembered ? ", as before" : ""}${but}`;
  });
  return { feature: of, text: `before any change: ${text.join("; ")}`, good };
}

/** Gates may take minutes, and until they have ended nothing else happens. */
export function startedText(runId: string, step: string): string | null {
  return !runId.includes("/") && isBaseGates(step) ? "base: the gates are tried on the base branch, before any agent is called" : null;
}

function isBaseGates(name: string): boolean {
  return /^base-gates:\d+(?::red)?$/.test(name);
}
