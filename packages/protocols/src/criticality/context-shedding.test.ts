import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderRequest } from "@slipway/agents/provider";
import type { Outcome } from "@slipway/durable/outcome";
import { languageAdapter } from "@slipway/languages/adapters";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionPrompt } from "./injection/function-prompt.ts";
import { readLedger } from "./ledger/testing/read-ledger.ts";
import { readStateFile } from "./machine/testing/read-state-file.ts";
import { SKILL_PROMPTS } from "./models/prompts.ts";
import { SKILLS, type SkillName } from "./models/skills.ts";
import { LEDGER_FILE } from "./run-projection.ts";
import { readRun } from "./store.ts";
import { openProgramRun, type ProgramRun, type ProgramRunOptions } from "./testing/program-run.ts";

const LIMIT_MS = 10 * 60_000;

/** Texts that occur nowhere else: each stands for what a later prompt must not contain. */
const [INTERVIEW, RATIONALE, BODY, ARCHIVE] = ["ZQINTERVIEW", "ZQRATIONALE", "ZQBODY", "ZQARCHIVE"];

/** Plants a marker in everything that a person says, that a model gives as a reason, and in every body. */
function marking(): ProgramRunOptions {
  let turns = 0;
  return {
    said: (question, value) =>
      question.kind.startsWith("interview")
        ? { ...value, comment: `${String(value["comment"] ?? "")} ${INTERVIEW}_${++turns}_`.trim() }
        : value,
    replied: (request, output) => marked(request, output) as Record<string, unknown>,
  };
}

function marked(request: ProviderRequest, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => marked(request, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => {
      if (typeof one !== "string") return [key, marked(request, one)];
      if (key === "rationale" || (key === "reason" && request.role === "architect")) return [key, `${one} ${RATIONALE}`];
      return [key, key === "body" ? `// ${bodyMarker(request)}${request.attempt.replace(".", "_")}_\n${one}` : one];
    }),
  );
}

/** `ZQBODY_domain_money_feeFor_`. */
const bodyMarker = ({ subject }: Pick<ProviderRequest, "subject">) => `${BODY}_${subject.replaceAll(/[^A-Za-z0-9]/g, "_")}_`;

interface SentPrompt extends Pick<ProviderRequest, "role" | "subject" | "attempt"> {
  readonly skill: SkillName;
  readonly phase: string;
  readonly text: string;
}

const promptOf = ({ role, subject, attempt, system, prompt, input }: ProviderRequest): SentPrompt => {
  const skill = (Object.keys(SKILL_PROMPTS) as SkillName[]).find((name) => input.instructions.includes(SKILL_PROMPTS[name]));
  if (skill === undefined) throw new Error(`no skill for ${role} ${subject}`);
  return { role, subject, attempt, skill, phase: SKILLS[skill].phase, text: `${system}\n${prompt}` };
};

const plants = (folder: string) => {
  const archive = join(folder, "archive");
  if (!existsSync(archive)) return 0;
  const files = readdirSync(archive, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) appendFileSync(join(entry.parentPath, entry.name), `\n# ${ARCHIVE}\n`);
  return files.length;
};

let run: ProgramRun;
let outcome: Outcome;
let planted = 0;
let prompts: SentPrompt[] = [];

beforeAll(async () => {
  run = await openProgramRun(marking());
  do {
    outcome = await run.drive();
    planted += plants(run.folder);
  } while (outcome.status === "waiting" && (await run.answer()));
  prompts = run.sent.map(promptOf);
}, LIMIT_MS);
afterAll(() => run.close());

const hits = (marker: string, wanted: (prompt: SentPrompt) => boolean) =>
  prompts
    .filter((prompt) => wanted(prompt) && prompt.text.includes(marker))
    .map(({ skill, subject, attempt }) => `${skill} ${subject} ${attempt}`);
const of = (...phases: string[]) => prompts.filter(({ phase }) => phases.includes(phase));

describe("a whole run with markers", () => {
  test("comes to its end, and the markers are where they belong", async () => {
    const open = await run.scratch.records.inbox.listOpen();
    expect(open.map(({ title, body }) => `${title}\n${body}`)).toEqual([]);
    expect(outcome).toMatchObject({ status: "completed", value: { status: "merged", functions: 16 } });
    expect(new Set(prompts.map(({ phase }) => phase)).size).toBe(6);
    expect(hits(INTERVIEW, ({ phase }) => phase === "ignition").length).toBeGreaterThan(3);
    expect(readFileSync(join(run.folder, LEDGER_FILE), "utf8")).toContain(RATIONALE);
    expect(hits(BODY, ({ phase }) => phase === "massDefect").length).toBeGreaterThan(0);
    expect(planted).toBeGreaterThan(5);
  });

  test("[CRI-001] [CRI-002] nothing that was said in the interview is in a prompt after Ignition", () => {
    expect(of("lattice", "compositionAudit", "injection", "mesoscopic", "massDefect").length).toBeGreaterThan(30);
    expect(hits(INTERVIEW, ({ phase }) => phase !== "ignition")).toEqual([]);
  });

  test("[CRI-002] a second interview is told nothing of the first", () => {
    const left = prompts.findIndex(({ phase }) => phase === "lattice");
    const early = new Set(prompts.slice(0, left).flatMap(({ text }) => text.match(/ZQINTERVIEW_\d+_/g) ?? []));
    const late = prompts.slice(left).filter(({ phase }) => phase === "ignition");
    expect([early.size > 0, late.length > 0]).toEqual([true, true]);
    for (const marker of early)
      expect(late.filter(({ text }) => text.includes(marker)).map(({ subject, attempt }) => `${subject} ${attempt}`)).toEqual([]);
  });

  test("[CRI-001] [CRI-095] no reason that a model gave is in any prompt", () => {
    expect(hits(RATIONALE, () => true)).toEqual([]);
  });

  test("[CRI-055] an attempt sees no body: not its own earlier ones, and none of another function", () => {
    expect(of("injection").length).toBeGreaterThan(18);
    expect(hits(BODY, ({ phase }) => phase === "injection")).toEqual([]);
  });

  test("[CRI-055] an attempt sees no text of the specification and no constraint of the ledger", () => {
    const texts = of("injection").map(({ text }) => text);
    const { decisions } = readLedger(readFileSync(join(run.folder, LEDGER_FILE), "utf8"));
    expect(decisions.length).toBeGreaterThan(3);
    for (const { constraint } of decisions) expect(texts.filter((text) => text.includes(constraint))).toEqual([]);
    const spec = readFileSync(join(run.folder, "spec/spec.toml"), "utf8");
    const sentences = [...spec.matchAll(/"([^"]{30,})"/g)].map(([, sentence = ""]) => sentence);
    expect(sentences.length).toBeGreaterThan(3);
    for (const sentence of sentences) expect(texts.filter((text) => text.includes(sentence))).toEqual([]);
  });

  test("[CRI-067] attempts that begin alike get the same prompt, byte for byte: none has a memory", () => {
    const attempts = of("injection").filter(({ role, subject }) => role === "worker" && subject.includes("feeFor"));
    expect(attempts.length).toBeGreaterThan(2);
    expect(new Set(attempts.map(({ text }) => text)).size).toBe(1);
  });

  test("[CRI-050] [CRI-069] auditors and claim writers see no body", () => {
    expect([of("compositionAudit").length, of("mesoscopic").length].every((count) => count > 0)).toBe(true);
    expect(hits(BODY, ({ phase }) => phase === "compositionAudit" || phase === "mesoscopic")).toEqual([]);
  });

  test("[CRI-001] a reduction sees the body of its own function and of no other", () => {
    for (const { subject, text } of of("massDefect")) {
      const own = new Set((text.match(/ZQBODY_[A-Za-z0-9_]+?_(?=\d)/g) ?? []).map((one) => one));
      for (const marker of own)
        expect(bodyMarker({ subject }).startsWith(marker) || marker.startsWith(bodyMarker({ subject })), `${subject}: ${marker}`).toBe(
          true,
        );
    }
  });

  test("[CRI-188] nothing below archive/ is in a recorded model call", async () => {
    const { db } = run.scratch.records.database;
    const rows = await db.selectFrom("telemetry").select("transcript_digest").execute();
    const calls = await Promise.all(
      rows.map(async ({ transcript_digest: digest }) => Buffer.from(await run.scratch.records.objects.get(digest ?? "")).toString()),
    );
    expect(calls.length).toBe(run.sent.length);
    expect(calls.filter((call) => call.includes(ARCHIVE))).toEqual([]);
    expect(hits(ARCHIVE, () => true)).toEqual([]);
  });

  test("[CRI-156] the row of the run has its telemetry", async () => {
    const row = await readRun(run.scratch.records.database.db, null);
    expect(JSON.parse(row?.telemetry ?? "")).toEqual(JSON.parse(readFileSync(join(run.folder, "telemetry.json"), "utf8")));
  });
});

describe("the prompt of a function, over random programs", () => {
  const source = (path: string, bodies: readonly { readonly calls: boolean; readonly shape: number }[], other: string | null) =>
    [
      other === null ? "" : `import { type Value as Other, f0 as imported } from "./${other}.ts";`,
      "/** A value. */",
      `export interface Value { readonly amount: number; readonly next: Value | null${other === null ? "" : "; readonly other: Other"} }`,
      ...bodies.map(({ calls, shape }, index) => {
        const marker = `${BODY}_${path}_${index}`;
        const call = calls ? `${other === null ? "f0" : "imported"}(value as never);` : "";
        const body = [
          `// ${marker}`,
          `const text = "${marker}"; void text;`,
          `/* ${marker} { */`,
          `const inner = (x = "${marker}") => \`\${x} ${marker}\`; inner();`,
        ][shape];
        return `/**\n * REQUIRES: value.amount > 0\n * PURITY: pure\n */\nexport function f${index}(value: Value): Value {\n  ${body}\n  ${call}\n  return value;\n}`;
      }),
    ].join("\n");

  test("[CRI-055] holds no part of any body, one or two levels deep, whatever it may call", async () => {
    const language = await languageAdapter("typescript", { env: {} });
    const bodies = fc.array(fc.record({ calls: fc.boolean(), shape: fc.nat(3) }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(bodies, bodies, fc.nat(3), fc.constantFrom(1, 2), (first, second, chosen, depth) => {
        const tree = { "src/domain/a.ts": source("a", first, null), "src/domain/b.ts": source("b", second, "a") };
        const [path, count] = chosen % 2 === 0 ? ["src/domain/a.ts", first.length] : ["src/domain/b.ts", second.length];
        const name = `f${chosen % (count as number)}`;
        const callable = first.map((_one, index) => `src/domain/a.ts#f${index}`);
        const typeDefinitions = language.typeDefinitions(tree, path as string, name, depth, callable);
        const target = { name, signature: `function ${name}(value: Value): Value`, contract: { clauses: [] } };
        const text = functionPrompt({ target: target as never, typeDefinitions, hint: { kind: "types" } });
        expect(text).toContain("interface Value");
        expect(text).not.toContain(BODY);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a run that returns to Lattice", () => {
  test(
    "[CRI-049] archives the old lattice first, and gives the structurer the defect report and no code that was tried",
    async () => {
      const config = "[circuit_breaker]\nmodule_escalation_rate = 0.0\n";
      const broken = await openProgramRun({ ...marking(), config });
      try {
        // The cassette has no third lattice: the run waits after it has asked for one.
        expect(await broken.finish()).toMatchObject({ status: "waiting" });
        const again = broken.sent.map(promptOf).filter(({ phase, attempt }) => phase === "lattice" && attempt === "3.1");
        expect(again.length).toBeGreaterThan(0);
        for (const { text } of again) {
          expect(text).toContain("structural defect report");
          expect(text).toContain("module_escalation_rate");
          expect(text).toContain("src/domain/money.ts#feeFor");
          expect(text).not.toContain(BODY);
        }
        expect(readFileSync(join(broken.folder, "archive/lattice/2/src/domain/money.ts"), "utf8")).toContain("feeFor");
        expect(existsSync(join(broken.folder, "lattice"))).toBe(true);
        expect(readdirSync(join(broken.folder, "lattice"), { recursive: true }).filter((path) => String(path).endsWith(".ts"))).toEqual([]);
      } finally {
        await broken.close();
      }
    },
    LIMIT_MS,
  );
});

/** Without times, and without the fence that is made from the content. */
const timeless = (prompt: string) => prompt.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replaceAll(/text-[0-9a-f]{16}/g, "FENCE");

describe("a run that is stopped and resumed", () => {
  test(
    "[CRI-177] stopped after every few events, it takes the same transitions and sends the same prompts",
    async () => {
      const stopped = await openProgramRun({ ...marking(), leaveAfter: 23 });
      try {
        let end = await stopped.drive();
        let processes = 1;
        for (; end.status !== "completed" && end.status !== "failed"; processes++) {
          if (end.status === "waiting" && !(await stopped.answer())) break;
          end = await stopped.drive();
        }
        expect(end).toMatchObject({ status: "completed", value: { status: "merged" } });
        expect(processes).toBeGreaterThan(15);
        expect(await stopped.transitions()).toEqual(await run.transitions());
        // A call that was under way when the process stopped is made again, with the same prompt.
        const asked = ({ sent }: ProgramRun) =>
          new Set(sent.map(({ role, subject, attempt, prompt }) => `${role} ${subject} ${attempt} ${timeless(prompt)}`));
        expect(asked(stopped)).toEqual(asked(run));
        const metrics = (one: ProgramRun) => readStateFile(readFileSync(join(one.folder, "state.json"), "utf8")).metrics;
        expect({ ...metrics(stopped), phaseDurations: {} }).toEqual({ ...metrics(run), phaseDurations: {} });
      } finally {
        await stopped.close();
      }
    },
    LIMIT_MS,
  );
});
