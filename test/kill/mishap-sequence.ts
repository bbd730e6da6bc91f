import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openQuestionsOf } from "@slipway/runtime/choose";
import { journalWhole } from "./invariants.ts";
import { query } from "./query.ts";
import { COMMANDS, type Given } from "./mishap-commands.ts";
import { approve, git, IDS, inSession, userState, worktreeOf, type Yard } from "./mishap-yard.ts";
import { seededRandom } from "./random.ts";

export interface Move extends Given {
  readonly command: string;
}

const NAMES = Object.keys(COMMANDS);

/** The same moves for the same seed. Each has its own number and text, so that omitting one changes no other. */
export function movesOf(seed: number): Move[] {
  const random = seededRandom(seed);
  const length = 2 + Math.floor(random() * 7);
  return Array.from({ length }, (_, index) => {
    // Every other move drives the harness, so that mishaps meet it at work.
    const harness = index % 3 === 2;
    const names = harness ? NAMES.filter((name) => COMMANDS[name]?.by === "harness") : NAMES;
    const command = names[Math.floor(random() * names.length)] ?? "resume";
    const feature = IDS[Math.floor(random() * IDS.length)] ?? "letters";
    return { command, feature, number: random(), text: `by hand ${seed}.${index}\n` };
  });
}

/** How often the run is resumed at the end, with all its questions answered. */
const MOST_DRIVES = 10;

/** Every violation during the moves and after the run was driven to its end. */
export async function play(yard: Yard, moves: readonly Move[]): Promise<string[]> {
  const before = userState(yard);
  const problems: string[] = [];
  let texts = new Set<string>();
  for (const move of moves) {
    const { by, run } = COMMANDS[move.command] ?? { by: "harness" as const, run: () => undefined };
    try {
      await run(yard, move);
    } catch (error) {
      problems.push(`${move.command} threw ${error instanceof Error ? error.stack : String(error)}`);
    }
    if (by === "person" && isOnBase(move)) yard.onBase.add(move.text);
    const kept = alive(yard, new Set([...texts, move.text]));
    if (by === "harness") problems.push(...lost(texts, kept, move.command));
    texts = kept;
    if (userState(yard) !== before) problems.push(`${move.command} changed the user's checkout`);
    if (problems.length > 0) return problems;
  }
  problems.push(...(await carryOn(yard, moves)), ...lost(texts, alive(yard, texts), "resuming"));
  if (userState(yard) !== before) problems.push("resuming changed the user's checkout");
  return [...problems, ...landedAsApproved(yard), ...(await journalWhole(yard as never))];
}

/** Answers everything and resumes, until every feature is merged or the same questions repeat. */
async function carryOn(yard: Yard, moves: readonly Move[]): Promise<string[]> {
  const [{ number } = { number: 0 }] = moves;
  let last = "";
  for (let drive = 1; drive <= MOST_DRIVES; drive++) {
    const asked = await inSession(yard, async (session) => {
      await session.engine.resetCrashes(yard.runId, "mishaps").catch(() => undefined);
      const outcome = await session.drive(yard.runId);
      if (outcome.status !== "waiting") return `ended ${JSON.stringify(outcome)}`;
      const open = await openQuestionsOf(session.records, yard.runId);
      for (const { id, kind, options, context } of open) {
        if (kind === "approval") await approve(yard, session, context["feature_id"] as never);
        else {
          const values = options.map(({ value }) => value).filter((value) => value !== "give_up");
          const value = values[Math.floor(number * values.length)];
          if (value !== undefined) await session.records.answer({ id, value: { decision: value }, by: { type: "person", id: "kim" } });
        }
      }
      return open
        .map(({ kind, context }) => `${kind} ${String(context["feature_id"])} ${String(context["code"] ?? "")}`)
        .toSorted()
        .join("; ");
    });
    if (asked.startsWith("ended ")) return ended(yard, asked);
    if (asked === "") return [`waits for nothing: ${JSON.stringify(query(yard.folder, "SELECT id, status, status_reason FROM features"))}`];
    // A question that is asked again after its answer counts as waiting.
    if (asked === last && drive > 4) return ended(yard, asked);
    last = asked;
  }
  return ended(yard, last);
}

function ended(yard: Yard, how: string): string[] {
  const features = query(yard.folder, "SELECT id, status, status_reason FROM features");
  return features.filter(({ status }) => status === "failed").map((row) => `a feature has failed: ${JSON.stringify(row)} (${how})`);
}

/** Each at most once, and nothing unapproved. */
function landedAsApproved({ folder, approved }: Yard): string[] {
  const merges = query(folder, "SELECT feature_id, change, commit_sha FROM merges");
  const twice = merges.filter(({ feature_id }, index) => merges.findIndex((other) => other["feature_id"] === feature_id) !== index);
  return [
    ...twice.map(({ feature_id }) => `${String(feature_id)} was merged twice`),
    ...merges.filter(({ change }) => !approved.has(String(change))).map((row) => `merged without approval: ${JSON.stringify(row)}`),
  ];
}

function lost(before: ReadonlySet<string>, after: ReadonlySet<string>, by: string): string[] {
  return [...before].filter((text) => !after.has(text)).map((text) => `${by} lost ${JSON.stringify(text)}`);
}

/**
 * The texts that a person can find: on a branch, in a file of a worktree, or in the feature after adoption. A hidden ref alone does not
 * count.
 */
function alive(yard: Yard, texts: ReadonlySet<string>): Set<string> {
  const reached = reachableTexts(yard, ["--branches"]);
  const files = [...IDS.map((id) => worktreeOf(yard, id)), ...elsewhere(yard)].flatMap((folder) => textsIn(folder));
  const all = [reached, ...files].join("\n");
  // A text that a person committed to the base and rewrote since may still be below a feature's branch until that is rebuilt.
  const base = reachableTexts(yard, ["main"]);
  return new Set([...texts].filter((text) => (yard.onBase.has(text) ? base : all).includes(text.trim())));
}

function isOnBase({ command }: Move): boolean {
  return /\bthe base\b/.test(command) && !command.startsWith("put the branch");
}

const seenBlobs = new Map<string, string>();

function reachableTexts({ folder }: Yard, from: readonly string[]): string {
  const adopted = query(folder, "SELECT tree FROM checks WHERE kind = 'by_hand' UNION SELECT tree FROM features");
  const roots = from.includes("main") ? from : [...from, ...adopted.map(({ tree }) => String(tree))];
  const oids = git(folder, "rev-list", "--objects", ...roots)
    .split("\n")
    .filter((line) => line.includes(" "))
    .map((line) => line.slice(0, 40));
  return [git(folder, "log", ...from, "--format=%B"), ...oids.map((oid) => blobText(folder, oid))].join("\n");
}

function blobText(folder: string, oid: string): string {
  const known = seenBlobs.get(oid);
  if (known !== undefined) return known;
  const text = git(folder, "cat-file", "-p", oid);
  seenBlobs.set(oid, text);
  return text;
}

function elsewhere({ home }: Yard): string[] {
  return readdirSync(home)
    .filter((name) => /^(?:moved|elsewhere)-/.test(name))
    .map((name) => join(home, name));
}

function textsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".git")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** A shorter sequence that still fails. */
export async function shrink(fresh: () => Yard, moves: readonly Move[]): Promise<readonly Move[]> {
  for (const [index] of moves.entries()) {
    const fewer = moves.filter((_, other) => other !== index);
    if ((await play(fresh(), fewer)).length > 0) return shrink(fresh, fewer);
  }
  return moves;
}

export function inWords(moves: readonly Move[]): string {
  return moves.map(({ command, feature, number }) => `${command} (${feature}, ${number.toFixed(3)})`).join("; ");
}
