import type { ProjectHead } from "../projects/projects.ts";
import type { PreviousProject } from "../product/loop.ts";
import type { ProjectStore } from "../project/project.ts";
import type { ProjectView } from "../project/status.ts";

export type Earlier =
  /** Nothing was ever made from this page. */
  | { readonly kind: "none" }
  /** Everything was made from exactly this page, and the run came to its end. */
  | { readonly kind: "nothing_to_do"; readonly head: ProjectHead<ProjectView> }
  /** It is edited since, or the run was given up. */
  | { readonly kind: "again"; readonly previous: PreviousProject };

/** What there is of a page before a run begins; looking costs nothing. */
export async function earlierFrom(
  projects: Pick<ProjectStore, "latestFrom">,
  page: string,
  pageDigest: string,
  hasEnded: (projectId: string) => Promise<boolean>,
): Promise<Earlier> {
  const head = await projects.latestFrom(page);
  if (head === null || head.origin === null) return { kind: "none" };
  const { page_digest, spec_digest } = head.origin;
  if (page_digest === pageDigest && head.summary.complete && (await hasEnded(head.project_id))) return { kind: "nothing_to_do", head };
  return { kind: "again", previous: { project_id: head.project_id, page_digest, spec_digest } };
}
