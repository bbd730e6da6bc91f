import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Demo } from "@slipway/protocols/demo/demo";
import type { DemoAnswers } from "@slipway/protocols/demo/files";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { personOf } from "@slipway/protocols/surface/caller";
import type { Io } from "@slipway/protocols/surface/io";
import { paint } from "@slipway/protocols/surface/paint";
import type { Session } from "@slipway/runtime/session";
import { approveAll, asDemo } from "./approvals.ts";

export interface DemoPerson {
  /** Answers every open question that the demo has an answer for, or signs every approval, and prints it. Returns how many. */
  answerAll(): Promise<number>;
}

/** Answers the questions of one run: the first question of a kind gets the first answer of that kind, and so on. */
export function demoPerson(
  demo: Demo,
  answers: DemoAnswers,
  session: Pick<Session, "records" | "kernel">,
  io: Io,
  say: (text: string) => void,
): DemoPerson {
  const { bold } = paint(io.color);
  const { inbox } = session.records;
  const given: Record<string, number> = {};

  async function answer(question: InboxQuestion): Promise<boolean> {
    const { id, kind, title } = question;
    const count = given[kind] ?? 0;
    const value = answers[kind]?.[count];
    if (value === undefined) return false;
    given[kind] = count + 1;
    say(["", bold(`A person is asked: ${oneLine(title)}`), ...shown(demo, question), answerText(value), ""].join("\n"));
    await session.records.answer({ id, value, by: personOf(asDemo(io)) });
    return true;
  }

  async function approve(): Promise<number> {
    if ((await inbox.listOpen()).every(({ kind }) => kind !== "approval")) return 0;
    const ready = demo.readyToMerge ?? "Ready to merge";
    say(`\n${bold(`${ready}. This is what a person would look at; in your repository only you can approve it.`)}\n`);
    return approveAll(session, io, (text) => say(cut(text.split("\n")).join("\n")));
  }

  return {
    async answerAll() {
      let count = 0;
      for (const question of await inbox.listOpen()) if (await answer(question)) count++;
      return count > 0 ? count : approve();
    },
  };
}

/** An excerpt of the question as a person would see it. */
function shown(demo: Demo, question: InboxQuestion): string[] {
  const lines = demo.excerpt?.(question) ?? question.body.split("\n");
  return [...cut(lines), ...question.options.map(({ value, label }) => `${value}: ${label}`)].map((line) => `  ${line}`);
}

const MOST_LINES = 20;

/** Long lists are shortened in the middle. */
function cut(lines: readonly string[]): string[] {
  const dropped = lines.length - MOST_LINES;
  if (dropped <= 0) return [...lines];
  return [...lines.slice(0, MOST_LINES / 2), `… (${dropped} more lines)`, ...lines.slice(-MOST_LINES / 2)];
}

function answerText(value: Readonly<Record<string, unknown>>): string {
  const [[, first] = ["", ""], ...rest] = Object.entries(value);
  const more = rest.map(
    ([name, given]) =>
      `\n    ${name}:${Array.isArray(given) ? given.map((one) => `\n      - ${inWords(one)}`).join("") : ` ${inWords(given)}`}`,
  );
  return `  The demo answers ${inWords(first)}${more.join("")}`;
}

function inWords(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, given]) => `${name} ${inWords(given)}`)
    .join(", ");
}
