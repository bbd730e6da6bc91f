/** A child process of the door's tests. It performs one operation whose effect and commit write countable marks. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Operation } from "../operation.ts";
import { openBench } from "./door.ts";

const [folder = "", operationId = "", behaviour = ""] = process.argv.slice(2);

const mark: Operation<{ value: number }, string, { by: number; value: number; effect: string }> = {
  name: "mark",
  roles: ["system"],
  input: z.strictObject({ value: z.int() }),
  async effect({ value }, { redriven }) {
    appendFileSync(join(folder, "effects"), `${process.pid} ${redriven}\n`);
    process.stdout.write("effect\n");
    await sleep(behaviour === "hang" ? 60_000 : 100);
    return `effect of ${value}`;
  },
  commit: async (_tx, { value }, effect) => ({ by: process.pid, value, effect }),
};

const { door, close } = await openBench({ folder });
const answer = await door.perform(mark, { type: "system", id: "child" }, operationId, { value: 7 });
process.stdout.write(`${JSON.stringify(answer)}\n`);
await close();
