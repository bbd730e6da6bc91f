import { expect, test } from "vitest";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import { languageAdapter } from "@slipway/languages/adapters";
import { z } from "zod";
import type { SkillRequest } from "../criticality-run.ts";
import type { InvocationRow } from "../store.ts";
import { usageOf } from "./case-usage.ts";
import type { MeasuredLevel } from "./benchmark.ts";
import { describeBenchmark } from "./describe.ts";
import { summaryOf } from "./result.ts";
import { hiddenFailure } from "./run-case.ts";
import { SUITE } from "./suite/suite.ts";
import { unusableAnswer } from "./unusable-answer.ts";

const row = (role: string, provider: string): InvocationRow => ({
  id: `run/${role}`,
  run_id: "run",
  feature_id: null,
  role,
  provider,
  model: null,
  input_tokens: 10,
  output_tokens: 5,
  cost_usd: 0.5,
  duration_ms: 100,
  calls: 1,
  at: 1,
  transcript_digest: null,
});

test("usage is the sum of the calls, and names providers that answered for others", () => {
  const agents = { worker: { provider: "opencode", model: "m", provider_config_env: null } };
  const rows = [row("criticality/worker", "opencode"), row("criticality/worker", "claude"), row("criticality/worker", "claude")];
  expect(usageOf(rows, agents)).toEqual({
    tokens_in: 30,
    tokens_out: 15,
    cost_usd: 1.5,
    duration_ms: 300,
    substitutes: ["worker: claude"],
  });
});

test("hidden tests pass only if every one ran and passed", () => {
  const ran = (result: "PASS" | "FAIL") => ({ name: "a", result, duration_ms: 1, error: null });
  expect(hiddenFailure({ tests: [ran("PASS")], skipped: [], broken: null })).toBeNull();
  expect(hiddenFailure({ tests: [ran("FAIL")], skipped: [], broken: null })).toBe("hidden tests fail: a");
  expect(hiddenFailure({ tests: [ran("PASS")], skipped: ["b"], broken: null })).toBe("hidden tests fail: b");
  expect(hiddenFailure({ tests: [ran("PASS")], skipped: [], broken: "it crashed" })).toBe("the hidden tests did not end: it crashed");
  expect(hiddenFailure({ tests: [], skipped: [], broken: null })).toBe("no hidden test ran");
});

test("an answer without a valid body is a body that leaves its function; an outage is none", async () => {
  const schema = z.strictObject({ body: z.string() });
  const request: SkillRequest<{ body: string }> = {
    phase: "injection",
    skill: "implement_atomic",
    alias: "worker_model",
    subject: "domain.clamp.clamp",
    attempt: "1.1",
    artifacts: [],
    schema,
  };
  const failure = (code: "agent_output_invalid" | "provider_unavailable") => toFailure(new SlipwayError(code, "no"));
  expect(unusableAnswer(request, failure("provider_unavailable"))).toBeNull();
  const body = unusableAnswer(request, failure("agent_output_invalid"))?.body ?? "";
  const language = await languageAdapter("typescript", { env: {} });
  const source = language.parseAst(Object.values(SUITE[0]?.files ?? {})[0] ?? "");
  expect(() => language.injectBody(source, "clamp", body)).toThrow(expect.objectContaining({ code: "body_escapes" }));
});

test("a result to which others contributed than assigned is not done", () => {
  const level: MeasuredLevel = {
    level: "micro",
    suite: "1-00000000",
    first_tier: "worker",
    models: { worker: "opencode:m" },
    cases: [],
    summary: summaryOf([]),
    before: null,
    regressions: [],
  };
  const { done, lines } = describeBenchmark({ status: "measured", levels: [level], substitutes: ["worker: claude"], candidate: null });
  expect(done).toBe(false);
  expect(lines.at(-1)).toBe("Nothing is stored, because others answered than assigned: worker: claude.");
});
