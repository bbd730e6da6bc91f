import { z } from "zod";
import { errorCodes } from "../schema/shape.ts";

export const GATES_FILE = "slipway/gates.yaml";

const LONGEST_STEP_SECONDS = 24 * 60 * 60;

const name = z.string().min(1).max(200);
const argument = z.string().refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" });
const command = z
  .array(argument)
  .min(1)
  .refine(([program]) => program !== "", { error: "must start with the name of a program" });
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** People write unquoted numbers and booleans; the environment contains text. */
const variableValue = z.union([argument, z.number(), z.boolean()]).transform(String);
const ratio = z.number().min(0).max(1);

const productPath = z.string().min(1).refine(isProductPath, {
  error: "must be a relative path, written without . and .., and not in .git",
});

const step = z.strictObject({
  name,
  cmd: command,
  cwd: z.string().min(1).optional(),
  env: z.record(variable, variableValue).optional(),
  timeout_seconds: z.number().positive().max(LONGEST_STEP_SECONDS).optional(),
  /** A step reaches the network only if this is true. */
  network: z.boolean().optional(),
  /** Files or folders that later steps of the mode find as this one left them. Nothing else a step writes is there for the next. */
  produces: z.array(productPath).min(1).optional(),
});

/** A mode without steps would pass without a check. */
const steps = z
  .array(step)
  .min(1)
  .refine((list) => new Set(list.map((entry) => entry.name)).size === list.length, { error: "step names must differ within a mode" });

export const MODES = ["fast", "full", "merge"] as const;
const profile = z.strictObject({ modes: z.strictObject({ fast: steps, full: steps, merge: steps.optional() }) });

const PARSERS = ["none", "lcov", "junit_xml", "jacoco_xml", "cobertura_xml", "custom"] as const;
const parserType = z.enum(PARSERS).register(errorCodes, { code: "unsupported_parser" });
const modes = z.array(z.enum(MODES)).min(1);
/** Below the worktree; the file name may hold a `*`, as in `reports/TEST-*.xml`. */
const reportPath = z.string().min(1);

const coverageParser = z
  .strictObject({
    type: parserType,
    path: reportPath.optional(),
    /** The modes whose steps write this report; default: all. */
    modes: modes.optional(),
  })
  .refine(({ type, path }) => type === "none" || type === "custom" || path !== undefined, {
    error: "needs the path of its report",
    path: ["path"],
  });

const testsParser = z.strictObject({
  type: z.enum(["junit_xml"]).register(errorCodes, { code: "unsupported_parser" }),
  path: reportPath,
  modes: modes.optional(),
});

export const gatesSchema = z
  .strictObject({
    version: z.number(),
    profiles: z.record(name, profile).refine((all) => Object.keys(all).length > 0, { error: "needs at least one profile" }),
    parsers: z.strictObject({ coverage: coverageParser.optional(), tests: testsParser.optional() }).optional(),
    /** The parsers that this repository needs; one in use but not listed is an error. */
    capabilities: z.array(parserType).optional(),
    thresholds: z
      .strictObject({
        coverage_line_min: ratio.optional(),
        coverage_branch_min: ratio.optional(),
        coverage_line_target: ratio.optional(),
        coverage_branch_target: ratio.optional(),
      })
      .optional(),
  })
  .superRefine(({ profiles, parsers }, context) => {
    const reports = Object.values(parsers ?? {}).flatMap((parser) => parser?.path ?? []);
    for (const [name, { modes: lists }] of Object.entries(profiles))
      for (const [mode, list] of Object.entries(lists))
        for (const [index, { produces = [] }] of (list ?? []).entries())
          for (const path of produces) {
            const report = reports.find((file) => file === path || file.startsWith(`${path}/`));
            if (report === undefined) continue;
            const message = `"${path}" holds the report ${report}: a report counts for the step that writes it and is never handed on`;
            context.addIssue({ code: "custom", path: ["profiles", name, "modes", mode, index, "produces"], message });
          }
  })
  .superRefine(({ parsers, capabilities }, context) => {
    if (capabilities === undefined) return;
    for (const [kind, parser] of Object.entries(parsers ?? {})) {
      if (parser === undefined || parser.type === "none" || capabilities.includes(parser.type)) continue;
      const message = `"${parser.type}" is not among the declared capabilities; add it there`;
      context.addIssue({ code: "custom", path: ["parsers", kind, "type"], message });
    }
  });

function isProductPath(path: string): boolean {
  const segments = path.split("/");
  const isPlain = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isPlain && !/[\0\\*]/.test(path) && segments[0]?.toLowerCase() !== ".git";
}

export type GatesConfig = z.infer<typeof gatesSchema>;
export type GateStep = z.infer<typeof step>;
