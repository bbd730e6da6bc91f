import { z } from "zod";

/** What an earlier project left of a task that is checked or built again. */
export const beforeSchema = z.strictObject({
  action: z.enum(["recheck", "rebuild", "build"]),
  because: z.array(z.string()),
  module_refs: z.array(z.string()),
  /** Modules of which it may make a new version: those no other task has shipped. */
  revisable: z.array(z.string()),
});
export type Before = z.output<typeof beforeSchema>;
