import { DESIGN_SPECS } from "../prompts/context-files.ts";
import { sectionsOf } from "../session/sections.ts";
import { sessionPath } from "../session/session-name.ts";
import type { CrewSession } from "./crew-session.ts";
import { nextName } from "./progress.ts";

const SHOWN: Readonly<Record<string, RegExp>> = {
  "spec.md": /goals?\b|acceptance criteria|assumptions|out of scope/i,
  "architecture.md": /overview|modules?|components?|data ?flow|decisions?/i,
};
const MAX_SECTION = 1_500;

/** Scope, criteria and assumptions; modules, data flows and decisions; and every design-spec. */
export function designQuestion({ run, progress }: CrewSession): Promise<string> {
  return run.ctx.step(nextName(progress, "question"), async () => {
    const names = await run.files.paths();
    const wanted = names.filter((name) => SHOWN[name] !== undefined || name.startsWith("adr/") || name.startsWith(DESIGN_SPECS));
    const parts = await Promise.all(wanted.map(async (name) => summaryOf(name, (await run.files.text(name)) ?? "")));
    return [...parts, `The files are in ${sessionPath(run.folder)}. Approve this design, or say what to change.`].join("\n\n");
  });
}

function summaryOf(name: string, text: string): string {
  const shown = SHOWN[name];
  const sections = sectionsOf(text).filter(({ level, title }) => level > 1 && (shown === undefined || shown.test(title)));
  const body = sections.map(({ title, body: content }) => `${title}:\n${cut(content)}`);
  return [`${name}`, ...(body.length === 0 ? [cut(text)] : body)].join("\n");
}

function cut(text: string): string {
  return text.length <= MAX_SECTION ? text : `${text.slice(0, MAX_SECTION).toWellFormed()} …`;
}
