import { afterEach, describe, expect, test } from "vitest";
import { idOf, openInjection, type InjectionOptions, type InjectionScene } from "./testing/injection-scene.ts";

let scene: InjectionScene;
afterEach(() => scene.close());

async function endOf(options: InjectionOptions): Promise<unknown> {
  scene = await openInjection(options);
  const outcome = await scene.drive();
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

const clusterSteps = async () => (await scene.steps()).filter((name) => name.startsWith("cluster:"));

describe("claims of the program", () => {
  test("[CRI-073] clusters run one after another, and after the last one comes Mass Defect", async () => {
    expect(await endOf({ functions: { a: "m", b: "n" }, claims: { a: "sum_001", b: "sum_002" } })).toMatchObject({
      at: "massDefect.analyzingComplexity",
    });
    expect(await clusterSteps()).toEqual(["cluster:1:of-sum_001:sum_001", "cluster:1:of-sum_002:sum_002"]);
  });

  test("[CRI-072] a violated claim is in the ledger, its functions are holes again, and no model sees the old body", async () => {
    const body = ({ function: name, attempt }: { function: string; attempt: string }) =>
      name === "a" && attempt.startsWith("1.") ? "return 1; // breaks_sum_001" : "return 2;";
    expect(await endOf({ functions: { a: "m", b: "m", c: "n" }, claims: { a: "sum_001", c: "sum_002" }, body })).toMatchObject({
      at: "massDefect.analyzingComplexity",
      bodies: { [idOf("a")]: "return 2;", [idOf("b")]: "return 2;" },
    });
    expect(scene.asked.map(({ function: name, attempt }) => `${attempt} ${name}`).toSorted()).toEqual(["1.1 a", "1.1 b", "1.1 c", "2.1 a"]);
    expect(scene.asked.at(-1)?.prompt).not.toMatch(/breaks_sum_001|violated/);
    expect(scene.file("ledger.toml")).toContain("Claim sum_001 was violated in cluster of-sum_001 and must hold");
  });

  test("[CRI-073] after a violation every cluster runs again", async () => {
    const body = ({ function: name, attempt }: { function: string; attempt: string }) =>
      name === "b" && attempt.startsWith("1.") ? "return 1; // breaks_sum_002" : "return 2;";
    await endOf({ functions: { a: "m", b: "n" }, claims: { a: "sum_001", b: "sum_002" }, body });
    expect(await clusterSteps()).toEqual([
      "cluster:1:of-sum_001:sum_001",
      "cluster:1:of-sum_002:sum_002",
      "cluster:2:of-sum_001:sum_001",
      "cluster:2:of-sum_002:sum_002",
    ]);
  });

  test("[CRI-009] a claim whose test decides nothing is untested, and no function is written again; a later visit tests it again", async () => {
    const undecided = await endOf({
      functions: { a: "m", b: "n" },
      claims: { a: "sum_001", b: "sum_002" },
      body: () => "return 1; // skips_sum_001",
    });
    expect(undecided).toMatchObject({ at: "massDefect.analyzingComplexity", untested: ["sum_001"], passed: ["sum_002"] });
    expect(scene.asked).toHaveLength(2);
    await scene.close();
    const body = ({ function: name, attempt }: { function: string; attempt: string }) =>
      attempt.startsWith("1.") ? (name === "a" ? "return 1; // skips_sum_001" : "return 1; // breaks_sum_002") : "return 2;";
    const later = await endOf({ functions: { a: "m", b: "m" }, claims: { a: "sum_001", b: "sum_002" }, body });
    expect(later).toMatchObject({ untested: ["sum_001"], passed: ["sum_002"] });
  });

  test("a specification without testable claims has no cluster, and the run goes on", async () => {
    expect(await endOf({ functions: { a: "m" }, claims: {} })).toMatchObject({ at: "massDefect.analyzingComplexity" });
  });
});
