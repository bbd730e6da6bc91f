import { parseArgs } from "node:util";
import { leftoversOfCycles } from "@slipway/kernel/change/testing/leftovers";
import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";

const { values } = parseArgs({ options: { cycles: { type: "string", default: "1000" } } });
const cycles = Number(values.cycles);
const scratch = await openScratchKernel();
const started = performance.now();
const left = await leftoversOfCycles(scratch, cycles, (done) => {
  if (done % 100 === 0) console.log(`${done} cycles, ${Math.round((performance.now() - started) / done)} ms each`);
});
await scratch.close();
for (const line of left) console.log(line);
console.log(`${cycles} features made and deleted, ${left.length} things left behind`);
process.exitCode = left.length === 0 ? 0 : 3;
