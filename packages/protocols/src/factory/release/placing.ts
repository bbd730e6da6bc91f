import type { Failure } from "@slipway/durable/errors";
import { findFeature } from "@slipway/kernel/change/feature/store";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { attempt, certain } from "../../features/attempt.ts";
import { gate, gateAll } from "../../features/gate.ts";
import { holdLocks } from "../../features/locks.ts";
import type { Start, Tried } from "../../features/phase.ts";
import type { Site } from "../../features/site.ts";
import { enter, stillStanding } from "../../features/standing.ts";
import { submitInTurn } from "../../features/submission.ts";
import type { FactoryShop } from "../shop.ts";
import { changesOnto, planFor } from "./assembling.ts";
import { patchesOf, type FileChange } from "./patches.ts";
import type { Release } from "./schema.ts";

/** Where a release is worked on, as a feature is. */
export interface ReleaseSite extends Site {
  readonly shop: FactoryShop;
  readonly release: Release;
}

/** Null when a person has given it up. */
export async function planRelease(site: ReleaseSite, { attempt: name }: Start): Promise<Tried<true | null>> {
  const submitted = await submitInTurn(site, name, await planNow(site, name));
  if (!submitted.ok) return forPerson(submitted.failure);
  return { ok: true, value: submitted.value === null ? null : true };
}

/** The files, then every gate. After the first time they are put anew on the base as it is then. Null when a person has given it up. */
export async function placeRelease(site: ReleaseSite, { attempt: name }: Start): Promise<Tried<true | null>> {
  if (!(await stillStanding(site, `build:${name}`, "building"))) return { ok: true, value: null };
  const refused = (name === "1" ? null : await anew(site, name)) ?? (await applyFiles(site, name));
  if (refused !== null) return forPerson(refused);
  const fast = await gate(site, "fast", name);
  if (!fast.ok) return forPerson(fast.failure);
  if (!(await enter(site, `qa-entry:${name}`, "qa", "the fast gates passed"))) return { ok: true, value: null };
  const all = await gateAll(site, name);
  if (!all.ok) return forPerson(all.failure);
  return { ok: true, value: (await enter(site, `ready:${name}`, "ready_to_merge", "every required gate passed")) ? true : null };
}

/** More of the same cannot help: nobody works on it who could do better. */
function forPerson(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { ...failure, details: { ...failure.details, requires_human: true } } };
}

async function anew(site: ReleaseSite, name: string): Promise<Failure | null> {
  const { features } = site.shop.kernel;
  await certain(site, `restart:${name}`, (call) => features.restart(call, { feature_id: site.id }));
  const plan = await planNow(site, name);
  const before = await site.ctx.step(`planned:${name}`, () => features.plan(site.id));
  if (JSON.stringify([before.files, before.allowed_areas]) === JSON.stringify([plan.files, plan.allowed_areas])) return null;
  const version = before.plan_version;
  const revised = { ...plan, plan_version: version + 1, revision_of: version, revision_reason: "the base or the policy has changed" };
  const contended = await holdLocks(site, `locks:${name}`, revised);
  if (contended !== null) return contended;
  const updated = await attempt(site, `replan:${name}`, (call) =>
    features.updatePlan(call, { feature_id: site.id, expected_plan_version: version, plan_json: revised }),
  );
  return updated.ok ? null : updated.failure;
}

function planNow(site: ReleaseSite, name: string): Promise<Plan> {
  const { shop, id, release } = site;
  return site.ctx.step(`assemble:${name}`, async () => planFor(shop.kernel, id, release, await changesNow(site)));
}

async function changesNow({ shop, id, release }: ReleaseSite): Promise<FileChange[]> {
  const { base_commit } = await findFeature(shop.kernel.records.database.db, id);
  return changesOnto(shop, release, base_commit);
}

/** In as many patches as the policy makes of it. The same each time: they are made from what is sealed and from the feature's base. */
async function applyFiles(site: ReleaseSite, name: string): Promise<Failure | null> {
  const { features, configuration } = site.shop.kernel;
  let made: Promise<string[]> | null = null;
  const patches = () => (made ??= changesNow(site).then((changes) => patchesOf(changes, configuration.policy.patch_policy)));
  const count = await site.ctx.step(`patches:${name}`, async () => (await patches()).length);
  for (let number = 1; number <= count; number++) {
    const placed = await attempt(
      site,
      `patch:${name}.${number}`,
      async (call) => {
        const unified_diff = (await patches())[number - 1] ?? "";
        const { tree } = await features.applyPatch(call, { feature_id: site.id, unified_diff });
        return { tree };
      },
      // No worker has made it.
      { as: ({ ctx }, step) => ({ actor: { type: "system", id: `release@${ctx.runId}` }, operationId: `${ctx.runId}/${step}` }) },
    );
    if (!placed.ok) return placed.failure;
  }
  return null;
}
