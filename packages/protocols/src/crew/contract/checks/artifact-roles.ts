import type { OutputFacts } from "../facts.ts";
import type { OutputOf } from "../output.ts";
import { problem } from "../problems.ts";
import { isBuildFile } from "../../grants/file-kinds.ts";
import { DESIGN_SPEC_NAME, RESEARCH_NAME } from "../../session/artifact-names.ts";

const MAX_INLINE_LINES = 80;

/** A path in the session, written with its real prefix or without. */
function inSession(path: string, sessionPath: string): string {
  return path.startsWith(sessionPath) ? path.slice(sessionPath.length) : path;
}

export function designerProblems({ status, summary, artifacts }: OutputOf<"Designer">, { sessionPath }: OutputFacts): string[] {
  const { design_spec_inline: inline, design_spec_file: file } = artifacts;
  const blocker = [summary, ...artifacts.notes].join("\n");
  return [
    ...problem(
      status === "BLOCKED" && /\b(?:no|missing|without an?|lacks? an?)\b[^.\n]*\bdesign system\b/i.test(blocker),
      "/status: a missing design system does not block; propose a minimal baseline and answer OK",
    ),
    ...problem(
      status === "OK" && (inline === null) === (file === null),
      "/artifacts: OK gives design_spec_inline or design_spec_file, and null for the other",
    ),
    ...problem(
      inline !== null && linesOf(inline) > MAX_INLINE_LINES,
      `/artifacts/design_spec_inline: ${linesOf(inline ?? "")} lines; above ${MAX_INLINE_LINES} it is a file`,
    ),
    ...problem(inline !== null && inline.trim() === "", "/artifacts/design_spec_inline: empty"),
    ...problem(
      file !== null && !DESIGN_SPEC_NAME.test(inSession(file, sessionPath)),
      "/artifacts/design_spec_file: must be design-specs/design-spec-<slug>.md in the session",
    ),
  ];
}

function linesOf(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

/** The file that the harness stores for a spec that came inline; null if there is none. */
export function storedDesignSpec(output: OutputOf<"Designer">, slug: string): { readonly name: string; readonly text: string } | null {
  const { design_spec_inline: inline } = output.artifacts;
  return inline === null ? null : { name: `design-specs/design-spec-${slug}.md`, text: inline.endsWith("\n") ? inline : `${inline}\n` };
}

export function researcherProblems({ status, artifacts }: OutputOf<"Researcher">, { sessionPath }: OutputFacts): string[] {
  if (status !== "OK") return [];
  const { research_summary: points, confidence, options } = artifacts;
  const written = [...artifacts.files_changed, ...artifacts.files_to_create_or_update].map((path) => inSession(path, sessionPath));
  const ids = options.map(({ id }) => id);
  return [
    ...problem(points.length < 3 || points.length > 5, `/artifacts/research_summary: ${points.length} points; must be 3 to 5`),
    ...problem(confidence === null, "/artifacts/confidence: missing; high, medium or low"),
    ...problem(new Set(ids).size < ids.length, "/artifacts/options: an id stands twice"),
    ...problem(!written.some((path) => RESEARCH_NAME.test(path)), "no report research/research-<topic-slug>.md in the session was written"),
  ];
}

export function integratorProblems({ status, artifacts }: OutputOf<"Integrator">, { failedSteps, sessionPath }: OutputFacts): string[] {
  if (status === "FAIL") return [];
  const { ci_notes, files_changed } = artifacts;
  const unreported = failedSteps.filter((step) => !ci_notes.some((note) => note.includes(step)));
  const product = files_changed.filter((path) => !path.startsWith(sessionPath) && !isBuildFile(path));
  return [
    ...problem(unreported.length > 0, `/artifacts/ci_notes: no entry for the failed steps ${unreported.join(", ")}`),
    ...problem(
      ci_notes.some((note) => !/^.+?: *\S/.test(note)),
      "/artifacts/ci_notes: every entry has the form `step: fix`",
    ),
    ...problem(product.length > 0, `/artifacts/files_changed: not build, configuration, script or release files: ${product.join(", ")}`),
    ...problem(
      status === "OK" && ci_notes.some((note) => /: *(?:product decision|no safe fix)\b/i.test(note)),
      "/status: OK although a step needs a product decision or has no safe fix; that is BLOCKED",
    ),
  ];
}

export function docsProblems({ status, artifacts }: OutputOf<"Docs">, { sessionPath }: OutputFacts): string[] {
  if (status !== "OK") return [];
  const changed = artifacts.files_changed.map((path) => inSession(path, sessionPath));
  return ["README.md", "report.md"].flatMap((path) => problem(!changed.includes(path), `/artifacts/files_changed: must list ${path}`));
}
