import { isUtf8 } from "node:buffer";
import { SlipwayError } from "@slipway/durable/errors";
import type { Git } from "@slipway/kernel/git/runner";
import { areaMatcher } from "@slipway/kernel/plans/areas";
import { visible } from "@slipway/kernel/plans/paths";
import { packPath } from "./beneath.ts";
import type { FileTree } from "./file-tree.ts";
import { listBelow, missing, readBelow, removeBelow, writeBelow } from "./files.ts";
import { grepFolder } from "./grep.ts";
import { accessDenied } from "./levels.ts";
import type { StandingPack } from "./materialise.ts";
import type { ReadLog } from "./read-log.ts";

const MAX_GREP_HITS = 200;

/** The pack for tools. What a rule seals or forbids is refused here, whatever a prompt or a file says. */
export function packTree({ folder, plan }: Pick<StandingPack, "folder" | "plan">, log: ReadLog, git: () => Promise<Git>): FileTree {
  const { rulings, writable } = plan;
  const executable = new Map(plan.files.map((file) => [file.path, file.executable]));

  /** Null when it is there to be read. */
  function denial(asked: string, path: string): SlipwayError | null {
    const ruling = rulings(path);
    if (ruling.kind === "absent" && ruling.sealed) return sealed(asked);
    if (ruling.kind === "named") return onlyNamed(plan, path);
    return null;
  }

  function assertWritable(asked: string, path: string): void {
    const denied = denial(asked, path);
    if (denied !== null) throw denied;
    const ruling = rulings(path);
    if (ruling.kind !== "shown" || !ruling.writable) throw readOnly(path, writable);
  }

  function read(tool: "read" | "edit", asked: string): Buffer {
    const path = packPath(asked);
    const content = readBelow(folder, path);
    log.add(tool, path, content);
    return content;
  }

  function filesBelow(start: string): string[] {
    return listBelow(folder, start).flatMap(({ path, kind }) => (kind === "file" ? [path] : filesBelow(path)));
  }

  return {
    async read(asked) {
      const denied = denial(asked, packPath(asked));
      if (denied !== null && denied.details["sealed"] === true) return Buffer.from(denied.message);
      if (denied !== null) throw denied;
      return read("read", asked);
    },
    async write(asked, content) {
      const path = packPath(asked);
      assertWritable(asked, path);
      writeBelow(folder, path, content, executable.get(path) ?? false);
    },
    async edit(asked, before, after) {
      const path = packPath(asked);
      assertWritable(asked, path);
      const text = replaceOnce(path, read("edit", asked), before, after);
      writeBelow(folder, path, Buffer.from(text), executable.get(path) ?? false);
    },
    async remove(asked) {
      const path = packPath(asked);
      assertWritable(asked, path);
      removeBelow(folder, path);
    },
    permission(asked) {
      const ruling = rulings(packPath(asked));
      if (ruling.kind !== "shown") return null;
      return ruling.writable ? "write" : "read";
    },
    async ls(asked) {
      return listBelow(folder, folderPath(asked));
    },
    async glob(pattern) {
      const covers = areaMatcher([pattern.replace(/^\.\//, "")], "glob");
      return filesBelow(".").filter((path) => covers(path) !== null);
    },
    async grep(pattern, { path: asked = ".", limit = MAX_GREP_HITS } = {}) {
      const path = folderPath(asked);
      const hits = await grepFolder(await git(), { pattern, path, limit });
      for (const hit of new Set(hits.map((found) => found.path))) log.add("grep", hit, readBelow(folder, hit));
      return hits;
    },
  };
}

function folderPath(asked: string): string {
  return asked === "" || asked === "." || asked === "./" ? "." : packPath(asked);
}

function replaceOnce(path: string, content: Buffer, before: string, after: string): string {
  const refuse = (problem: string, action: string) =>
    new SlipwayError("patch_rejected", `${visible(path)} was not edited: ${problem}.`, { path, suggested_next_actions: [action] });
  if (!isUtf8(content)) throw refuse("it is not text", "Replace the whole file instead.");
  if (before === "") throw refuse("the text to replace is empty", "Give the text that stands there now.");
  const text = content.toString("utf8");
  const [start, ...rest] = text.split(before);
  if (rest.length === 0) throw refuse("the text to replace does not stand in it", "Read the file again and copy the place exactly.");
  if (rest.length > 1) throw refuse(`the text to replace stands in it ${rest.length} times`, "Give more of the lines around it.");
  return `${start}${after.toWellFormed()}${rest[0]}`;
}

function sealed(asked: string): SlipwayError {
  return new SlipwayError("policy_violation", accessDenied(asked), { path: asked, sealed: true });
}

function onlyNamed({ manifest }: StandingPack["plan"], path: string): SlipwayError {
  const entry = manifest.included.find((found) => found.path === path);
  if (entry === undefined) return missing(path);
  return new SlipwayError(
    "policy_violation",
    `Of ${visible(path)} the pack has the metadata only: ${entry.bytes} bytes, ${String(entry.digest)}.`,
    { path, suggested_next_actions: ["Work without it, or ask for it."] },
  );
}

const SHOWN_PATHS = 20;

function readOnly(path: string, writable: readonly string[]): SlipwayError {
  const shown = writable.slice(0, SHOWN_PATHS).join(", ");
  const others = writable.length > SHOWN_PATHS ? ` and ${writable.length - SHOWN_PATHS} more` : "";
  return new SlipwayError("policy_violation", `${visible(path)} can be read here and not changed.`, {
    path,
    suggested_next_actions: [writable.length === 0 ? "Nothing can be changed here: say it in the answer." : `Change ${shown}${others}.`],
  });
}
