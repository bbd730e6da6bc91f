import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import { z } from "zod";
import type { DemoFiles } from "./demo.ts";

const DEMOS = join(import.meta.dirname, "..", "..", "demos");

export function demoFolder(name: string): string {
  return join(DEMOS, name);
}

export function cassetteOf({ folder }: Pick<DemoFiles, "folder">): string {
  return join(folder, "cassette");
}

const answersSchema = z.record(z.string(), z.array(z.record(z.string(), z.unknown())));

/** The answers of the demo's person by kind of question, in the order in which questions of a kind are asked in one run. */
export type DemoAnswers = z.infer<typeof answersSchema>;

export async function bundledAnswers({ folder }: Pick<DemoFiles, "folder">): Promise<DemoAnswers> {
  const text = await readFile(join(folder, "answers.json"), "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "{}";
    throw error;
  });
  return answersSchema.parse(JSON.parse(text));
}
