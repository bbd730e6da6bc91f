import { z } from "zod";

/** What an earlier project has left of a task that is to be looked at or built again. */
export const beforeSchema = z.strictObject({
  action: z.enum(["recheck", "rebuild", "build"]),
  because: z.array(z.string()),
  module_refs: z.array(z.string()),
  /** Modules of which it may make a new version: no other task has them, too. */
  revisable: z.array(z.string()),
});
export type Before = z.output<typeof beforeSchema>;
