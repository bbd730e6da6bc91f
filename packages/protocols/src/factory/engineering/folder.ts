import type { PackItem } from "@slipway/agents/pack";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { givenFiles } from "@slipway/agents/packs/source";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { z } from "zod";
import type { Reply } from "../../dispatch/dispatcher.ts";
import type { FolderWork } from "../../dispatch/work-folder.ts";
import { patched } from "./apply-amendments.ts";

/** How an answer given as files in a folder becomes a plain answer. */
export interface FolderAnswer {
  /** Files in the folder at the start, all editable. */
  readonly files: Readonly<Record<string, string>>;
  /** Other folders and files that may be written. */
  readonly writable: readonly string[];
  readonly schema: z.ZodType;
  /** Adds the current files to the answer. */
  readonly adopt: (answer: unknown, files: Readonly<Record<string, string>>) => unknown;
}

/** The context of a role, with the access rules for modules of which it sees only the surface. */
export interface RoleSections {
  readonly sections: readonly PackItem[];
  /** By path in the state store. */
  readonly stored: Readonly<Record<string, string>>;
  readonly rules: readonly PackRule[];
}

/** The context as files: context to read, and the role's own work to write. */
export function roleFolder<T>(
  { sections, stored, rules }: RoleSections,
  schema: z.ZodType<T>,
  objectFormat: "sha1" | "sha256",
  work?: FolderAnswer,
): FolderWork<T> {
  const shown = Object.fromEntries(
    sections.filter(({ kind }) => kind !== "file").map(({ title, text }) => [`context/${slug(title)}.md`, text]),
  );
  const files = givenFiles({ ...shown, ...stored, ...work?.files }, objectFormat);
  const reading = { path: "context", level: "FULL", permission: "read", reason: "what the role is given" } as const;
  const writing = (work?.writable ?? []).map(
    (path) => ({ path, level: "FULL", permission: "write", reason: "the module it works on" }) as const,
  );
  return {
    contents: { tree: null, files, others: [], rules: [reading, ...rules, ...writing], objectFormat },
    schema: work?.schema ?? schema,
    adopt: (answer, changes) => (work === undefined ? { ok: true, value: answer as T } : adopted(work, schema, answer, changes)),
  };
}

function adopted<T>({ adopt, files }: FolderAnswer, schema: z.ZodType<T>, answer: unknown, changes: PackChanges): Reply<T> {
  const checked = schema.safeParse(adopt(answer, patched(files, changes.diff)));
  if (checked.success) return { ok: true, value: checked.data };
  const message = `The content of the folder is not a valid answer: ${checked.error.issues.map((issue) => `${issue.path.join("/")}: ${issue.message}`).join("; ")}`;
  return {
    ok: false,
    failure: toFailure(new SlipwayError("agent_output_invalid", message, { suggested_next_actions: ["Read the transcript."] })),
  };
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
