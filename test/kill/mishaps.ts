import { parseArgs } from "node:util";
import { inWords, movesOf, play, shrink } from "./mishap-sequence.ts";
import { prepareYard } from "./mishap-yard.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "20000" }, seed: { type: "string", default: String(Date.now() % 1_000_000) } },
});
const [runs, first] = [Number(values.runs), Number(values.seed)];
console.log(`${runs} sequences, seeds ${first} to ${first + runs - 1}`);
const yards = await prepareYard();
const began = Date.now();
let wrong = 0;
for (let seed = first; seed < first + runs; seed++) {
  const moves = movesOf(seed);
  const problems = await play(yards.fresh(), moves);
  if ((seed - first + 1) % 100 === 0)
    console.log(`${seed - first + 1} sequences, ${wrong} wrong, ${Math.round((Date.now() - began) / 1000)} s`);
  if (problems.length === 0) continue;
  wrong++;
  console.log(`seed ${seed}: ${inWords(moves)}\n  ${problems.join("\n  ")}`);
  if (wrong <= 3) {
    const fewer = await shrink(yards.fresh, moves);
    console.log(`  shrunk: ${inWords(fewer)}\n  ${(await play(yards.fresh(), fewer)).join("\n  ")}`);
  }
}
yards.remove();
console.log(`${runs} sequences, ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 3);
