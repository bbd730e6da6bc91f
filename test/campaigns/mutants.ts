import { globSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyOf } from "./mutants/copy.ts";
import { EQUIVALENTS } from "./mutants/equivalents.ts";
import { brokenLines, sampleLines, type BrokenLine } from "./mutants/mutate.ts";
import { readNeighbours } from "./mutants/neighbours.ts";
import { batchesFor, notice } from "./mutants/notice.ts";
import { isSource, PROTOCOLS, SAFETY_CRITICAL, type Room } from "./mutants/rooms.ts";
import { taggedRooms } from "./mutants/tagged.ts";
import { startTests, type TestRunner } from "./mutants/test-runner.ts";

const { values } = parseArgs({
  options: {
    /** Of each room; of all protocols, or of all that tagged tests reach, together. */
    lines: { type: "string", default: "10" },
    seed: { type: "string" },
    rooms: { type: "string", default: "" },
    protocols: { type: "boolean", default: false },
    /** What is reached by tests whose titles carry a requirement id. */
    tagged: { type: "boolean", default: false },
    minutes: { type: "string", default: "600" },
    /** The first ones of the sample were tried before. */
    skip: { type: "string", default: "0" },
    /** Test files that are tried for a line at most, the nearest ones. */
    nearest: { type: "string", default: "1000" },
    /** `path:line` of a survivor, to see whether a new test notices it: the line is broken in every way. */
    at: { type: "string", multiple: true, default: [] },
  },
});
const root = join(import.meta.dirname, "..", "..");
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const lines = Number(values.lines);
const until = Date.now() + Number(values.minutes) * 60_000;

interface Mutant extends BrokenLine {
  readonly room: Room;
  /** Below the checkout. */
  readonly path: string;
}

function mutantsOf(folder: string, room: Room): Mutant[] {
  return room.sources
    .flatMap((path) => (path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: folder }).toSorted()))
    .filter(isSource)
    .flatMap((path) => brokenLines(readFileSync(join(folder, path), "utf8")).map((broken) => ({ room, path, ...broken })));
}

function isEquivalent({ path, is, line, text }: Mutant): boolean {
  const before = text.split("\n")[line - 2]?.trim();
  return EQUIVALENTS.some((known) => known.path === path && known.is === is.trim() && (known.after ?? before) === before);
}

/** A sentence or an empty line that is left out of a message. */
const isProse = ({ was, is }: Mutant) => is.trim() === "" && /^\s*["'`](?:["'`]|.* )/.test(was);

interface Score {
  tried: number;
  noticed: number;
  leftOut: number;
  /** No test that could be relied on noticed it, but some could not. */
  unclear: number;
}

setPriority(10);
const wanted = values.tagged ? taggedRooms(root, readNeighbours(root)) : values.protocols ? PROTOCOLS : SAFETY_CRITICAL;
const known = new Set(wanted.map(({ name }) => name));
const names = values.rooms === "" ? null : values.rooms.split(",");
const unknown = names?.filter((name) => !known.has(name)) ?? [];
if (unknown.length > 0) throw new Error(`no room is called ${unknown.join(", ")}; there are ${[...known].join(", ")}`);
const places = values.at;
const rooms = wanted.filter(({ name }) => names === null || names.includes(name));
const copy = copyOf(root);
const scores = new Map<string, Score>(rooms.map(({ name }) => [name, { tried: 0, noticed: 0, leftOut: 0, unclear: 0 }]));
const unreliable = new Set<string>();
/** Of one package at a time: each takes much memory. */
const runners = new Map<string, TestRunner>();

async function runnerOf(owner: string): Promise<TestRunner> {
  const running = runners.get(owner);
  if (running !== undefined) return running;
  await closeRunners();
  const started = await startTests(join(copy.folder, "packages", owner), join(copy.folder, "tests.log"));
  runners.set(owner, started);
  return started;
}

async function closeRunners(): Promise<void> {
  for (const running of runners.values()) await running.close();
  runners.clear();
}

try {
  const all = rooms.map((room) => mutantsOf(copy.folder, room));
  const isPlace = ({ path, line }: Mutant) => places.includes(`${path}:${line}`);
  const sampled =
    places.length > 0
      ? all.flat().filter(isPlace)
      : values.protocols || values.tagged
        ? sampleLines(all.flat(), lines, seed)
        : all.flatMap((some) => sampleLines(some, lines, seed));
  const chosen = sampled.slice(Number(values.skip));
  console.log(`seed ${seed}: ${chosen.length} lines, of ${all.flat().length} ways to break one in ${scores.size} rooms`);
  const neighbours = readNeighbours(copy.folder);
  const passing = new Set<string>();
  for (const [index, mutant] of chosen.entries()) {
    if (Date.now() > until) {
      console.log(`out of time; go on with --skip ${Number(values.skip) + index}`);
      break;
    }
    const { room, path, line, was, is, text } = mutant;
    const score = scores.get(room.name);
    if (score === undefined) continue;
    if (isEquivalent(mutant) || isProse(mutant)) {
      score.leftOut++;
      continue;
    }
    const runner = await runnerOf(room.package);
    const batches = batchesFor(path, room.tests, { files: runner.files, folder: copy.folder, neighbours }, Number(values.nearest));
    const file = join(copy.folder, path);
    const began = performance.now();
    const noticed = await notice(runner, { file, before: readFileSync(file, "utf8"), text }, batches, passing);
    const seconds = Math.round((performance.now() - began) / 1000);
    for (const test of noticed.unreliable) unreliable.add(test);
    const place = `${room.name}: ${path}:${line} (${seconds} s)`;
    if (noticed.by === null && noticed.unreliable.length > 0) {
      score.unclear++;
      console.log(`unclear: ${place}`);
    } else {
      score.tried++;
      if (noticed.by !== null) score.noticed++;
      console.log(noticed.by === null ? `survived: ${place}` : `noticed: ${place} by ${noticed.by.replace(copy.folder, "")}`);
    }
    console.log(`  - ${was.trim()}\n  + ${is.trim()}`);
  }
} finally {
  await closeRunners();
  copy.remove();
}
for (const test of unreliable) console.log(`fails with no line broken, and was not counted: ${test.replace(copy.folder, "")}`);
const told = [...scores].filter(([, { tried, unclear }]) => tried + unclear > 0);
for (const [name, { tried, noticed, leftOut, unclear }] of told) {
  console.log(
    `${name}: ${tried} lines broken, ${noticed} noticed (${((100 * noticed) / Math.max(1, tried)).toFixed(1)} %), ${leftOut} left out, ${unclear} unclear`,
  );
}
const sum = (of: keyof Score) => told.reduce((total, [, score]) => total + score[of], 0);
console.log(`seed ${seed}: ${sum("tried")} lines broken, ${sum("noticed")} noticed, ${sum("tried") - sum("noticed")} survived`);
process.exitCode = sum("tried") === sum("noticed") && sum("unclear") === 0 ? 0 : 3;
