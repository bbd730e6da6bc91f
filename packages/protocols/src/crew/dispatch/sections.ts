import type { PackItem } from "@slipway/agents/pack";
import type { DispatchInput } from "../contract/input.ts";
import { fileSections, listingSection } from "../../change/file-sections.ts";
import type { CrewRun } from "../crew-run.ts";
import { PROJECT_INSTRUCTIONS } from "../prompts/render.ts";
import { inSession } from "../session/session-name.ts";
import type { DispatchOrder } from "./order.ts";
import type { Opened } from "./workspace.ts";

/** Limit of the file text in a prompt; the list of paths, the context files and the reviewed files are always complete. */
const MAX_FILE_BYTES = 96 * 1024;

/** What the prompt holds besides the rendered text: whole files, because an agent that judges them must have them. */
export async function sectionsOf(run: CrewRun, order: DispatchOrder, input: DispatchInput, { files }: Opened): Promise<PackItem[]> {
  const context = input.task.context_files.map((path) => ({
    title: path,
    kind: "artifact",
    text: files[inSession(run.folder, path) ?? ""] ?? "",
  }));
  const facts = order.facts.map(({ title, text }) => ({ title, kind: "facts", text }));
  const review = order.reviewed.length === 0 ? [] : await reviewSections(run, order.reviewed);
  return [...context, ...facts, ...review, ...(await repositorySections(run, order))];
}

/** The changed files in full, deleted ones by the diff. */
async function reviewSections({ change, id }: CrewRun, reviewed: readonly string[]): Promise<PackItem[]> {
  const { features } = change.services.kernel;
  const diff = await features.diffText(id);
  const texts = await Promise.all(reviewed.map(async (path) => ({ path, text: await features.readAt(id, "now", path) })));
  return [
    ...texts.flatMap(({ path, text }) => (text === null ? [] : [{ title: path, kind: "changed file", text }])),
    {
      title: "the change of this session",
      kind: "diff",
      text: diff.truncated ? `${diff.text}\n(cut off; ${diff.bytes} bytes in all)` : diff.text,
    },
  ];
}

/** For providers without a folder: the paths of the repository and the texts that matter most. */
async function repositorySections({ change, id }: CrewRun, order: DispatchOrder): Promise<PackItem[]> {
  const { features } = change.services.kernel;
  const { files } = await features.context(id);
  const own = files.filter(({ path }) => !path.startsWith("slipway/") && !path.startsWith(".slipway/") && !order.reviewed.includes(path));
  const wanted = [PROJECT_INSTRUCTIONS, ...(order.filesExpected ?? [])];
  return [listingSection(own), ...(await fileSections(change, own, { wanted, maxBytes: MAX_FILE_BYTES }))];
}
