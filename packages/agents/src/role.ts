import { SlipwayError } from "./errors.ts";
import { decodeText } from "@slipway/kernel/schema/text";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { z } from "zod";
import { nativeToolsOf } from "./tools/native-tools.ts";

const WRITE_GRANTS = ["none", "patch", "worktree"] as const;

/** The front matter of a role. */
export const roleFields = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]*$/),
  /** Its purpose in a sentence or two: other tools select it by that. */
  description: z
    .string()
    .min(1)
    .regex(/^[^\n\r]*$/, "must be one line")
    .optional(),
  /** The class of model it needs; configuration maps it to a model. */
  tier: z.enum(["fast", "standard", "strong"]),
  tools: z.array(z.string().min(1)),
  /** none: returns values only; patch: returns a diff; worktree: works on files, and its changes come back as a diff. */
  write_grant: z.enum(WRITE_GRANTS),
  /** The name of its output schema. */
  output: z.string().min(1),
});

/** A role is data: its grant and its prompt. */
export type Role = z.output<typeof roleFields> & { readonly prompt: string };

export interface RoleFile {
  readonly file: string;
  readonly text: string | Uint8Array;
}

/** Markdown with YAML front matter. */
export function parseRole(file: string, input: string | Uint8Array): Role {
  const text = decodeText(file, input);
  const match = /^\ufeff?---\r?\n(.*?)^---[ \t]*\r?$\n?(.*)$/ms.exec(text);
  if (match === null) throw invalid(file, "", "It must begin with front matter: a line ---, the fields, another line ---.");
  // One line before it keeps the line numbers of the file.
  const fields = parseYamlConfig(file, `#\n${match[1] ?? ""}`, roleFields);
  const prompt = (match[2] ?? "").trim();
  if (prompt === "") throw invalid(file, "prompt", "The prompt below the front matter is empty.");
  return { ...fields, prompt };
}

/** Applies the repository's override of a role: it may narrow the grant, never widen it. */
export function narrowedRole(role: Role, override: RoleFile): Role {
  const own = parseRole(override.file, override.text);
  if (own.name !== role.name) throw invalid(override.file, "name", `It must be "${role.name}", found "${own.name}".`);
  if (own.output !== role.output)
    throw invalid(override.file, "output", `The protocol reads "${role.output}" from this role, found "${own.output}".`);
  if (WRITE_GRANTS.indexOf(own.write_grant) > WRITE_GRANTS.indexOf(role.write_grant)) {
    throw invalid(override.file, "write_grant", `It may be at most "${role.write_grant}", found "${own.write_grant}".`);
  }
  const more = nativeToolsOf(own.tools).find((tool) => !nativeToolsOf(role.tools).includes(tool));
  if (more !== undefined)
    throw invalid(override.file, "tools", `It may grant at most what [${role.tools.join(", ")}] grants; found "${more}" besides.`);
  return { ...(role.description === undefined ? {} : { description: role.description }), ...own };
}

function invalid(file: string, field: string, problem: string): SlipwayError {
  const where = field === "" ? file : `${file}, ${field}`;
  return new SlipwayError("config_invalid", `${where}: ${problem}`, { file, field, suggested_next_actions: [`Correct ${file}.`] });
}
