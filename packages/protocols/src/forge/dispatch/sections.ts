import type { PackItem } from "@slipway/agents/pack";
import { fileSections, listingSection } from "../../change/file-sections.ts";
import type { ForgeRun } from "../forge-run.ts";

/** Limit of the file text in a prompt; the list of paths is always complete. */
const MAX_FILE_BYTES = 96 * 1024;

/** A file of the run folder as a section; nothing if it does not exist. */
export async function runFile({ files }: ForgeRun, path: string, kind = "artifact"): Promise<PackItem[]> {
  const text = await files.text(path);
  return text === null ? [] : [{ title: path, kind, text }];
}

export async function runFiles(run: ForgeRun, paths: readonly string[], kind = "artifact"): Promise<PackItem[]> {
  return (await Promise.all(paths.map((path) => runFile(run, path, kind)))).flat();
}

/** The completion blocks of outputs that exist, before the outputs themselves. */
export async function completionBlocks({ files }: ForgeRun, paths: readonly string[]): Promise<PackItem[]> {
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await files.text(path) })));
  const blocks = texts.flatMap(({ path, text }) => (text === null ? [] : [`# ${path}\n${completionBlock(text)}`]));
  return blocks.length === 0 ? [] : [{ title: "outputs so far", kind: "completion", text: blocks.join("\n") }];
}

/** The block is the first key of the document. */
function completionBlock(text: string): string {
  const end = text.search(/^agent_output:/m);
  return (end === -1 ? text : text.slice(0, end)).trimEnd();
}

/** The paths of the repository and, for providers without a folder, the texts that matter most. */
export async function repositorySections({ change, id }: ForgeRun, wanted: readonly string[] = []): Promise<PackItem[]> {
  const { features } = change.services.kernel;
  const { files } = await features.context(id);
  const own = files.filter(({ path }) => !path.startsWith("slipway/"));
  return [listingSection(own), ...(await fileSections(change, own, { wanted, maxBytes: MAX_FILE_BYTES }))];
}
