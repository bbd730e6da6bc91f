/** A child process of the desk's tests: has one poem written, and may die on the way. Every call it pays for is a line of `spend`. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createPack } from "@slipway/agents/pack";
import { parseRole } from "@slipway/agents/role";
import { openBudget } from "@slipway/kernel/budget/budget";
import { layoutAt } from "@slipway/kernel/host/layout";
import type { Kernel } from "@slipway/kernel/kernel";
import { openRecords } from "@slipway/kernel/open-records";
import { z } from "zod";
import { openDispatcher } from "../dispatch/dispatcher.ts";

const [root = "", dieAt = ""] = process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");

const records = await openRecords({
  layout: layoutAt(root),
  observe: ({ phase, operationId }) => {
    if (`${phase} ${operationId.replace(/#[^/]*/, "")}` === dieAt) die();
  },
});
const { database, door, objects, clock, ids } = records;
const config = { run: { max_cost_usd: 10 }, roles: {} };
const budget = openBudget({ db: database.db, door, objects, clock, ids, config });
const agents = { runtime: { prices: { m: { input: 1, output: 1 } }, budgets: config } };
const answers = ["no poem", '{"poem":"green"}'];

const dispatcher = openDispatcher({
  protocol: () => "features",
  kernel: { records, door, clock, budget, configuration: { agents }, conceal: <V>(value: V) => value } as unknown as Kernel,
  role: async () => parseRole("poet.md", "---\nname: poet\ntier: fast\ntools: []\nwrite_grant: none\noutput: POEM\n---\nWrite.\n"),
  provider: async () => ({
    model: "m",
    provider: {
      name: "scripted",
      works: "prompt",
      async invoke({ repair }) {
        appendFileSync(join(root, "spend"), `${repair} 0.01\n`);
        if (dieAt === `in call ${repair}`) die();
        return { text: answers[repair] ?? "", usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.01 }, model: "m" };
      },
    },
  }),
  onWarning: () => undefined,
});

const reply = await dispatcher.invoke({
  role: "poet",
  subject: "spring",
  attempt: "1",
  pack: createPack([{ title: "spec", kind: "spec", text: "about spring" }]),
  instructions: "Write a poem.",
  schema: z.strictObject({ poem: z.string() }),
  runId: "run1",
  call: { actor: { type: "system", id: "run1" }, operationId: "run1/poet:1" },
});
process.stdout.write(JSON.stringify(reply));
await records.close();
