import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ScannerReport, ScannerRun, SecurityFinding } from "@slipway/languages/analysis/security";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { afterEach, describe, expect, test } from "vitest";
import { holesIn } from "../lattice/lattice.ts";
import { readArtifacts } from "../run-artifacts.ts";
import { readRun } from "../store.ts";
import { RUN_ID } from "../testing/state-scene.ts";
import { idOf, openInjection, type InjectionEnd, type InjectionOptions, type InjectionScene } from "./testing/injection-scene.ts";

let scene: InjectionScene;
afterEach(() => scene.close());

/** Enough functions that one failure or escalation is below both rates. */
const TWELVE = Object.fromEntries("abcdefghijkl".split("").map((name) => [name, "m"]));

async function endOf(options: InjectionOptions): Promise<InjectionEnd> {
  scene = await openInjection(options);
  const outcome = await scene.drive();
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return outcome.value as InjectionEnd;
}

const bodiesAsked = (name: string) =>
  scene.asked.filter((request) => request.function === name).map(({ role, attempt }) => `${role} ${attempt}`);

describe("injection", () => {
  test("[CRI-008] it ends when no hole is left, with every accepted body in the source", async () => {
    const end = await endOf({ functions: { a: "m", b: "m", c: "n" }, body: ({ function: name }) => `return ${name.charCodeAt(0)};` });
    expect(end.at).toBe("mesoscopic.generatingTests");
    expect(holesIn(end.tree, typescriptAdapter())).toEqual([]);
    expect(end.bodies).toEqual({ [idOf("a")]: "return 97;", [idOf("b")]: "return 98;", [idOf("c", "n")]: "return 99;" });
  });

  test("[CRI-058] a function is written after those it calls", async () => {
    await endOf({ functions: { a: "m", b: "m", c: "m" }, calls: { a: ["b"], b: ["c"] } });
    expect(scene.asked.map((request) => request.function)).toEqual(["c", "b", "a"]);
  });

  test("[CRI-061] the tiers are worker, structurer and architect", async () => {
    await endOf({
      functions: TWELVE,
      body: ({ function: name, role }) => (name === "a" && role !== "architect" ? "return 0; // wrong" : "return 1;"),
    });
    expect(bodiesAsked("a")).toEqual(["worker 1.1", "worker 1.2", "worker 1.3", "structurer 1.4", "structurer 1.5", "architect 1.6"]);
  });

  test("[CRI-061] calls in a fallback tier ask for the model of the tier", async () => {
    await endOf({
      functions: TWELVE,
      body: ({ function: name, role }) => (name === "a" && role !== "architect" ? "return 0; // wrong" : "return 1;"),
    });
    const events = (scene.file("events.jsonl") ?? "").trimEnd().split("\n");
    const calls = events.map((line) => JSON.parse(line) as { event: string; data: { model: string; role: string } });
    const models = new Set(calls.filter(({ event }) => event === "model_call").map(({ data }) => `${data.role} ${data.model}`));
    expect(models).toEqual(new Set(["worker_model scripted-1", "structurer_model worker_fallback_1", "architect_model worker_fallback_2"]));
  });

  test("[CRI-055] [CRI-067] no prompt contains an earlier attempt, another body or the ledger", async () => {
    const body = ({ function: name, attempt, role }: { function: string; attempt: string; role: string }) =>
      `const mark_${name}_${attempt.replace(".", "_")} = 1; return mark_${name}_${attempt.replace(".", "_")};${name === "c" && role === "worker" ? " // wrong" : ""}`;
    await endOf({ functions: TWELVE, calls: { c: ["a"], b: ["c"] }, body });
    expect(scene.asked.length).toBeGreaterThan(14);
    for (const { prompt } of scene.asked) {
      expect(prompt).not.toMatch(/mark_|wrong/);
      expect(prompt).not.toMatch(/constraint|ledger/i);
    }
  });

  test("[CRI-057] only an escalation tells what failed; a retry after failed tests tells nothing", async () => {
    await endOf({
      functions: TWELVE,
      body: ({ function: name, role }) => (name === "a" && role === "worker" ? "return 0; // wrong" : "return 1;"),
    });
    const prompts = scene.asked.filter((request) => request.function === "a").map(({ prompt }) => prompt);
    expect(prompts.map((prompt) => /FAILING TESTS:\n\s*- a: expected 1, got 0/.test(prompt))).toEqual([false, false, false, true]);
    expect(new Set(prompts.slice(0, 3)).size).toBe(1);
  });

  test("[CRI-057] a second syntax error gets the parser's message", async () => {
    await endOf({
      functions: TWELVE,
      body: ({ function: name, attempt }) => (name === "a" && attempt !== "1.3" ? "return 1 +;" : "return 1;"),
    });
    const prompts = scene.asked.filter((request) => request.function === "a").map(({ prompt }) => prompt);
    expect(prompts.map((prompt) => prompt.includes("SYNTAX HINT: Line 1, column 11"))).toEqual([false, false, true]);
  });

  test("[CRI-059] the functions of a cycle are accepted or discarded together", async () => {
    const end = await endOf({
      functions: { even: "m", odd: "m" },
      calls: { even: ["odd"], odd: ["even"] },
      body: ({ function: name, attempt }) =>
        name === "odd" && attempt === "1.1" ? "return 0; // wrong" : `return ${attempt.replace(".", "")};`,
    });
    expect(bodiesAsked("even")).toEqual(["worker 1.1", "worker 1.2"]);
    expect(end.bodies).toEqual({ [idOf("even")]: "return 12;", [idOf("odd")]: "return 12;" });
  });

  test("[CRI-068] no more functions than allowed are in flight, and bodies are committed by id", async () => {
    const end = await endOf({ functions: TWELVE, config: "[orchestrator]\nmax_parallel_injections = 3\n", overlap: true });
    expect(scene.mostAtOnce()).toBeLessThanOrEqual(3);
    expect(scene.mostAtOnce()).toBeGreaterThan(1);
    expect(Object.keys(end.bodies)).toEqual(Object.keys(TWELVE).map((name) => idOf(name)));
  });

  test("[CRI-183] a function over its limit fails by timeout, which escalates at once", async () => {
    await endOf({
      functions: TWELVE,
      config: "[orchestrator.timeouts]\ninjection_per_function_seconds = 30\n",
      body: ({ function: name, role }) => (name === "a" && role === "worker" ? "return 1; // slow" : "return 1;"),
    });
    expect(bodiesAsked("a")).toEqual(["worker 1.1", "structurer 1.2"]);
    expect(scene.asked.find(({ attempt, function: name }) => name === "a" && attempt === "1.2")?.prompt).toMatch(
      /FAILURE TYPE: Timeout\n\s*LIMIT: 30000/,
    );
  });

  test("[CRI-012] a rate breaker returns to Lattice with a report that names what tripped and has no code", async () => {
    const end = await endOf({
      functions: { a: "accounts", b: "accounts", c: "money" },
      body: ({ function: name, role }) =>
        name === "a" && role === "worker" ? "const secret_code = 0; return secret_code; // wrong" : "return 1;",
    });
    expect(end.at).toBe("lattice.generatingStructure");
    expect(JSON.parse(end.defect ?? "")).toEqual({
      condition: "module_escalation_rate",
      rate: 0.5,
      functions: [idOf("a", "accounts")],
      modules: ["src/domain/accounts"],
      failureTypes: ["test"],
    });
  });
});

describe("[CRI-195] critical functions", () => {
  /** Refutes a body that says so, and has no verdict about one that says nothing. */
  const SCRIPT = "grep -q refuted src/domain/m.ts && { echo 'it can be negative'; exit 1; }; grep -q proved src/domain/m.ts || exit 2";
  const verifier = (functions: string, more = "") =>
    `[verifier]\ncommand = ["sh", "-c", ${JSON.stringify(SCRIPT)}]\nfunctions = ["${functions}"]\n${more}`;
  const row = async (name: string) => {
    const { artifacts = "{}" } = (await readRun(scene.records.database.db, RUN_ID)) ?? {};
    return readArtifacts(artifacts).functions.find(({ id }) => id === idOf(name));
  };

  test("a body that the verifier refutes is written again, and the verdict is shown", async () => {
    const end = await endOf({
      functions: { a: "m", b: "n" },
      config: verifier("src/domain/m.ts#*"),
      body: ({ attempt }) => (attempt === "1.1" ? "return 1; // refuted" : "return 1; // proved"),
    });
    expect([bodiesAsked("a"), bodiesAsked("b")]).toEqual([["worker 1.1", "worker 1.2"], ["worker 1.1"]]);
    expect(end.bodies[idOf("a")]).toContain("proved");
    expect(await row("a")).toMatchObject({ status: "accepted", formal: { verdict: "pass", message: "" } });
  });

  test("its message reaches the next tier as a failing test", async () => {
    await endOf({
      functions: TWELVE,
      config: verifier(idOf("a")),
      body: ({ function: name, role }) => (name === "a" ? `return 1; // ${role === "worker" ? "refuted" : "proved"}` : "return 1;"),
    });
    const last = scene.asked.findLast((request) => request.function === "a");
    expect(last?.role).toBe("structurer");
    expect(last?.prompt).toMatch(/formal verification of src\/domain\/m\.ts#a: expected a pass, got it can be negative/);
  });

  test("no verdict is shown and accepts the body, unless a verdict is required", async () => {
    await endOf({ functions: { a: "m" }, config: verifier("**") });
    expect(await row("a")).toMatchObject({ status: "accepted", formal: { verdict: "inconclusive", message: "sh ended with code 2" } });
    await scene.close();
    scene = await openInjection({
      functions: { a: "m" },
      config: `${verifier("**")}required = true\n[circuit_breaker]\nmodule_escalation_rate = 1\nphase_failure_rate = 1\n`,
    });
    expect((await scene.drive()).status).toBe("waiting");
    expect((await scene.question()).body).toContain("no verdict: sh ended with code 2");
  });
});

describe("injection that needs a person", () => {
  const exhausting: InjectionOptions = {
    functions: TWELVE,
    body: ({ function: name, attempt }) => (name === "a" && attempt.startsWith("1.") ? "return 0; // wrong" : "return 1;"),
  };

  test("[CRI-064] a function that is exhausted blocks the run, with its attempts and the defect report", async () => {
    scene = await openInjection(exhausting);
    expect((await scene.drive()).status).toBe("waiting");
    const { data } = scene.json<{ protocolState: { data: { reason: Record<string, unknown> } } }>("state.json").protocolState;
    expect(data.reason).toMatchObject({
      type: "circuit_breaker",
      failedFunction: idOf("a"),
      defect: { condition: "function_exhausted", functions: [idOf("a")] },
    });
    expect(data.reason["attempts"]).toHaveLength(7);
    const question = await scene.question();
    expect(question.options.map(({ value }) => value)).toContain("return_to_lattice");
    expect(question.body).toContain("a: expected 1, got 0");
  });

  test("[CRI-130] while it is blocked no model is asked, however often it is driven", async () => {
    scene = await openInjection(exhausting);
    await scene.drive();
    const asked = scene.asked.length;
    await scene.drive();
    expect((await scene.drive()).status).toBe("waiting");
    expect(scene.asked).toHaveLength(asked);
  });

  test("[CRI-131] trying again starts with attempt 1 of the worker, and the choice is in the ledger", async () => {
    scene = await openInjection(exhausting);
    await scene.drive();
    await scene.answer({ decision: "retry_function" });
    expect(await scene.drive()).toMatchObject({ status: "completed", value: { at: "mesoscopic.generatingTests" } });
    expect(bodiesAsked("a").at(-1)).toBe("worker 2.1");
    expect(scene.file("ledger.toml")).toContain("circuit_breaker_001: Try the function again");
  });

  test("a function that is left out stays a hole, and the run asks again before it ends", async () => {
    scene = await openInjection(exhausting);
    await scene.drive();
    await scene.answer({ decision: "continue_others" });
    expect((await scene.drive()).status).toBe("waiting");
    expect((await scene.question()).body).toContain(idOf("a"));
    await scene.answer({ decision: "return_to_lattice" });
    expect(await scene.drive()).toMatchObject({ value: { at: "lattice.generatingStructure" } });
  });

  test("[CRI-131] giving up ends the run", async () => {
    scene = await openInjection(exhausting);
    await scene.drive();
    await scene.answer({ decision: "give_up", comment: "not worth it" });
    expect(await scene.drive()).toMatchObject({ value: { given_up: expect.stringContaining("not worth it") } });
  });

  test("[CRI-126] a finding in the loop is a failure of its function; the architect's blocks for a review", async () => {
    scene = await openInjection({ functions: TWELVE, body: ({ function: name }) => (name === "a" ? 'return eval("1");' : "return 1;") });
    expect((await scene.drive()).status).toBe("waiting");
    expect(bodiesAsked("a")).toEqual(["worker 1.1", "architect 1.2"]);
    expect((await scene.question()).title).toContain("security_review");
  });

  const finding: SecurityFinding = { rule: "weak-hash", severity: "high", function: null, line: 3, message: "MD5" } as never;

  test("[CRI-126] a high finding of the scan after the last function blocks, until it is accepted", async () => {
    scene = await openInjection({ functions: { a: "m" }, findings: () => [finding] });
    expect((await scene.drive()).status).toBe("waiting");
    expect((await scene.question()).body).toContain("high, src/domain/m.ts:3: MD5");
    await scene.answer({ decision: "accept_risk" });
    expect(await scene.drive()).toMatchObject({ value: { at: "mesoscopic.generatingTests" } });
    expect(bodiesAsked("a")).toEqual(["worker 1.1"]);
  });

  test("[CRI-126] or until the functions of the file are written again", async () => {
    let found = [finding];
    scene = await openInjection({ functions: { a: "m", b: "n" }, findings: () => found });
    await scene.drive();
    found = [];
    await scene.answer({ decision: "retry" });
    expect(await scene.drive()).toMatchObject({ value: { at: "mesoscopic.generatingTests" } });
    expect(bodiesAsked("a")).toEqual(["worker 1.1", "worker 2.1"]);
  });

  test("[CRI-126] a medium finding does not block", async () => {
    expect(await endOf({ functions: { a: "m" }, findings: () => [{ ...finding, severity: "medium" }] })).toMatchObject({
      at: "mesoscopic.generatingTests",
    });
  });

  const report: ScannerReport = { findings: [], ran: ["bandit"], missing: [], failed: [] };

  test("[CRI-126] a high finding of an installed scanner blocks, in a file or in a dependency", async () => {
    const found = { tool: "bandit", rule: "B307", severity: "high", line: 2, message: "eval" } as const;
    scene = await openInjection({
      functions: { a: "m" },
      scanners: () => ({
        ...report,
        findings: [
          { ...found, file: "src/domain/m.ts" },
          { ...found, rule: "GHSA", file: null, message: "left-pad" },
        ],
      }),
    });
    expect((await scene.drive()).status).toBe("waiting");
    expect((await scene.question()).body).toContain("- high, src/domain/m.ts:2: eval\n- high, bandit: left-pad");
    await scene.answer({ decision: "accept_risk" });
    expect(await scene.drive()).toMatchObject({ value: { at: "mesoscopic.generatingTests" } });
  });

  test("[CRI-125] the scanners see the whole program on disk, and the network only if the configuration says so", async () => {
    const seen: unknown[] = [];
    const scanners = (folder: string, { network }: ScannerRun) => {
      seen.push([
        network,
        existsSync(join(folder, "package.json")),
        readFileSync(join(folder, "src/domain/m.ts"), "utf8").includes("return 1;"),
      ]);
      return report;
    };
    await endOf({ functions: { a: "m" }, scanners });
    await scene.close();
    await endOf({ functions: { a: "m" }, scanners, config: "[orchestrator]\nscan_dependencies = true\n" });
    expect(seen).toEqual([
      [false, true, true],
      [true, true, true],
    ]);
  });
});
