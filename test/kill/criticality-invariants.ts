import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { git, prepareRequest, spawnChild, type Ended, type Flow } from "./flow.ts";
import { fsckProblems, journalWhole, nothingLeft, paidOnce, ranOnce, untouched } from "./invariants.ts";
import { lasting, nameOf } from "./orphans.ts";
import { query } from "./query.ts";

/** Texts by path. */
export type MergedFiles = ReadonlyMap<string, string>;

/** The files that an undisturbed run merges; throws if even that one is not clean. */
export async function undisturbedProgram(): Promise<MergedFiles> {
  const flow = await prepareRequest("criticality", "main");
  const last = await spawnChild(flow, { atPoints: false });
  const files = mergedFiles(flow);
  const problems = await criticalityViolations(flow, last, files);
  if (problems.length > 0) throw new Error(`an undisturbed run is not clean:\n${problems.join("\n")}`);
  return files;
}

/** Every violated invariant after the run has ended. */
export async function criticalityViolations(flow: Flow, last: Ended, expected: MergedFiles): Promise<string[]> {
  const unfinished = ended(last);
  if (unfinished.length > 0) return unfinished;
  const left = [...(await processesLeft(flow)), ...(await nothingLeft(flow, 2))];
  return [
    ...mergedOnce(flow, expected),
    ...acceptedOnce(flow),
    ...untouched(flow),
    ...ranOnce(flow),
    ...paidOnce(flow),
    ...fsckProblems(flow.folder),
    ...(await journalWhole(flow, 2)),
    ...foldersLeft(flow),
    ...left,
  ];
}

function ended({ code, stdout, stderr }: Ended): string[] {
  const merged = code === 0 && stdout.includes('"status":"completed"') && stdout.includes('"status":"merged"');
  return merged ? [] : [`the run did not end with a merge: exit ${code} ${stdout} ${stderr}`];
}

/** Byte for byte, except for the time at which a run writes its specification. */
function mergedFiles({ folder }: Flow): MergedFiles {
  const paths = git(folder, ["ls-tree", "-r", "--name-only", "-z", "main"]).split("\0").slice(0, -1);
  const texts = paths.map((path) => [path, git(folder, ["show", `main:${path}`])] as const);
  return new Map(texts.map(([path, text]) => [path, path.startsWith("spec/") ? text.replace(/^created = .*$/m, "created") : text]));
}

function mergedOnce(flow: Flow, expected: MergedFiles): string[] {
  const { folder } = flow;
  const merged = mergedFiles(flow);
  const differing = [...new Set([...merged.keys(), ...expected.keys()])].filter((path) => merged.get(path) !== expected.get(path));
  const merges = git(folder, ["log", "--first-parent", "--format=%H", "main"]).trim().split("\n").length;
  return [
    ...(merges === 2 ? [] : [`main has ${merges} commits on its first-parent line instead of 2`]),
    ...differing.map((path) => `${path} is not what an undisturbed run merges: ${merged.get(path)?.slice(0, 2_000) ?? "missing"}`),
    ...(query(folder, "SELECT tree FROM merges").length === 1 ? [] : ["there is not exactly one merge"]),
    ...(query(folder, "SELECT id FROM approvals").length === 1 ? [] : ["the approval was not used exactly once"]),
  ];
}

interface RecordedStep {
  readonly name: string;
  readonly value: unknown;
}

function recordedSteps({ folder }: Flow, like: string): RecordedStep[] {
  const rows = query(folder, `SELECT name, payload FROM events WHERE kind = 'step' AND name LIKE '${like}' ORDER BY seq`);
  return rows.map(({ name, payload }) => ({ name: String(name), value: (JSON.parse(String(payload)) as { value: unknown }).value }));
}

/** Each body was verified once; a function has one accepted body for each time it was a hole; no hole is left. */
function acceptedOnce(flow: Flow): string[] {
  const verified = recordedSteps(flow, "verify:%");
  const reduced = recordedSteps(flow, "reduce:%:verify");
  const accepted = verified.filter(({ value }) => value === null).map(({ name }) => name.replace(/:\d+$/, ""));
  const holes = [...mergedFiles(flow)].filter(([path, text]) => path.startsWith("src/") && text.includes('new Error("hole")'));
  return [
    ...repeated([...verified, ...reduced].map(({ name }) => name)).map((name) => `${name} is recorded twice`),
    ...repeated(accepted).map((name) => `two bodies were accepted for ${name}`),
    ...(new Set(accepted.map((name) => name.replace(/:\d+$/, ""))).size === FUNCTIONS ? [] : [`bodies of ${accepted.join(", ")}`]),
    ...(reduced.length === TRANSFORMS ? [] : [`${reduced.length} transforms were verified instead of ${TRANSFORMS}`]),
    ...holes.map(([path]) => `${path} has a hole`),
    ...lostBodies(flow, verified),
  ];
}

const FUNCTIONS = 16;
const TRANSFORMS = 4;

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** The last accepted body of a function is on main, unless a transform was applied to the function. */
function lostBodies(flow: Flow, verified: readonly RecordedStep[]): string[] {
  const written = new Map(recordedSteps(flow, "write:%").map(({ name, value }) => [name, value as { value?: { body?: string } }]));
  const last = new Map<string, string>();
  for (const { name, value } of verified) {
    const [, id = "", visit, attempt] = /^verify:(.*):(\d+):(\d+)$/.exec(name) ?? [];
    if (value === null) last.set(id, written.get(`write:${id}:${visit}:${attempt}`)?.value?.body ?? "");
  }
  const files = mergedFiles(flow);
  const transformed = recordedSteps(flow, "reduce:%:verify").map(({ name }) => name.split(":")[1]);
  return [...last].flatMap(([id, body]) => {
    const [path = ""] = id.split("#");
    const isThere = plain(files.get(path) ?? "").includes(plain(body));
    return body !== "" && (isThere || transformed.includes(id)) ? [] : [`the accepted body of ${id} is not on main`];
  });
}

/** A body is indented when it is injected. */
const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** What killed processes left was removed by those after them. */
function foldersLeft({ env }: Flow): string[] {
  return readdirSync(env["TMPDIR"] ?? "")
    .filter((name) => /^slipway-(?:project|oracle|language|module)-/.test(name))
    .map((name) => `${name} is left in the folder for temporary files`);
}

/** Compilers are not in a sandbox; they have the environment of the process that started them. */
async function processesLeft(flow: Flow): Promise<string[]> {
  const pids = await lasting(() => startedFor(flow));
  return pids.map((pid) => `process ${pid} (${nameOf(pid)}) has outlived the run`);
}

function startedFor({ env }: Flow): number[] {
  const home = `HOME=${env["HOME"]}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(home));
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(join("/proc", String(pid), "environ"), "latin1").split("\0");
  } catch {
    return [];
  }
}
