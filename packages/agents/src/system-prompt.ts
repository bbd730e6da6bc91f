import { SlipwayError } from "./errors.ts";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { decodeText } from "@slipway/kernel/schema/text";
import type { Role } from "./role.ts";

/** Replaces the role's prompt by the one agents.yaml names, word for word. */
export async function withConfiguredPrompt(
  role: Role,
  agents: AgentsConfig | null,
  readFile: ReadFile,
  keys: readonly string[] = [role.name],
): Promise<Role> {
  const path = keys.map((key) => agents?.roles[key]?.system_prompt_path).find((one) => one !== undefined);
  if (agents === null || path === undefined) return role;
  const bytes = await readFile(path);
  if (bytes !== null) return { ...role, prompt: decodeText(path, bytes) };
  if (agents.missing_prompt_behavior === "ignore") return role;
  throw new SlipwayError(
    "missing_role_prompt",
    `slipway/agents.yaml names ${path} as the prompt of ${role.name}, but the file does not exist.`,
    {
      file: path,
      field: `/roles/${role.name}/system_prompt_path`,
      suggested_next_actions: [`Write and commit ${path}, or set missing_prompt_behavior: ignore.`],
    },
  );
}
