import type { ProviderRequest } from "@slipway/agents/provider";

export interface Meeting {
  /** Returns when as many agents of the role are at work as may be, or as many as are left. */
  arrive(request: Pick<ProviderRequest, "role" | "attempt">): Promise<void>;
  /** The most agents at work at once: of each role, and `all` of any. */
  most(): Readonly<Record<string, number>>;
}

/** Agents that wait for one another: a run that dispatches fewer at once never ends. `expected` are the dispatches by role, `caps` the caps. */
export function openMeeting(expected: Readonly<Record<string, number>>, caps: Readonly<Record<string, number>>): Meeting {
  const arrived = new Map<string, number>();
  const inside = new Map<string, number>();
  const most = new Map<string, number>();
  const doors = new Map<string, PromiseWithResolvers<void>>();
  const count = (key: string, by: number) => {
    const now = (inside.get(key) ?? 0) + by;
    inside.set(key, now);
    most.set(key, Math.max(most.get(key) ?? 0, now));
  };
  return {
    async arrive({ role, attempt }) {
      const key = role === "adversarial-reviewer" ? `${role} ${attempt.split("-")[0] ?? ""}` : role;
      const cap = caps[key] ?? 1;
      const number = (arrived.get(key) ?? 0) + 1;
      arrived.set(key, number);
      const group = Math.floor((number - 1) / cap);
      const size = Math.min(cap, (expected[key] ?? 1) - group * cap);
      const name = `${key} ${group}`;
      const door = doors.get(name) ?? Promise.withResolvers<void>();
      doors.set(name, door);
      count(key, 1);
      count("all", 1);
      if (number - group * cap === size) door.resolve();
      await door.promise;
      count(key, -1);
      count("all", -1);
    },
    most: () => Object.fromEntries(most),
  };
}
