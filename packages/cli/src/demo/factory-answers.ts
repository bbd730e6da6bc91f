import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { approveAll } from "./approvals.ts";
import { HOURS } from "./bundle.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf } from "@slipway/protocols/surface/caller";
import type { Session } from "@slipway/runtime/session";

/** The answers of the demo's person, by kind of question. */
export async function bundledAnswers(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  return JSON.parse(await readFile(join(HOURS.folder, "answers.json"), "utf8")) as Record<string, Record<string, unknown>>;
}

/** The sentence that `--edit` replaces, and its replacement. */
export async function bundledEdit(): Promise<{ readonly from: string; readonly to: string }> {
  return JSON.parse(await readFile(join(HOURS.folder, "edit.json"), "utf8")) as { from: string; to: string };
}

/** Answers every open question and says so. A kind is answered once. Returns how many. */
export async function answerAll(session: Session, io: Io, say: (text: string) => void, answered: Set<string>): Promise<number> {
  const { bold } = paint(io.color);
  const answers = await bundledAnswers();
  let count = 0;
  for (const question of await session.records.inbox.listOpen()) {
    const value = answers[question.kind];
    if (value === undefined || answered.has(question.kind)) continue;
    answered.add(question.kind);
    say(["", bold(`A person is asked: ${oneLine(question.title)}`), ...shown(question), answerText(value), ""].join("\n"));
    await session.records.answer({ id: question.id, value, by: personOf({ ...io, env: { ...io.env, SLIPWAY_USER: "the demo" } }) });
    count++;
  }
  if (count > 0) return count;
  if ((await session.records.inbox.listOpen()).every(({ kind }) => kind !== "approval")) return 0;
  say(`\n${bold("The release is ready to merge. This is what a person would look at; in your repository only you can approve it.")}\n`);
  return approveAll(session, io, (text) => say(cut(text.split("\n")).join("\n")));
}

/** An excerpt of what a person would see. */
function shown({ kind, body, options, context }: InboxQuestion): string[] {
  const lines = kind === "spec_approval" ? outline(body) : kind === "interface_change" ? change(body, context) : body.split("\n");
  return [...cut(lines), ...options.map(({ value, label }) => `${value}: ${label}`)].map((line) => `  ${line}`);
}

const MOST_LINES = 20;

/** Long lists lose their middle. */
function cut(lines: readonly string[]): string[] {
  const dropped = lines.length - MOST_LINES;
  if (dropped <= 0) return [...lines];
  return [...lines.slice(0, MOST_LINES / 2), `… (${dropped} more lines)`, ...lines.slice(-MOST_LINES / 2)];
}

/** The headings of a spec. */
function outline(markdown: string): string[] {
  return markdown.split("\n").filter((line) => /^#{1,6} |^No warnings/.test(line));
}

/** The reason of a contract change, and its additions. */
function change(body: string, context: InboxQuestion["context"]): string[] {
  const { details } = (context["escalation"] ?? {}) as { readonly details?: { readonly proposed_contract_delta?: object } };
  const changed = Object.entries(details?.proposed_contract_delta ?? {}).filter(([, list]) => Array.isArray(list) && list.length > 0);
  const [reason = ""] = body.split("\n");
  return [reason, ...changed.map(([name, list]) => `${name}: ${JSON.stringify(list)}`)];
}

function answerText(value: Readonly<Record<string, unknown>>): string {
  const [[, first] = ["", ""], ...rest] = Object.entries(value);
  const more = rest.map(
    ([name, given]) =>
      `\n    ${name}:${Array.isArray(given) ? given.map((one) => `\n      - ${String(one)}`).join("") : ` ${String(given)}`}`,
  );
  return `  The demo answers ${String(first)}${more.join("")}`;
}
