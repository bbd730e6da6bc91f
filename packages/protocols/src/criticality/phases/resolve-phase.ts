import type { Question } from "@slipway/durable/ctx";
import { GivenUp } from "../../dispatch/given-up.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import { reopenFunctions } from "../injection/progress.ts";
import { blockOption, resolveBlock, type BlockAnswer } from "../machine/resolve-block.ts";
import type { BlockedState } from "../machine/states.ts";
import { nextRound, type Work } from "../work.ts";
import type { PhaseSession } from "./session.ts";
import { askForWords, choiceSchema, type ChoiceWithWords, type PersonsChoice } from "./ask-for-words.ts";
import { functionFacts } from "./injection-steps.ts";

/** The kind of the question that a block asks. */
export const BLOCK_KIND = "criticality_block";

/** Asks a person, records the choice in the ledger, and resumes where the option says, from artifacts and ledger alone. */
export async function resolveBlocked(session: PhaseSession, before: Work, blocked: BlockedState): Promise<Work> {
  const { run, keeper } = session;
  const work = nextRound(before, "blocks");
  const number = work.rounds.blocks;
  const name = `block:${number}`;
  await keeper.notifyBlock(name);
  const answer = await answerBlock(run, name, blocked);
  const resolved = applyResolution(session, work, blocked, answer);
  session.show(resolved);
  const functions = resolved.progress === null ? {} : { functions: functionFacts(resolved.progress) };
  await keeper.advance(
    { humanResponse: answer.option, ...functions },
    { text: `${blocked.query.id} resolved: ${answer.option}`, good: null },
  );
  return resolved;
}

/** Asks a person and records the choice in the ledger. Throws if they end the run. */
export async function answerBlock(run: CriticalityRun, name: string, blocked: BlockedState): Promise<BlockAnswer> {
  const { question, decision, comment } = await askBlock(run, name, blocked);
  const answer = { option: decision, text: comment };
  const resolution = resolveBlock(blocked, answer);
  if (resolution === null) throw new TypeError(`The block has no option ${answer.option}.`);
  const { ledgerEntry, supersedes, resumeAt } = resolution;
  const [first, ...others] = supersedes;
  const order = { answer_to: `${run.ctx.runId}#${question}` };
  if (first === undefined) await run.ledger.append(`${name}:decision`, [ledgerEntry]);
  else {
    await run.ledger.supersede(`${name}:decision`, { id: first, replacement: ledgerEntry, reason: blocked.query.id, ...order });
    for (const id of others)
      await run.ledger.invalidate(`${name}:${id}`, id, { summary: `superseded with ${first}`, phase: blocked.priorPhase }, order);
  }
  if (resumeAt === null) throw new GivenUp(run.id, answer.text ?? `${blocked.query.category}: ended by a person`);
  return answer;
}

const NEEDS_WORDS: ReadonlySet<string> = new Set(["hybrid", "decide", "clarify"]);

function askBlock(run: CriticalityRun, name: string, blocked: BlockedState): Promise<ChoiceWithWords> {
  return askForWords(
    name,
    (option) => NEEDS_WORDS.has(option),
    (asked, note) => run.ctx.ask(asked, blockQuestion(run, blocked, note)),
  );
}

/** The question of a block. */
export function blockQuestion(
  { id: project }: Pick<CriticalityRun, "id">,
  { query, reason, priorPhase }: BlockedState,
  note = "",
): Question<PersonsChoice> {
  const { question, options } = query;
  const shown = options.flatMap(({ id, label, implications }) => [`${id}: ${label}`, ...implications.map((line) => `  ${line}`)]);
  return {
    kind: BLOCK_KIND,
    title: `${project} is blocked: ${reason.type}`,
    body: [`${note}${question}`, "", ...shown].join("\n"),
    options: options.map(({ id, label }) => ({ value: id, label })),
    schema: choiceSchema(options.map(({ id }) => id)),
    context: { project, phase: priorPhase, query: query.id, category: query.category, options },
    answerableBy: ["person"],
  };
}

/** What the choice changes in the work, besides where the run goes on. */
function applyResolution({ run }: PhaseSession, work: Work, { reason }: BlockedState, { option }: BlockAnswer): Work {
  const { lattice, progress, rounds } = work;
  if (reason.type === "security_review" && option === "accept_risk")
    return { ...work, acceptedRisks: [...work.acceptedRisks, ...reason.vulnerability.map(({ rule, location }) => `${rule} ${location}`)] };
  if (lattice === null || progress === null || blockOption(reason, option)?.resumeAt === "lattice") return work;
  const visit = rounds.injection + 1;
  if (reason.type === "circuit_breaker" && option === "retry_function")
    return { ...work, progress: reopenFunctions(progress, reason.failedFunction.split("+"), run.services.language, visit) };
  if (reason.type === "security_review" && option === "retry") {
    const paths = reason.vulnerability.map(({ location }) => location.split(/[#:]/)[0] ?? "");
    const ids = lattice.functions.filter(({ path }) => paths.includes(path)).map(({ id }) => id);
    return { ...work, progress: reopenFunctions(progress, ids, run.services.language, visit) };
  }
  return { ...work, progress: { ...progress, visit } };
}
