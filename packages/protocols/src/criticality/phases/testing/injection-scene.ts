import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProviderRequest } from "@slipway/agents/provider";
import type { ScannerReport, ScannerRun, SecurityFinding } from "@slipway/languages/analysis/security";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import type { RanTest } from "@slipway/languages/typescript/test-run";
import { HOLE } from "@slipway/languages/typescript/source/hole";
import type { Lattice } from "../../lattice/lattice.ts";
import { readLattice } from "../../lattice/problems.ts";
import { projectTemplate } from "../../lattice/target.ts";
import { subStateName } from "../../machine/states.ts";
import type { OpenedSession } from "../../open-session.ts";
import type { ClusterTests } from "../../mesoscopic/synthesize-tests.ts";
import type { SystemSpec } from "../../spec/schema.ts";
import { sampleSpec } from "../../spec/testing/specs.ts";
import { openStateScene, WAY, type StateScene } from "../../testing/state-scene.ts";
import { NO_WORK, type Work } from "../../work.ts";
import { injectionPhase } from "../injection-phase.ts";
import { mesoscopicPhase } from "../mesoscopic-phase.ts";
import { resolveBlocked } from "../resolve-phase.ts";

/** What a model is asked for: a body of this function, as this role. */
export type BodyRequest = Pick<ProviderRequest, "role" | "subject" | "attempt" | "prompt"> & { readonly function: string };

export interface InjectionScene extends StateScene {
  readonly asked: readonly BodyRequest[];
  /** How many test runs were there at the same time, at most. */
  mostAtOnce(): number;
}

export interface InjectionOptions {
  /** Module by function: `{ a: "accounts" }`. */
  readonly functions: Readonly<Record<string, string>>;
  readonly calls?: Readonly<Record<string, readonly string[]>>;
  /**
   * The body for a request. One that contains `wrong` fails its tests, one with `slow` does not end in time, one with `breaks_CLAIM`
   * violates the claim, and one with `skips_CLAIM` makes its test skip itself.
   */
  readonly body?: (request: BodyRequest) => string;
  readonly config?: string;
  /** The first test run waits for a second one at the same time. */
  readonly overlap?: boolean;
  /** Findings of a scan of a whole file. */
  readonly findings?: () => readonly SecurityFinding[];
  /** What the language's own scanners report of the files in a folder. */
  readonly scanners?: (folder: string, run: ScannerRun) => ScannerReport;
  /** The claim that a function refers to. With it the run goes on through Mesoscopic, with one cluster for each claim. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** What the phase has come to, as the result of the run. */
export interface InjectionEnd {
  readonly at: string;
  readonly bodies: Readonly<Record<string, string>>;
  readonly tree: Readonly<Record<string, string>>;
  readonly defect: string | null;
  readonly untested: readonly string[];
  readonly passed: readonly string[];
}

const LOOK_MS = 5;
/** With one processor there is no second run. */
const ALONE_MS = 20_000;

export const idOf = (name: string, module = "m") => `src/domain/${module}.ts#${name}`;

/** The phase with a real engine, kernel, parser and compiler; models and test runs are scripted. */
export async function openInjection(options: InjectionOptions): Promise<InjectionScene> {
  const { body = () => "return 1;", config } = options;
  const asked: BodyRequest[] = [];
  const runs = { now: 0, most: 0 };
  const lattice = latticeOf(options);
  const scene = await openStateScene(
    async (session) => {
      for (const facts of [...WAY.lattice, ...WAY.compositionAudit, ...WAY.injection]) await session.keeper.advance(facts);
      const specification = { spec: specOf(options), specText: "", claimsText: "", delegated: false };
      return inject(session, { ...NO_WORK, lattice, specification, clusters: clustersOf(options) }, options.claims !== undefined);
    },
    {
      ...(config === undefined ? {} : { config }),
      answer({ role, subject, attempt, prompt }) {
        const request = { role, subject, attempt, prompt, function: subject.split(".").at(-1) ?? "" };
        asked.push(request);
        return { body: body(request) };
      },
      wrap: (adapter) => scripted(adapter, runs, options),
    },
  );
  return { ...scene, asked, mostAtOnce: () => runs.most };
}

async function inject(session: OpenedSession, before: Work, tested: boolean): Promise<InjectionEnd> {
  let work = before;
  for (;;) {
    const state = session.keeper.current();
    const phase = state.type === "active" ? state.data.phase.phase : null;
    if (state.type === "blocked") work = await resolveBlocked(session, work, state.data);
    else if (phase === "injection") work = await injectionPhase(session, work);
    else if (phase === "mesoscopic" && tested) work = await mesoscopicPhase(session, work);
    else {
      const { progress, defect, passed, clusters } = work;
      const untested = clusters.flatMap((one) => one.untested.map(({ claim }) => claim));
      return { at: subStateName(state), bodies: progress?.bodies ?? {}, tree: progress?.tree ?? {}, defect, passed, untested };
    }
  }
}

function specOf({ claims = {} }: InjectionOptions): SystemSpec {
  const named = Object.values(claims).map((id) => [id, { text: id, type: "invariant" as const, testable: true }]);
  return sampleSpec({ features: {}, claims: Object.fromEntries(named) as SystemSpec["claims"] });
}

function clustersOf({ functions, claims = {} }: InjectionOptions): ClusterTests[] {
  return Object.entries(claims).map(([name, claim]) => {
    const test = { path: `tests/property/${claim}.test.ts`, text: "", tests: [claim], untested: [] };
    return {
      cluster: { name: `of-${claim}`, modules: [`src/domain/${functions[name]}`], claims: [claim] },
      tests: [{ claim, test }],
      untested: [],
    };
  });
}

function latticeOf({ functions, calls = {}, claims = {} }: InjectionOptions): Lattice {
  const language = typescriptAdapter();
  const modules = Map.groupBy(Object.entries(functions), ([, module]) => module);
  const files = [...modules].map(([module, entries]) => ({
    path: `src/domain/${module}.ts`,
    feature: null,
    text: entries.map(([name]) => holeOf(name, claims[name])).join("\n"),
  }));
  const tree = { ...projectTemplate(language, "bank"), ...Object.fromEntries(files.map(({ path, text }) => [path, text])) };
  const full = (name: string) => idOf(name, functions[name]);
  const needs = Object.entries(calls).map(([name, called]) => ({ function: full(name), calls: called.map(full) }));
  const read = readLattice(tree, { files, calls: needs }, specOf({ functions, claims }), language);
  if (read.problems.length > 0) throw new Error(JSON.stringify(read.problems));
  return { tree, functions: read.functions, witnesses: [] };
}

function holeOf(name: string, claim: string | undefined): string {
  const reference = claim === undefined ? "" : `\n * CLAIM_REF: ${claim}`;
  return `/**\n * ENSURES: result >= 0${reference}\n */\nexport function ${name}(): number {\n  ${HOLE}\n}\n`;
}

function scripted(
  adapter: LanguageAdapter,
  runs: { now: number; most: number },
  { findings, scanners, overlap = false }: InjectionOptions,
): LanguageAdapter {
  const longestMs = overlap ? ALONE_MS : LOOK_MS;
  return {
    ...adapter,
    ...(scanners === undefined ? {} : { scanProject: async (folder, run) => scanners(folder, run) }),
    scan: (ast, name) => (name === undefined && findings !== undefined ? findings() : adapter.scan(ast, name)),
    unitTest: (_tree, path, name) => ({ path: `tests/unit/${path}/${name}.test.ts`, text: "", tests: [name], untested: [] }),
    async runTests(folder, { files = [] }) {
      runs.most = Math.max(runs.most, ++runs.now);
      await sleep(LOOK_MS);
      for (let waited = LOOK_MS; waited < longestMs && runs.most < 2; waited += LOOK_MS) await sleep(LOOK_MS);
      runs.now--;
      const tests = files.map((file) => testOf(adapter, folder, file));
      const late = tests.some(({ slow }) => slow);
      const skipped = tests.filter(({ skips }) => skips === true).map(({ test }) => test.name);
      const ran = tests.filter(({ skips }) => skips !== true).map(({ test }) => test);
      return { tests: late ? [] : ran, skipped, broken: late ? "the tests did not end in time" : null };
    },
  };
}

function testOf(adapter: LanguageAdapter, folder: string, file: string) {
  const [, claim] = /^tests\/property\/(\w+)\.test\.ts$/.exec(file) ?? [];
  if (claim !== undefined) {
    const sources = sourcesIn(folder);
    return { slow: false, skips: sources.includes(`skips_${claim}`), test: resultOf(claim, sources.includes(`breaks_${claim}`)) };
  }
  const [, path = "", name = ""] = /^tests\/unit\/(.*)\/(\w+)\.test\.ts$/.exec(file) ?? [];
  const { text, functions } = adapter.parseAst(readFileSync(join(folder, path), "utf8"));
  const { start, end } = functions.find((one) => one.name === name)?.body ?? { start: 0, end: 0 };
  const code = text.slice(start, end);
  return { slow: code.includes("slow"), test: resultOf(name, code.includes("wrong")) };
}

function resultOf(name: string, failed: boolean): RanTest {
  const error = { name: "AssertionError", message: "expected 1, got 0", by: "check" as const };
  return { name, result: failed ? "FAIL" : "PASS", duration_ms: 1, error: failed ? error : null };
}

function sourcesIn(folder: string): string {
  const domain = join(folder, "src", "domain");
  return readdirSync(domain)
    .map((name) => readFileSync(join(domain, name), "utf8"))
    .join("\n");
}
