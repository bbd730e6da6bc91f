import { z } from "zod";
import { SlipwayError } from "../../schema/errors.ts";
import { ensureTag, isTagName } from "../../host/git/tag.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";

export const tagName = z
  .string()
  .refine(isTagName, "must be letters, digits, dots, dashes and underscores that git accepts as the name of a tag");

const tagInput = z.strictObject({ feature_id: z.string(), tag: tagName });

export interface TaggedBase {
  readonly tag: string;
  readonly commit: string;
}

/** Creates a lightweight tag at the feature's base commit. An existing tag at another commit is never moved. */
export function tagBaseOperation({ db, repository }: FeatureDependencies): Operation<z.infer<typeof tagInput>, TaggedBase, TaggedBase> {
  return {
    name: "repo.tag_base",
    roles: ["orchestrator", "system"],
    input: tagInput,
    async effect({ feature_id, tag }) {
      const { base_commit: commit } = await findFeature(db, feature_id);
      const found = await ensureTag(repository, tag, commit);
      if (found !== commit) throw elsewhere(tag, commit, found);
      return { tag, commit };
    },
    commit: async (_tx, _input, tagged) => tagged,
    event: ({ feature_id }, { tag, commit }) => ({ feature_id, tag, commit }),
  };
}

function elsewhere(tag: string, commit: string, found: string | null): SlipwayError {
  return new SlipwayError(
    "operation_conflict",
    `The tag "${tag}" exists at ${found ?? "something else than a commit"}, not at ${commit}. It was not moved.`,
    {
      tag,
      expected: commit,
      found,
      requires_human: true,
      suggested_next_actions: [
        `See what it is for: \`git show ${tag}\`. If it is not needed, delete it (\`git tag -d ${tag}\`) and try again.`,
      ],
    },
  );
}
