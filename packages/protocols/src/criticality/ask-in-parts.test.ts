import { SlipwayError } from "@slipway/agents/errors";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { SkillRequest } from "./criticality-run.ts";
import { openInjection } from "./phases/testing/injection-scene.ts";
import { subStateName } from "./machine/states.ts";
import { PhaseLeft } from "./phases/phase-left.ts";
import { openStateScene, WAY, type StateScene } from "./testing/state-scene.ts";

let scene: StateScene;
afterEach(() => scene.close());

const said = z.strictObject({ said: z.array(z.string()) });
type Said = z.output<typeof said>;
const text = (tokens: number) => "word".repeat(tokens);
const LATTICE: SkillRequest<Said> = {
  phase: "lattice",
  skill: "scaffold_module",
  alias: "structurer_model",
  subject: "lattice",
  attempt: "1",
  artifacts: [{ title: "spec", kind: "artifact", text: "short" }],
  schema: said,
};

const unavailable = () => new SlipwayError("provider_unavailable", "claude cannot be reached", { suggested_next_actions: ["Wait."] });

describe("a question to a model", () => {
  test("[CRI-155] that is an audit too long for every model is asked in parts, and any finding counts", async () => {
    const asked: string[] = [];
    scene = await openStateScene(
      async ({ run, keeper }) => {
        for (const facts of [...WAY.lattice, ...WAY.compositionAudit]) await keeper.advance(facts);
        const files = ["a.ts", "b.ts"].map((path) => ({ path, lines: [text(110_000)] }));
        return run.askModel<Said>("audit", {
          phase: "compositionAudit",
          skill: "audit_composition",
          alias: "auditor_model",
          subject: "temporal",
          attempt: "1",
          artifacts: [{ title: "Contracts", kind: "contracts", text: text(220_000) }],
          schema: said,
          chunked: { kind: "contracts", files, combine: (answers) => ({ said: answers.flatMap((one) => one.said) }) },
        });
      },
      {
        answer({ role, attempt }) {
          asked.push(`${role} ${attempt}`);
          return { said: [attempt] };
        },
      },
    );
    expect(await scene.drive()).toMatchObject({ status: "completed", value: { said: ["1.1", "1.2"] } });
    expect(asked).toEqual(["architect 1.1", "architect 1.2"]);
  });

  test("[CRI-153] that no model can take blocks the run, until a person has the specification split", async () => {
    const artifacts = [{ title: "spec", kind: "artifact", text: text(201_000) }];
    scene = await openStateScene(async ({ run, keeper }) => {
      for (const facts of WAY.lattice) await keeper.advance(facts);
      const left = await run.askModel<Said>("scaffold", { ...LATTICE, artifacts }).catch((error: unknown) => error instanceof PhaseLeft);
      return { left, at: subStateName(keeper.current()) };
    });
    expect((await scene.drive()).status).toBe("waiting");
    expect(await scene.question()).toMatchObject({
      title: "bank is blocked: context_overflow",
      body: expect.stringContaining("201") as string,
    });
    await scene.answer({ decision: "retry" });
    expect((await scene.drive()).status).toBe("waiting");
    await scene.answer({ decision: "revise_spec" });
    expect(await scene.drive()).toMatchObject({ value: { left: true, at: "ignition.interviewing" } });
  });

  test("[CRI-151] that no provider can be asked blocks the run where it is, and is asked again after the answer", async () => {
    let fails = true;
    scene = await openStateScene(
      async ({ run, keeper }) => {
        for (const facts of WAY.lattice) await keeper.advance(facts);
        const answer = await run.askModel("scaffold", LATTICE);
        return { answer, at: subStateName(keeper.current()) };
      },
      {
        answer() {
          if (fails) throw unavailable();
          return { said: ["yes"] };
        },
      },
    );
    expect((await scene.drive()).status).toBe("waiting");
    expect(await scene.question()).toMatchObject({ title: "bank is blocked: provider_unavailable" });
    fails = false;
    await scene.answer({ decision: "retry" });
    expect(await scene.drive()).toMatchObject({ value: { answer: { said: ["yes"] }, at: "lattice.generatingStructure" } });
  });
});

test("[CRI-151] in Injection the other functions of the wave are kept, and only the one without a model is written again", async () => {
  let fails = true;
  const injection = await openInjection({
    functions: { a: "m", b: "m", c: "m" },
    body({ function: name }) {
      if (name === "b" && fails) throw unavailable();
      return "return 1;";
    },
  });
  scene = injection;
  expect((await scene.drive()).status).toBe("waiting");
  expect((await scene.question()).title).toContain("provider_unavailable");
  fails = false;
  await scene.answer({ decision: "retry" });
  expect(await scene.drive()).toMatchObject({ value: { at: "mesoscopic.generatingTests" } });
  const written = injection.asked.map(({ function: name, attempt }) => `${name} ${attempt}`);
  expect(written.filter((one) => !one.startsWith("b")).toSorted()).toEqual(["a 1.1", "c 1.1"]);
  expect(written.at(-1)).toBe("b 2.1");
});
