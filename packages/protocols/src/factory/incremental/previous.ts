import type { ProjectHead } from "../projects/projects.ts";
import type { PreviousProject } from "../product/loop.ts";
import type { ProjectRows } from "../project/project.ts";
import type { ProjectView } from "../project/status.ts";

export type Earlier =
  /** No project was made from this page. */
  | { readonly kind: "none" }
  /** The page is unchanged and its run completed. */
  | { readonly kind: "nothing_to_do"; readonly head: ProjectHead<ProjectView> }
  /** The page was edited, or its run was given up. */
  | { readonly kind: "again"; readonly previous: PreviousProject };

/** Looks up the project made from a page, before a run begins. */
export async function earlierFrom(
  projects: Pick<ProjectRows, "latestFrom">,
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
