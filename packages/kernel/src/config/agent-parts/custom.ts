import { z } from "zod";

/** A command that reads one JSON request on stdin and writes one JSON reply on stdout. */
export const customPart = z.strictObject({
  command: z.array(z.string().min(1)).min(1),
  timeout_seconds: z.number().positive().default(1800),
  /**
   * prompt: the request has everything it needs. folder: it starts in the context pack, in the sandbox, and the changed files are its
   * patch.
   */
  works: z.enum(["prompt", "folder"]).default("prompt"),
  /** Folders it needs in the sandbox besides its own program's, read-only; relative to the repository unless absolute. */
  programs: z.array(z.string().min(1)).prefault([]),
  /** host:port it may reach from the sandbox. */
  hosts: z.array(z.string().min(1)).prefault([]),
});
