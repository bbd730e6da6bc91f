import type { PackItem } from "@slipway/agents/pack";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { givenFiles } from "@slipway/agents/packs/source";
import { SlipwayError, toFailure } from "@slipway/durable/errors";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { z } from "zod";
import type { Reply } from "../../desk.ts";
import type { FolderWork } from "../../workplace.ts";
import { patched } from "./patched.ts";

/** How the answer of one who works in a folder becomes the plain one. */
export interface FolderAnswer {
  /** What is in the folder at the start and may be changed. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders and files that may be written besides. */
  readonly writable: readonly string[];
  readonly schema: z.ZodType;
  /** The answer with the files as they are now. */
  readonly adopt: (answer: unknown, files: Readonly<Record<string, string>>) => unknown;
}

/** What a role gets to see, and what holds for modules of which it sees only the surface. */
export interface Shown {
  readonly sections: readonly PackItem[];
  /** By path in the state store. */
  readonly stored: Readonly<Record<string, string>>;
  readonly rules: readonly PackRule[];
}

/** The same context as files: what the role is shown to read, and what it works on to write. Nothing else is there. */
export function roleFolder<T>(
  { sections, stored, rules }: Shown,
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
  const message = `What is in the folder is no valid answer: ${checked.error.issues.map((issue) => `${issue.path.join("/")}: ${issue.message}`).join("; ")}`;
  return {
    ok: false,
    failure: toFailure(new SlipwayError("agent_output_invalid", message, { suggested_next_actions: ["Look at the transcript."] })),
  };
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
