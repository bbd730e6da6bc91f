import { canonicalJson } from "@slipway/durable/canonical";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { contractSchema, type Contract } from "@slipway/languages/contracts/schema";
import { z } from "zod";

/** Texts by path. */
export type Deliverable = Readonly<Record<string, string>>;

export const CONTRACT_FILE = "contract.json";
export const EXAMPLES_FILE = "examples.md";

const MAX_FILES = 100;
const MAX_FILE_CHARACTERS = 200_000;

const path = z
  .string()
  .regex(/^(?:contract\.json|examples\.md|(?:implementation|tests)\/(?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|json|txt|md|csv))$/)
  .refine((name) => name !== "tests/execution_log.json", "is written by the harness only");

export const filesSchema = z
  .array(z.strictObject({ path, content: z.string().max(MAX_FILE_CHARACTERS) }))
  .max(MAX_FILES)
  .superRefine((files, context) => {
    files.forEach((file, index) => {
      if (files.findIndex((other) => other.path === file.path) < index) {
        context.addIssue({ code: "custom", path: [index, "path"], message: `"${file.path}" is given twice` });
      }
    });
  })
  .describe("contract.json, examples.md, implementation/index.ts with whatever it imports, tests/*.test.ts; whole files, all of them.");

export function deliverableOf(files: z.infer<typeof filesSchema>): Deliverable {
  return Object.fromEntries(
    files.map((file) => [file.path, file.content]).toSorted(([left = ""], [right = ""]) => (left < right ? -1 : 1)),
  );
}

export type DeliveredContract = { readonly ok: true; readonly contract: Contract } | { readonly ok: false; readonly problem: string };

/** The delivered contract.json, checked against the agreed module and version. */
export function deliveredContract(files: Deliverable, { module_id, module_version }: Contract): DeliveredContract {
  const text = files[CONTRACT_FILE];
  if (text === undefined) return { ok: false, problem: `${CONTRACT_FILE} is missing` };
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return { ok: false, problem: `${CONTRACT_FILE} is ${parsed.problem}` };
  const checked = checkSchema(contractSchema, parsed.value);
  if (!checked.ok) {
    return {
      ok: false,
      problem: `${CONTRACT_FILE}: ${checked.violations.map(({ pointer, message }) => `${pointer}: ${message}`).join("; ")}`,
    };
  }
  const { value } = checked;
  if (value.module_id === module_id && value.module_version === module_version) return { ok: true, contract: value };
  const found = `${value.module_id}@${value.module_version}`;
  return { ok: false, problem: `${CONTRACT_FILE} is about ${found}, and the module is ${module_id}@${module_version}` };
}

/** The text of a field such as `contract.json#/purpose`; null if there is none. */
export function contractField(files: Deliverable, pointer: string): string | null {
  const parsed = parseStrictJson(files[CONTRACT_FILE] ?? "");
  let value: unknown = parsed.ok ? parsed.value : undefined;
  for (const key of pointer.split("/").filter((part) => part !== "")) {
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value === undefined ? null : canonicalJson(value);
}
