import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { DemoEdit } from "../../demo/demo.ts";
import { HOURS, PAGE } from "./files.ts";

const editSchema = z.strictObject({ from: z.string(), to: z.string() });

/** Edits one sentence of the page. */
export const pageEdit: DemoEdit = {
  option: "edit",
  cassette: join(HOURS.folder, "cassette-edited"),
  commitMessage: "One sentence more",
  async apply(repository) {
    const { from, to } = editSchema.parse(JSON.parse(await readFile(join(HOURS.folder, "edit.json"), "utf8")));
    const page = join(repository, PAGE);
    await writeFile(page, (await readFile(page, "utf8")).replace(from, to));
    return `Now one sentence of ${PAGE} is edited:\n  - ${from}\n  + ${to}\nand the same command is given again.`;
  },
};
