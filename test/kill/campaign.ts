import { parseArgs } from "node:util";
import { crewViolations, undisturbedCrew } from "./crew-invariants.ts";
import { criticalityViolations, undisturbedProgram } from "./criticality-invariants.ts";
import { undisturbedTree } from "./expectations.ts";
import { factoryViolations, watchSeals } from "./factory-invariants.ts";
import { dieAtRandom, dieEverywhere, prepare, prepareRequest, prepareFactory } from "./flow.ts";
import { forgeViolations, undisturbedForge } from "./forge-invariants.ts";
import { violations } from "./invariants.ts";
import { seededRandom } from "./random.ts";

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    features: { type: "string", default: "one" },
    /** The factory's demo instead: once, at every point, or at this share of them. */
    factory: { type: "boolean", default: false },
    /** The same with the demo of criticality. */
    criticality: { type: "boolean", default: false },
    /** The same with the demo of forge. */
    forge: { type: "boolean", default: false },
    /** The same with the demo of crew. */
    crew: { type: "boolean", default: false },
    share: { type: "string", default: "1" },
  },
});
if (values.factory) await killFactory(Number(values.share));
else if (values.criticality) await killCriticality(Number(values.share));
else if (values.forge) await killForge(Number(values.share));
else if (values.crew) await killCrew(Number(values.share));
else await killFeatures();

async function killFactory(share: number): Promise<void> {
  console.log(`a run of the factory, killed at ${share === 1 ? "every point" : `${share} of its points`}`);
  const flow = await prepareFactory("mine");
  const seals = watchSeals(flow);
  const { deaths, last } = await dieEverywhere(flow, share, { limit: 10_000, eachTime: seals.look });
  report(await factoryViolations(flow, last, seals));
  console.log(`${deaths} kills in ${flow.folder}`);
}

async function killCriticality(share: number): Promise<void> {
  console.log(`a run of criticality, killed at ${share === 1 ? "every point" : `${share} of its points`}`);
  const expected = await undisturbedProgram();
  const flow = await prepareRequest("criticality", "mine");
  const { deaths, last } = await dieEverywhere(flow, share, { limit: 10_000 });
  report(await criticalityViolations(flow, last, expected));
  console.log(`${deaths} kills in ${flow.folder}`);
}

async function killForge(share: number): Promise<void> {
  console.log(`both runs of forge's demo, killed at ${share === 1 ? "every point" : `${share} of its points`}`);
  const problems: string[] = [];
  for (const second of [false, true]) {
    const expected = await undisturbedForge(second);
    const flow = await prepareRequest("forge", "mine", second);
    const { deaths, last } = await dieEverywhere(flow, share, { limit: 10_000 });
    problems.push(...(await forgeViolations(flow, last, expected)));
    console.log(`${deaths} kills in ${flow.folder}`);
  }
  report(problems);
}

async function killCrew(share: number): Promise<void> {
  console.log(`a session of crew, killed at ${share === 1 ? "every point" : `${share} of its points`}`);
  const expected = await undisturbedCrew();
  const flow = await prepareRequest("crew", "mine");
  const { deaths, last } = await dieEverywhere(flow, share, { limit: 10_000 });
  report(await crewViolations(flow, last, expected));
  console.log(`${deaths} kills in ${flow.folder}`);
}

async function killFeatures(): Promise<void> {
  const seed = Number(values.seed);
  const features = values.features === "all" ? "all" : "one";
  const random = seededRandom(seed);
  console.log(`seed ${seed}, at least ${values.points} kill points`);
  const expectedTree = await undisturbedTree(features);
  const problems: string[] = [];
  let points = 0;
  for (let round = 1; points < Number(values.points) && problems.length === 0; round++) {
    const flow = await prepare(random() < 0.5 ? "main" : "mine", features);
    const { deaths, last } = round % 4 === 1 ? await dieEverywhere(flow) : await dieAtRandom(flow, random, 60);
    points += deaths;
    problems.push(...(await violations(flow, last, expectedTree)).map((problem) => `${flow.folder}: ${problem}`));
    console.log(`round ${round}: ${deaths} kills, ${points} in all, ${problems.length} problems`);
  }
  report(problems);
}

function report(problems: readonly string[]): void {
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 3;
}
