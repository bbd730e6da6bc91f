import type { ProviderRequest } from "@slipway/agents/provider";
import { HOLE } from "@slipway/languages/typescript/source/hole";
import { afterEach, describe, expect, test } from "vitest";
import { subStateName } from "../machine/states.ts";
import { printSpec } from "../spec/print-spec.ts";
import { sampleSpec } from "../spec/testing/specs.ts";
import { openStateScene, WAY, type StateScene } from "../testing/state-scene.ts";
import { NO_WORK, type Work } from "../work.ts";
import { latticePhase } from "./lattice-phase.ts";
import { resolveBlocked } from "./resolve-phase.ts";

const PATH = "src/services/transfers.ts";
const DOC = "/**\n * ENSURES: result >= 0\n * CLAIM_REF: balance_001\n */\n";
const GOOD = `${DOC}export function fee(amount: number): number {\n  ${HOLE}\n}\n`;
const ILL_TYPED = `${DOC}export function fee(amount: Unknown): number {\n  ${HOLE}\n}\n`;
const WITH_LOGIC = `${DOC}export function fee(amount: number): number {\n  return amount / 100;\n}\n`;

const WITNESS = {
  name: "PositiveAmount",
  description: "an amount above zero",
  base: { generic: false, type_params: [], inner_type: "number" },
  invariants: [{ id: "above_zero", description: "above zero", formal: "value > 0", testable: true }],
  constructors: [{ name: "positiveAmount", trust_level: "safe" }],
};

interface Played {
  readonly at: string;
  readonly witnesses: readonly string[];
  readonly tree: Readonly<Record<string, string>>;
}

let scene: StateScene;
let asked: ProviderRequest[];
afterEach(() => scene.close());

/** Plays the phase with skeletons in turn; the last one is repeated. */
async function open(skeletons: readonly string[], before: Partial<Work> = {}): Promise<void> {
  asked = [];
  let count = 0;
  const spec = sampleSpec();
  const specification = { spec, specText: printSpec(spec), claimsText: "", delegated: false };
  scene = await openStateScene(
    async (session): Promise<Played> => {
      for (const facts of WAY.lattice) await session.keeper.advance(facts);
      let work: Work = { ...NO_WORK, specification, ...before };
      for (;;) {
        const state = session.keeper.current();
        if (state.type === "blocked") work = await resolveBlocked(session, work, state.data);
        else if (state.type === "active" && state.data.phase.phase === "lattice") work = await latticePhase(session, work);
        else {
          await session.run.files.flush();
          const witnesses = work.lattice?.witnesses.map(({ name }) => name) ?? [];
          return { at: subStateName(state), witnesses, tree: work.lattice?.tree ?? {} };
        }
      }
    },
    {
      answer(request) {
        asked.push(request);
        if (request.subject === "witnesses") return { witnesses: [WITNESS] };
        const text = skeletons[Math.min(count++, skeletons.length - 1)];
        return { files: [{ path: PATH, feature: "transfers", text }], calls: [] };
      },
    },
  );
}

const titlesOf = ({ input }: ProviderRequest) => input.context_bundle.map(({ title }) => title).toSorted();

async function played(): Promise<Played> {
  const outcome = await scene.drive();
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return outcome.value as Played;
}

describe("the lattice", () => {
  test("[CRI-006] a skeleton that compiles is handed to the audit with its witnesses", async () => {
    await open([GOOD]);
    const { at, witnesses, tree } = await played();
    expect(at).toMatch(/^compositionAudit\./);
    expect(witnesses).toEqual(["PositiveAmount"]);
    expect(tree[PATH]).toBe(GOOD);
  });

  test("[CRI-041] witnesses are generated before the skeleton, which is told about them, and checked after it", async () => {
    await open([GOOD]);
    await played();
    expect(asked.map(({ subject }) => subject)).toEqual(["witnesses", "lattice"]);
    expect(asked[1]?.prompt).toContain("PositiveAmount");
    const steps = await scene.steps();
    const order = ["witnesses:1:1", "scaffold:1:1", "lattice:1:1"].map((name) => steps.indexOf(name));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  test("[CRI-040] the structurer is asked, with specification, constraints and language target alone", async () => {
    await open([GOOD]);
    await played();
    expect(asked.map(({ role }) => role)).toEqual(["structurer", "structurer"]);
    for (const request of asked) expect(titlesOf(request)).toEqual(["constraints", "language target", "spec.toml"]);
  });

  test("[CRI-047] the report of witness tiers is in the run's folder", async () => {
    await open([GOOD]);
    await played();
    expect(scene.json("lattice/witness-tiers.json")).toEqual({
      witnesses: [{ witness: "PositiveAmount", level: expect.any(String), invariants: [{ id: "above_zero", level: expect.any(String) }] }],
    });
  });

  test.each([
    ["[CRI-006] does not compile", ILL_TYPED, "Cannot find name 'Unknown'"],
    ["[CRI-042] contains logic", WITH_LOGIC, "fee"],
    ["does not parse", "export function {", "transfers.ts:1"],
  ])("[CRI-043] a skeleton that %s is repaired with the errors", async (_, skeleton, message) => {
    await open([skeleton, GOOD]);
    expect((await played()).at).toMatch(/^compositionAudit\./);
    expect(asked.map(({ attempt }) => attempt)).toEqual(["1.1", "1.1", "1.2", "1.2"]);
    expect(asked.map((request) => titlesOf(request).includes("compiler errors"))).toEqual([false, false, true, true]);
    expect(asked[3]?.prompt).toContain(message);
  });

  test("[CRI-043] after five repairs the run blocks with structural_defect; trying again counts from 1", async () => {
    await open([...Array.from({ length: 6 }, () => ILL_TYPED), GOOD]);
    expect((await scene.drive()).status).toBe("waiting");
    expect(asked.filter(({ subject }) => subject === "lattice")).toHaveLength(6);
    const { reason } = scene.json<{ protocolState: { data: { reason: { type: string } } } }>("state.json").protocolState.data;
    expect(reason.type).toBe("structural_defect");
    await scene.answer({ decision: "retry" });
    expect((await played()).at).toMatch(/^compositionAudit\./);
    expect(asked.at(-1)?.attempt).toBe("2.1");
  });

  test("[CRI-049] a second lattice archives the first, and the model sees the defect report instead of its code", async () => {
    const old = { [PATH]: "export function secretOldCode(): void {}\n" };
    const defect = JSON.stringify({ condition: "module_escalation_rate", rate: 0.5 });
    await open([GOOD], { lattice: { tree: old, functions: [], witnesses: [] }, defect, rounds: { ...NO_WORK.rounds, lattice: 1 } });
    await played();
    expect(scene.file(`archive/lattice/1/${PATH}`)).toBe(old[PATH]);
    for (const { prompt } of asked) {
      expect(prompt).toContain("module_escalation_rate");
      expect(prompt).not.toContain("secretOldCode");
    }
  });
});
