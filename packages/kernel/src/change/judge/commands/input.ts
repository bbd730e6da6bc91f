import { z } from "zod";

const argument = z.string().refine((text) => !text.includes("\0"), "must not contain a NUL");

const commandSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u)
    .describe("One line of at most 200 characters."),
  command: z
    .array(argument)
    .min(1)
    .readonly()
    .refine(([program]) => program !== "", "must begin with a program")
    .describe("The program and its arguments, started without a shell."),
  cwd: z.string().min(1).optional().describe("A folder, relative to the tree; by default its root."),
  timeout_seconds: z.number().positive().max(86_400).optional().describe("By default the policy's execution.default_step_timeout_seconds."),
  files: z
    .record(z.string().min(1), z.string())
    .readonly()
    .optional()
    .describe("Throwaway files that only this command sees, by path. They must not be in the tree."),
});

export const commandsInput = z.strictObject({
  feature_id: z.string(),
  tree: z.enum(["base", "now"]).optional().describe("base: the tree of the base commit. now (the default): the feature's recorded tree."),
  restored: z
    .strictObject({ from: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/), paths: z.array(z.string().min(1)).readonly() })
    .optional()
    .describe("Paths that are as in another tree, such as files of work that is not judged yet."),
  commands: z.array(commandSchema).min(1).max(100).readonly(),
  stop_at_failure: z.boolean().optional().describe("Skip what follows the first command that fails."),
});

export type CommandsInput = z.infer<typeof commandsInput>;
export type CheckCommand = CommandsInput["commands"][number];
