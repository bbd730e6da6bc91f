import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyOf } from "./mutants/copy.ts";
import { EQUIVALENTS } from "./mutants/equivalents.ts";
import { brokenLines, sample, type BrokenLine } from "./mutants/mutate.ts";
import { PROTOCOLS, SAFETY_CRITICAL, type Room } from "./mutants/rooms.ts";

const { values } = parseArgs({
  options: {
    /** Of each room, or of all protocols together. */
    lines: { type: "string", default: "10" },
    seed: { type: "string" },
    rooms: { type: "string", default: "" },
    protocols: { type: "boolean", default: false },
    minutes: { type: "string", default: "600" },
  },
});
const root = join(import.meta.dirname, "..", "..");
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const lines = Number(values.lines);
const until = Date.now() + Number(values.minutes) * 60_000;
/** A test that waits for what a broken line never does. */
const LONGEST_MS = 300_000;

interface Mutant extends BrokenLine {
  readonly room: Room;
  /** Below the package. */
  readonly path: string;
}

function mutantsOf(folder: string, room: Room): Mutant[] {
  const base = join(folder, "packages", room.package);
  const files = room.sources.flatMap((path) => (path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: base }).toSorted()));
  return files
    .filter((path) => !/\.(?:test|bench)\.ts$|\/(?:testing|bench)\//.test(path))
    .flatMap((path) => brokenLines(readFileSync(join(base, path), "utf8")).map((broken) => ({ room, path, ...broken })));
}

function isNoticed(folder: string, { room, path, text }: Mutant): boolean {
  const base = join(folder, "packages", room.package);
  const before = readFileSync(join(base, path), "utf8");
  writeFileSync(join(base, path), text);
  try {
    return room.tests.some((filters) => !passes(base, filters));
  } finally {
    writeFileSync(join(base, path), before);
  }
}

function passes(base: string, filters: readonly string[]): boolean {
  const vitest = join(base, "..", "..", "node_modules", "vitest", "vitest.mjs");
  const args = [
    vitest,
    "run",
    ...filters.map((path) => path.replace(/^src\/\.$/, "src")),
    "--bail=1",
    "--coverage.enabled=false",
    "--reporter=dot",
  ];
  return spawnSync(process.execPath, args, { cwd: base, stdio: "ignore", timeout: LONGEST_MS }).status === 0;
}

const isEquivalent = ({ room, path, is }: Mutant) =>
  EQUIVALENTS.some((known) => known.path === `${room.package}/${path}` && known.is === is.trim());

const wanted = values.protocols ? PROTOCOLS : SAFETY_CRITICAL;
const names = values.rooms === "" ? null : values.rooms.split(",");
const rooms = wanted.filter(({ name }) => names === null || names.includes(name));
const copy = copyOf(root);
let tried = 0;
const survivors: Mutant[] = [];
try {
  const all = rooms.map((room) => mutantsOf(copy.folder, room));
  const chosen = values.protocols ? sample(all.flat(), lines, seed) : all.flatMap((some) => sample(some, lines, seed));
  console.log(`seed ${seed}: ${chosen.length} of ${all.flat().length} broken lines in ${rooms.length} rooms`);
  for (const room of rooms) {
    if (
      chosen.some((mutant) => mutant.room === room) &&
      !room.tests.every((filters) => passes(join(copy.folder, "packages", room.package), filters))
    )
      throw new Error(`the tests of ${room.name} fail before any line is broken`);
  }
  for (const mutant of chosen.filter((one) => !isEquivalent(one))) {
    if (Date.now() > until) break;
    tried++;
    if (isNoticed(copy.folder, mutant)) continue;
    survivors.push(mutant);
    console.log(`survived: ${mutant.room.name}: packages/${mutant.room.package}/${mutant.path}:${mutant.line}`);
    console.log(`  - ${mutant.was.trim()}\n  + ${mutant.is.trim()}`);
  }
} finally {
  copy.remove();
}
console.log(`seed ${seed}: ${tried} lines broken, ${tried - survivors.length} noticed, ${survivors.length} survived`);
process.exitCode = survivors.length === 0 ? 0 : 3;
