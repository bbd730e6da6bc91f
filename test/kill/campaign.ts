import { parseArgs } from "node:util";
import { undisturbedTree } from "./expectations.ts";
import { dieAtRandom, dieEverywhere, prepare } from "./flow.ts";
import { violations } from "./invariants.ts";
import { seededRandom } from "./random.ts";

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    features: { type: "string", default: "one" },
  },
});
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
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 3;
