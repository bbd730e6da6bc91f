import { isBranchTaken } from "@slipway/kernel/host/git/taken-branch";
import type { Kernel } from "@slipway/kernel/kernel";

const MOST_WORDS = 4;
const LONGEST_WORD = 20;
/** Words that say nothing about a change. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "a an the and or of to in on for with from that this it is are be as at by so should shall must will can we i you please add make".split(
    " ",
  ),
);

/** A name of two to four words for a request: its first words that say something. */
export function requestSlug(request: string): string {
  const words = request
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s_-]+/g, " ")
    .split(/[\s_-]+/)
    .filter((word) => word !== "" && !/^\d+$/.test(word))
    .map((word) => word.slice(0, LONGEST_WORD));
  const telling = words.filter((word) => !EMPTY_WORDS.has(word));
  const chosen = (telling.length >= 2 ? telling : words).slice(0, MOST_WORDS);
  return [...chosen, ...["requested", "change"].slice(0, Math.max(0, 2 - chosen.length))].join("-");
}

const MOST_TRIES = 1_000;

/** The slug, with a number if a change or a branch has it. */
export async function freeSlug(
  request: string,
  isTaken: (id: string) => Promise<boolean>,
  { repository, configuration }: Pick<Kernel, "repository" | "configuration">,
): Promise<string> {
  const slug = requestSlug(request);
  const base = configuration.policy.worktree.base_branch;
  for (let number = 1; number < MOST_TRIES; number++) {
    const id = number === 1 ? slug : `${slug}-${number}`;
    if (!(await isTaken(id)) && !(await isBranchTaken(repository, id, base))) return id;
  }
  return `${slug}-${MOST_TRIES}`;
}
