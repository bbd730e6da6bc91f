import { describe, expect, test } from "vitest";
import { createPack } from "../pack.ts";
import { invoke, type Invocation, type InvocationResult } from "../invoke.ts";
import type { AgentEvent, Provider, Workplace } from "../provider.ts";
import { PLANNER } from "./samples.ts";
import { ANSWER, EDITED, GREETING, INVALID, VALID, type Behaviour, type CaseName } from "./provider-suite-cases.ts";

/** A provider with a model or program that behaves as scripted. */
export interface Opened {
  readonly provider: Provider;
  readonly model?: string | null;
  /** For a provider that works on files; it contains GREETING. */
  readonly workplace: Workplace | null;
  /** The changes in the workplace, as a unified diff. */
  readonly patch: () => Promise<string>;
  /** The tool results the model received; without it they are taken from the events. */
  readonly toolResults?: () => readonly string[];
  /** Resolves when the model or program was asked and does not answer. */
  readonly reached: () => Promise<void>;
  /** Processes of this case that are alive now: a killed one ends a moment later. */
  readonly survivors: () => Promise<readonly number[]>;
  readonly close: () => Promise<void>;
}

export interface ProviderFixture {
  readonly name: string;
  readonly open: (behaviour: Behaviour) => Promise<Opened>;
  /** Cases that do not apply to this provider, with reasons. */
  readonly cannot?: Partial<Record<CaseName, string>>;
  /** How long to wait for one that hangs: longer than it takes to start. */
  readonly patienceMs?: number;
  /** For one case. */
  readonly caseTimeoutMs?: number;
  /** Called for each passed case, for the table of results. */
  readonly onPassed?: (name: CaseName, opened: Opened) => void;
}

type Result = InvocationResult<{ verdict: string; reason: string }>;

/** Runs the same cases against every provider. */
export function providerSuite(fixture: ProviderFixture): void {
  const { cannot = {}, patienceMs = 1_500, caseTimeoutMs = 30_000 } = fixture;

  function on(name: CaseName, behaviour: Behaviour, body: (opened: Opened, ask: Ask) => Promise<void>): void {
    const reason = cannot[name];
    test(name, { timeout: caseTimeoutMs }, async ({ skip }) => {
      if (reason !== undefined) skip(reason);
      const opened = await fixture.open(behaviour);
      try {
        await body(opened, asking(opened, caseTimeoutMs));
        fixture.onPassed?.(name, opened);
      } finally {
        await opened.close();
      }
    });
  }

  describe(`provider suite: ${fixture.name}`, () => {
    on("schema-valid answer", { does: "answer", answers: [VALID] }, async (opened, ask) => {
      const result = await ask();
      expect(result).toMatchObject({ ok: true, output: { verdict: "yes", reason: "It greets." }, usage: { calls: 1 } });
      expect(opened.provider.name).not.toBe("");
    });

    on("repair after invalid output", { does: "answer", answers: [INVALID, VALID] }, async (_, ask) => {
      const asked: string[] = [];
      const result = await ask({ watch: (moment) => void (moment.kind === "sent" && asked.push(moment.prompt)) });
      expect(result).toMatchObject({ ok: true, output: { verdict: "yes" }, usage: { calls: 2 } });
      expect(asked).toHaveLength(2);
      expect(asked[1]).toMatch(/verdict/);
    });

    on("refusal", { does: "refuse" }, async (_, ask) => expectFailure(await ask(), "agent_refused", { retryable: false }));

    on("tool use", { does: "read", path: GREETING.path, answer: VALID }, async ({ toolResults }, ask) => {
      const events: AgentEvent[] = [];
      const result = await ask({ onEvent: (event) => events.push(event) });
      expect(result).toMatchObject({ ok: true, output: { verdict: "yes" } });
      const used = events.filter((event) => event.kind === "tool");
      expect(used.map(({ ok }) => ok)).toContain(true);
      expect(JSON.stringify(used)).toContain(GREETING.path);
      // Not every client reports tool results in its stream; the model must have received them anyway.
      const results = toolResults?.() ?? used.map(({ output }) => output);
      expect(results.join("\n")).toContain(GREETING.text.trim());
    });

    on("file edits returned as a patch", { does: "write", path: GREETING.path, content: EDITED, answer: VALID }, async ({ patch }, ask) => {
      expect(await patch()).toBe("");
      expect(await ask()).toMatchObject({ ok: true });
      const diff = await patch();
      expect(diff).toContain(`-${GREETING.text}`);
      expect(diff).toContain(`+${EDITED}`);
      expect(diff.match(/^\+\+\+ /gm)).toHaveLength(1);
    });

    on("timeout", { does: "hang" }, async ({ survivors }, ask) => {
      expectFailure(await ask({ timeoutMs: patienceMs }), "agent_failed", { retryable: true });
      await expect.poll(survivors).toEqual([]);
    });

    on("cancel", { does: "hang" }, async ({ reached, survivors }, ask) => {
      const stop = new AbortController();
      const pending = ask({ signal: stop.signal });
      const settled = expect(pending).rejects.toThrow("stop asked for");
      await Promise.race([reached(), pending]);
      stop.abort(new Error("stop asked for"));
      await settled;
      await expect.poll(survivors).toEqual([]);
    });

    on("rate limit", { does: "rate limit", retryAfterSeconds: 120 }, async (_, ask) => {
      const result = await ask();
      expectFailure(result, "rate_limited", { retryable: true, wake_at: expect.any(Number) });
    });

    on("quota", { does: "out of quota" }, async (_, ask) => {
      const result = await ask();
      expectFailure(result, "quota_exhausted", { retryable: true });
      if (!result.ok) expect(result.failure.details).toHaveProperty("wake_at");
    });

    on("auth missing", { does: "no credentials" }, async (_, ask) =>
      expectFailure(await ask(), "provider_auth_missing", { requires_human: true }),
    );

    on("crash", { does: "crash" }, async (_, ask) => expectFailure(await ask(), "agent_failed", { retryable: true }));

    on("truncated stream", { does: "break off" }, async (_, ask) => expectFailure(await ask(), "agent_failed", { retryable: true }));

    on("output without exit code", { does: "answer and be killed", answer: VALID }, async (_, ask) =>
      // The answer is complete and valid, so it counts; the tree is checked anyway.
      expect(await ask()).toMatchObject({ ok: true, output: { verdict: "yes" } }),
    );

    on("exit 0 without output", { does: "exit 0 silently" }, async (_, ask) =>
      expectFailure(await ask(), "agent_failed", { retryable: true }),
    );

    on("huge output", { does: "flood" }, async (_, ask) => {
      const result = await ask({ maxRepairs: 0 });
      expect(result.ok).toBe(false);
      if (!result.ok) expect(["agent_failed", "agent_output_invalid"]).toContain(result.failure.code);
    });

    on("process group killed with no orphans", { does: "hang with a child" }, async ({ reached, survivors }, ask) => {
      const stop = new AbortController();
      const pending = ask({ signal: stop.signal });
      const settled = expect(pending).rejects.toThrow("stop asked for");
      await Promise.race([reached(), pending]);
      expect((await survivors()).length, "the child was there before").toBeGreaterThan(0);
      stop.abort(new Error("stop asked for"));
      await settled;
      await expect.poll(survivors).toEqual([]);
    });
  });
}

type Ask = (options?: Partial<Pick<Invocation<unknown>, "signal" | "timeoutMs" | "onEvent" | "watch" | "maxRepairs">>) => Promise<Result>;

function asking({ provider, model = null, workplace }: Opened, caseTimeoutMs: number): Ask {
  return (options = {}) =>
    invoke({
      role: { ...PLANNER, tools: ["read", "ls", "glob", "grep", "write", "edit"] },
      subject: "greeting",
      attempt: "1",
      pack: createPack([{ title: "specification", kind: "spec", text: "Greet." }]),
      instructions: "Say whether the greeting greets.",
      schema: ANSWER,
      provider,
      model,
      clock: { now: Date.now, monotonic: () => performance.now() },
      workplace,
      timeoutMs: caseTimeoutMs,
      ...options,
    });
}

function expectFailure(result: Result, code: string, details: Record<string, unknown>): void {
  expect(result).toMatchObject({ ok: false, failure: { code, details } });
  if (result.ok) return;
  expect(result.failure.message).not.toMatch(/ENOENT|\bat .*:\d+:\d+|undefined/);
  expect(result.failure.details["suggested_next_actions"]).toSatisfy((next: unknown) => Array.isArray(next) && next.length > 0);
}
