import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OUR_CONFIGURATION, THEIR_CONFIGURATION } from "./configurations.ts";
import { areaOf, makeRepository, planOf, sourceOf, specOf, write } from "./repository.ts";
import { startSide, type Side } from "./side.ts";

type Args = Readonly<Record<string, unknown>>;

interface Samples {
  readonly ours: number[];
  readonly theirs: number[];
}

/** Both sides on repositories with the same files. Calls alternate, so that a busy machine affects both. */
export interface Contest {
  readonly ours: Side;
  readonly theirs: Side | null;
  /** The folder of a third repository with the same files, for git alone. */
  readonly plain: string;
  /** The folder of our repository `name`. */
  rootOf(name: string): string;
  readonly samples: ReadonlyMap<string, Samples>;
  /** Opens the repositories `name` on both sides, and creates missing ones. */
  open(name: string, options?: { readonly sandboxed?: boolean; readonly run?: string }): Promise<void>;
  /** The same tool on both, timed under `row`; without a row nothing is recorded. */
  both(row: string | null, tool: string, args?: Args, theirArgs?: Args): Promise<void>;
  addFeature(number: number, rows?: { readonly init?: string | null; readonly plan?: string | null }): Promise<void>;
  close(): Promise<void>;
}

export function featureOf(number: number): string {
  return `feature_${number}`;
}

export async function startContest(peerFolder: string | null): Promise<Contest> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-bench-peer-")));
  const ours = startSide("ours.ts");
  const theirs = peerFolder === null ? null : startSide("theirs.ts", [peerFolder]);
  const samples = new Map<string, Samples>();
  const made = new Set<string>();
  const placeOf = (name: string) => ({ ours: join(home, name, "ours"), theirs: join(home, name, "theirs") });
  let place = placeOf("none");
  const plain = join(home, "plain");
  mkdirSync(plain);
  makeRepository(plain);

  async function both(row: string | null, tool: string, args: Args = {}, theirArgs: Args = args): Promise<void> {
    const ourTime = await ours.call(tool, args);
    const theirTime = await theirs?.call(tool, theirArgs);
    if (row === null) return;
    const kept = samples.get(row) ?? { ours: [], theirs: [] };
    samples.set(row, kept);
    kept.ours.push(ourTime);
    if (theirTime !== undefined) kept.theirs.push(theirTime);
  }

  return {
    ours,
    theirs,
    plain,
    rootOf: (name) => placeOf(name).ours,
    samples,
    async open(name, { sandboxed = false, run = "bench" } = {}) {
      place = placeOf(name);
      if (!made.has(name)) {
        for (const folder of [place.ours, place.theirs]) mkdirSync(folder, { recursive: true });
        makeRepository(place.ours, OUR_CONFIGURATION);
        makeRepository(place.theirs, THEIR_CONFIGURATION);
        made.add(name);
      }
      await ours.open(place.ours, { sandboxed });
      await theirs?.open(place.theirs, { run });
    },
    both,
    async addFeature(number, { init = null, plan = null } = {}) {
      const feature_id = featureOf(number);
      write(place.ours, { [`.slipway/features/${feature_id}/spec.md`]: specOf(feature_id) });
      write(place.theirs, { [`.aop/features/${feature_id}/spec.md`]: specOf(feature_id) });
      await both(init, "feature.init", { feature_id });
      await theirs?.call("feature.intake_submit", { feature_id, intake_submission: intakeOf(feature_id) });
      const plan_json = planOf(feature_id, number);
      await both(plan, "plan.submit", { feature_id, plan_json }, { feature_id, plan_json: { ...plan_json, plan_trace: traceOf(number) } });
    },
    async close() {
      await ours.close();
      await theirs?.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The peer needs confirmed requirements before it accepts a plan. */
function intakeOf(feature_id: string) {
  const obligation = { obligation_id: "OBL-001", kind: "behavior", name: "first line", description: "The first line is changed." };
  return {
    verified_manifest: {
      feature_id,
      manifest_version: 1,
      artifact_type: "verified",
      verification_basis: "structured_spec",
      verified_at: new Date().toISOString(),
      source_bootstrap_version: 1,
      obligations: [{ ...obligation, source_refs: [], verification_hint: "required", confidence: "high" }],
    },
    open_ambiguities: [],
    resolved_ambiguities: [],
    requires_user_input: false,
  };
}

function traceOf(number: number) {
  return [{ obligation_id: "OBL-001", disposition: "in_scope", planned_paths: [sourceOf(number)], notes: `in ${areaOf(number)}` }];
}
