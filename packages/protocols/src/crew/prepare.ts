import { SlipwayError } from "@slipway/agents/errors";
import { featureIfAny } from "@slipway/kernel/change/feature/store";
import { readerAt } from "@slipway/kernel/config/committed-files";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Prepared, RunRequest } from "../protocol.ts";
import { freeSlug } from "../change/request-slug.ts";
import type { Starter } from "../surface/surface.ts";
import { PROJECT_TYPES, projectTypeSchema, type ProjectType } from "./contract/names.ts";
import type { CrewRunInput } from "./protocol.ts";
import { projectTypeOf, PROJECT_FILES } from "./project-type.ts";
import { MAX_LEAN_FILES, MAX_LEAN_MINUTES } from "./rules/lean.ts";
import { sessionSlug } from "./session/session-name.ts";

/** The request's text is stored by digest; its words become the name of the session. */
export async function prepareCrew(starter: Starter, { text, options = {}, flags = {} }: RunRequest): Promise<Prepared> {
  const request = text ?? "";
  const lean = flags["lean"] === true;
  const { type, note } = await typeOf(starter.kernel, options["type"]);
  const feature_id = await slugFor(starter, request);
  const input: CrewRunInput = {
    feature_id,
    spec_digest: await starter.records.objects.put(Buffer.from(request)),
    mode: lean ? "lean" : "full",
    project_type: type,
  };
  const notes = [...(note === null ? [] : [note]), ...(lean ? [LEAN_NOTE] : [])];
  return { input, slug: feature_id, ...(notes.length === 0 ? {} : { note: `\n${notes.join("\n")}` }) };
}

const LEAN_NOTE = `lean mode: you declare that the task is clear, needs no decision about architecture, interface or security, and takes at most ${MAX_LEAN_MINUTES} minutes. With more than ${MAX_LEAN_FILES} changed files it goes on in full mode.`;

const MOST_WORDS = 3;

/** Two to four words with the numbers that the name may get: of the change, and of the session on its day. */
async function slugFor({ kernel, records }: Starter, request: string): Promise<string> {
  const isTaken = async (id: string) => (await featureIfAny(records.database.db, id)) !== undefined;
  const words = sessionSlug(request).split("-");
  const slug = await freeSlug(words.join(" "), isTaken, kernel);
  return slug.split("-").length <= MOST_WORDS ? slug : freeSlug(words.slice(0, 2).join(" "), isTaken, kernel);
}

/** What the user says, or what the files of the base say. */
export async function typeOf(
  kernel: Kernel,
  given: string | undefined,
): Promise<{ readonly type: ProjectType; readonly note: string | null }> {
  if (given !== undefined) {
    const read = projectTypeSchema.safeParse(given);
    if (read.success) return { type: read.data, note: null };
    throw new SlipwayError("invalid_cli_args", `--type is ${JSON.stringify(given)}; it must be one of ${PROJECT_TYPES.join(", ")}.`, {
      field: "type",
      suggested_next_actions: [`Name one of ${PROJECT_TYPES.join(", ")}, or leave --type out.`],
    });
  }
  const read = readerAt(kernel.repository, `refs/heads/${kernel.configuration.policy.worktree.base_branch}`);
  const files = await Promise.all(PROJECT_FILES.map(async (path) => [path, await fileText(read, path)] as const));
  const { type, because } = projectTypeOf(
    Object.fromEntries(files.flatMap(([path, content]) => (content === null ? [] : [[path, content]]))),
  );
  return { type, note: `project type: ${type} (${because}); --type changes it` };
}

/** A file that is not committed says nothing about the base. */
async function fileText(read: ReturnType<typeof readerAt>, path: string): Promise<string | null> {
  const bytes = await read(path).catch((error: unknown) => {
    if (error instanceof SlipwayError && error.code === "config_missing") return null;
    throw error;
  });
  return bytes === null ? null : Buffer.from(bytes).toString("utf8");
}
