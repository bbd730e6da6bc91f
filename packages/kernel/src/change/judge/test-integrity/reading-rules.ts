import { hiddenCharacter } from "../../../paths/hidden-characters.ts";
import { lookAlikes } from "../../../paths/look-alikes.ts";
import { finding, type ChangedFile, type TestFinding } from "./finding.ts";
import { addedTo } from "./line-rules.ts";
import { selfRunBy } from "./self-run-files.ts";
import type { SpecMentions } from "./spec-mentions.ts";

/** Added lines with characters that the approver does not see, or that reorder what is seen. */
export function hiddenFindings({ path, before, after }: ChangedFile, asked: SpecMentions): TestFinding[] {
  if (after === null) return [];
  const isAdded = addedTo(linesOf(before ?? ""));
  const found = linesOf(after).flatMap((line, index) => {
    const hidden = isAdded(line) ? hiddenCharacter(line) : null;
    return hidden === null ? [] : [{ ...hidden, line: index + 1 }];
  });
  const [first] = found;
  if (first === undefined) return [];
  const more = found.length === 1 ? "" : ` (and ${found.length - 1} more such lines)`;
  return [
    finding("hidden_characters", path, `line ${first.line} has ${first.code}, which ${first.effect}${more}`, asked.words(first.code)),
  ];
}

/** A byte order mark in front of the first line belongs to the file's encoding. */
function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, "").split("\n");
}

/** New names in letters of another script that look like a name that is known. */
export function lookAlikeFindings(files: readonly ChangedFile[], tree: readonly string[], asked: SpecMentions): TestFinding[] {
  const fresh = files.filter(({ status }) => status === "A").map(({ path }) => path);
  const known = [...tree, ...files.map(({ path }) => path)];
  return lookAlikes(fresh, known).map(({ path, of }) =>
    finding("look_alike_name", path, `looks like ${of}, but is written in other letters`, asked.file(path)),
  );
}

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kts?|scala|groovy|gradle|c|cc|cpp|cxx|h|hh|hpp|cs|swift|rb|php|pl|lua|ex|exs|sh|bash|zsh|ps1|bat|cmd|sql|json|jsonc|ya?ml|toml|ini|cfg|xml|html?|css|scss|md|txt)$/i;

/** Files that a person reads in a diff, whatever bytes they have. */
export function isSource(path: string): boolean {
  return SOURCE.test(path) || selfRunBy(path) !== null;
}
