import { SlipwayError } from "@slipway/agents/errors";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { z } from "zod";

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$/ms;

/** Other tools may keep fields of their own there. */
const fields = z.looseObject({ protocol: z.string().min(1).optional() });

/** The protocol that a specification names in its front matter; null if it names none. */
export function protocolIn({ path, bytes }: Pick<Spec, "path" | "bytes">): string | null {
  const text = Buffer.from(bytes).toString("utf8");
  const matter = FRONT_MATTER.exec(text)?.[1];
  // A horizontal rule begins a page the same way.
  if (matter === undefined || !/^protocol[ \t]*:/m.test(matter)) return null;
  try {
    // One line before it keeps the line numbers of the file.
    return parseYamlConfig(path, `#\n${matter}`, fields).protocol ?? null;
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    throw new SlipwayError("spec_ingest_failed", `The front matter of ${path} cannot be read. ${error.message}`, {
      file: path,
      field: "/protocol",
      suggested_next_actions: [`Write \`protocol: NAME\` there, or remove the lines between the two \`---\`.`],
    });
  }
}
