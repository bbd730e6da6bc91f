import { z } from "zod";
import type { RanTests } from "../gates/parse-junit.ts";
import type { Objects } from "../../../record/objects/store.ts";

const ranSchema = z.array(z.tuple([z.string(), z.int().min(1)]));

/** Stores the names of the tests that ran as an object: a large suite has thousands. */
export async function keepRanTests(objects: Pick<Objects, "put">, ran: RanTests | null): Promise<string | null> {
  return ran === null ? null : objects.put(Buffer.from(JSON.stringify([...ran])));
}

export async function readRanTests(objects: Pick<Objects, "get">, digest: string): Promise<RanTests> {
  return new Map(ranSchema.parse(JSON.parse(Buffer.from(await objects.get(digest)).toString("utf8"))));
}
