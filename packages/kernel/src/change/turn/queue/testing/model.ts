import type { Policy } from "../../../../config/policy.ts";
import { pairwiseCollisions } from "../../../plan/testing/pairwise.ts";
import { plannedFiles, type Plan } from "../../../plan/schema.ts";

interface ModelFeature {
  status: "planning" | "building" | "blocked" | "failed" | "merged";
  accepted: Plan | null;
  queued: { plan: Plan; detectedAt: number } | null;
}

/** Plans, locks and queue as the requirements describe them, in plain data: no database, no claims, no leases. */
export class QueueModel {
  readonly features = new Map<string, ModelFeature>();
  readonly locks = new Map<string, string>();
  readonly policy: Policy;
  time = 0;

  constructor(ids: readonly string[], policy: Policy) {
    this.policy = policy;
    for (const id of ids) this.features.set(id, { status: "planning", accepted: null, queued: null });
  }

  of(id: string): ModelFeature {
    const feature = this.features.get(id);
    if (feature === undefined) throw new Error(id);
    return feature;
  }

  /** The error code of the call; null if it succeeds. */
  propose(id: string, plan: Plan): string | null {
    const feature = this.of(id);
    if (feature.status === "failed" || feature.status === "merged") return "invalid_status_transition";
    if (feature.status === "blocked" && feature.accepted === null && feature.queued === null) return "invalid_status_transition";
    const inTheWay = this.#inTheWay(id, plan);
    const required = this.#missing(id, plan);
    if (this.policy.collision_policy === "block" && inTheWay.length > 0) {
      const same = feature.queued !== null && JSON.stringify(this.#inTheWay(id, feature.queued.plan)) === JSON.stringify(inTheWay);
      feature.queued = { plan, detectedAt: same ? (feature.queued?.detectedAt ?? 0) : this.time };
      feature.status = "blocked";
      return "blocked_by_collision_policy";
    }
    if (required.length > 0) return "lock_not_held";
    if (inTheWay.length > 0) return "collision_detected";
    this.#accept(id, plan);
    this.#turns();
    return null;
  }

  acquire(id: string, resource: string): string | null {
    if (["failed", "merged"].includes(this.of(id).status)) return "policy_violation";
    const holder = this.locks.get(resource);
    if (holder !== undefined && holder !== id) return "lock_conflict";
    this.locks.set(resource, id);
    this.#turns();
    return null;
  }

  release(id: string, resource: string): string | null {
    if (this.locks.get(resource) !== id) return "lock_not_held";
    this.locks.delete(resource);
    this.#turns();
    return null;
  }

  /** Ends the feature: releases its locks, its plan and its queue entry. */
  end(id: string, status: "failed" | "merged"): void {
    const feature = this.of(id);
    feature.status = status;
    feature.queued = null;
    for (const [resource, holder] of this.locks) if (holder === id) this.locks.delete(resource);
    this.#turns();
  }

  unblock(id: string): void {
    Object.assign(this.of(id), { status: "planning", queued: null });
    this.#turns();
  }

  inQueue(): { id: string; plan_version: number; required: string[] }[] {
    return [...this.features]
      .flatMap(([id, { queued }]) => (queued === null ? [] : [{ id, ...queued }]))
      .toSorted((one, two) => one.detectedAt - two.detectedAt || (one.id < two.id ? -1 : 1))
      .map(({ id, plan }) => ({ id, plan_version: plan.plan_version, required: this.#missing(id, plan) }));
  }

  /** Accepts the oldest plan without obstacles, until there is none. */
  #turns(): void {
    for (;;) {
      const clear = this.inQueue().find(({ id }) => this.#inTheWay(id, this.of(id).queued?.plan ?? null).length === 0);
      if (clear === undefined) return;
      for (const resource of clear.required) this.locks.set(resource, clear.id);
      this.#accept(clear.id, this.of(clear.id).queued?.plan ?? null);
    }
  }

  #accept(id: string, plan: Plan | null): void {
    const feature = this.of(id);
    if (feature.status === "planning" || feature.queued !== null) feature.status = "building";
    Object.assign(feature, { accepted: plan, queued: null });
  }

  #inTheWay(id: string, plan: Plan | null): string[] {
    if (plan === null) return ["no plan"];
    const others = [...this.features].filter(([other, { status }]) => other !== id && status !== "failed" && status !== "merged");
    const plans = others.flatMap(([, { accepted }]) => (accepted === null ? [] : pairwiseCollisions(plan, accepted, this.policy)));
    const locked = this.#missing(id, plan).filter((resource) => this.locks.has(resource));
    return [
      ...plans.map((item) => JSON.stringify(item)),
      ...locked.map((resource) => `${resource} ${this.locks.get(resource)}`),
    ].toSorted();
  }

  #missing(id: string, { contracts, ...plan }: Plan): string[] {
    const needed = [
      ...(contracts.openapi === "modify" ? ["openapi"] : []),
      ...(contracts.events === "modify" ? ["events"] : []),
      ...(contracts.db === "migration" ? ["db_migrations"] : []),
      ...(plannedFiles({ contracts, ...plan }).some(({ path }) => path.startsWith("libs/core/")) ? ["protected:libs/core"] : []),
    ];
    return needed.filter((resource) => this.locks.get(resource) !== id).toSorted();
  }
}
