import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { git, type Ended, type Flow } from "./flow.ts";
import { fsckProblems, journalWhole, nothingLeft, paidOnce, ranOnce, untouched } from "./invariants.ts";
import { query } from "./query.ts";

const SHIPPED = [
  "MM-parse_time@1.0.0",
  "MM-format_time@1.0.0",
  "MM-parse_days@1.0.0",
  "MM-join_spans@1.0.0",
  "MM-parse_time@1.1.0",
  "MM-parse_hours@1.0.0",
  "MM-is_open@1.0.0",
  "MM-next_opening@1.0.0",
];
const OUT_OF_USE = "MM-parse_time@1.0.0";

/** Every violated invariant after the factory's run has ended. */
export async function factoryViolations(flow: Flow, last: Ended, sealed: SealWatch): Promise<string[]> {
  sealed.look();
  const unfinished = [...sealed.problems, ...ended(last)];
  if (unfinished.length > 0) return unfinished;
  const left = await nothingLeft(flow, 2);
  return [
    ...shippedOnce(flow),
    ...releasedOnce(flow),
    ...untouched(flow),
    ...ranOnce(flow),
    ...paidOnce(flow),
    ...fsckProblems(flow.folder),
    ...(await journalWhole(flow)),
    ...left,
  ];
}

function ended({ code, stdout, stderr }: Ended): string[] {
  const released = code === 0 && stdout.includes('"status":"completed"') && stdout.includes('"status":"released"');
  return released ? [] : [`the run did not end with a release: exit ${code} ${stdout} ${stderr}`];
}

const storeOf = ({ folder }: Pick<Flow, "folder">) => join(folder, ".slipway", "state_store");

export interface SealWatch {
  /** Checked after each death, and at the end. */
  look(): void;
  readonly problems: string[];
}

/** A sealed module never changes, and nothing is in the index without its evidence, at any moment. */
export function watchSeals(flow: Flow): SealWatch {
  const known = new Map<string, string>();
  const problems: string[] = [];
  return {
    problems,
    look() {
      for (const [ref, digest] of sealedNow(flow)) {
        const before = known.get(ref);
        if (before !== undefined && before !== digest) problems.push(`${ref} was sealed and has changed`);
        known.set(ref, digest);
      }
      for (const ref of indexed(flow)) if (!known.has(ref)) problems.push(`${ref} is in the code index and has no ship.json`);
    },
  };
}

function sealedNow(flow: Flow): [string, string][] {
  const modules = join(storeOf(flow), "modules");
  if (!existsSync(modules)) return [];
  const versions = readdirSync(modules).flatMap((id) => readdirSync(join(modules, id)).map((version) => [id, version] as const));
  return versions
    .filter(([id, version]) => existsSync(join(modules, id, version, "ship.json")))
    .map(([id, version]) => [`${id}@${version}`, digestOf(join(modules, id, version))]);
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    hash.update(path.slice(folder.length)).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function indexed({ folder }: Flow): string[] {
  if (!existsSync(layoutAt(folder).database)) return [];
  try {
    return query(folder, "SELECT module_id || '@' || version AS ref FROM code_index_entries ORDER BY position").map(({ ref }) =>
      String(ref),
    );
  } catch (error) {
    // It died before there were tables.
    if (error instanceof Error && error.message.includes("no such table")) return [];
    throw error;
  }
}

/** One entry, one evidence and one seal per version, and nothing else. */
function shippedOnce(flow: Flow): string[] {
  const { folder } = flow;
  const entries = indexed(flow);
  const evidence = contributions(flow).filter(({ type }) => type === "SHIP_EVIDENCE").length;
  const retired = query(
    folder,
    "SELECT module_id || '@' || version AS ref, status FROM code_index_retirements JOIN code_index_entries USING (position)",
  );
  return [
    ...(JSON.stringify(entries) === JSON.stringify(SHIPPED) ? [] : [`the code index has ${entries.join(", ")}`]),
    ...(evidence === SHIPPED.length ? [] : [`${evidence} contributions of ship evidence for ${SHIPPED.length} versions`]),
    ...(JSON.stringify(retired) === JSON.stringify([{ ref: OUT_OF_USE, status: "SUPERSEDED" }])
      ? []
      : [`out of use: ${JSON.stringify(retired)}`]),
  ];
}

function contributions(flow: Flow): { readonly type?: string }[] {
  const folder = join(storeOf(flow), "contributions");
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { type?: string });
}

/** One release and one merge; on main every module is as sealed. */
function releasedOnce(flow: Flow): string[] {
  const { folder } = flow;
  const merges = git(folder, ["log", "--first-parent", "--format=%H", "main"]).trim().split("\n").length;
  const releases = readdirSync(join(storeOf(flow), "releases"));
  const changed = SHIPPED.filter((ref) => ref !== OUT_OF_USE).flatMap((ref) => {
    const path = ref.replace("@", "/");
    return ["contract.json", "implementation/index.ts", "ship.json", "tests/module.test.ts"].filter(
      (file) => git(folder, ["show", `main:modules/${path}/${file}`]) !== readFileSync(join(storeOf(flow), "modules", path, file), "utf8"),
    );
  });
  return [
    ...(merges === 2 ? [] : [`main has ${merges} commits on its first-parent line instead of 2`]),
    ...(releases.length === 1 ? [] : [`releases: ${releases.join(", ")}`]),
    ...changed.map((file) => `${file} on main differs from the sealed file`),
    ...(query(folder, "SELECT id FROM approvals").length === 1 ? [] : ["not every approval was used exactly once"]),
  ];
}
