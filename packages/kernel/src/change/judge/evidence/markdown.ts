import type { EvidenceBundle } from "./bundle.ts";
import type { SeenProgram } from "../../../host/toolchain/program.ts";
import { canaryRecord, canaryText } from "../canary/record.ts";
import type { Check } from "./checks.ts";
import { countChecks, MODE } from "./gate-queries.ts";

/** The bundle as Markdown. All text from a repository or a model is escaped. */
export function evidenceMarkdown(bundle: EvidenceBundle): string {
  const { feature, checks, totals, journal } = bundle;
  const { passed, failed } = countChecks(checks);
  return [
    `# Evidence for ${plain(feature.id)}`,
    "",
    `Status ${plain(feature.status)}, run \`${code(feature.run_id)}\`, tree \`${code(feature.tree)}\`.`,
    "",
    ...deletionLines(bundle),
    ...mergeLines(bundle),
    `## Checks (${passed} passed, ${failed} failed)`,
    "",
    "The harness observed these checks itself: exit codes, trees and counts. The journal has the digest of each.",
    "",
    ...(checks.some((check) => check.recorded_before_facts_were_signed)
      ? [
          "Some were recorded before facts were signed: the journal has their digests only since the update of Slipway. They are marked `*`.",
          "",
        ]
      : []),
    ...table(
      ["check", "kind", "status", "exit", "tree", "log", "at", "started"],
      checks.map((check) => [
        `${plain(check.name)}${check.recorded_before_facts_were_signed ? String.raw` \*` : ""}`,
        plain(check.kind),
        check.status,
        check.exit_code ?? "",
        short(check.tree),
        short(check.log_digest),
        time(check.at),
        plain(startedIn(check.counts)),
      ]),
    ),
    "",
    ...canarySection(checks),
    `## Agents (${totals.invocations} invocations, ${totals.input_tokens} tokens in, ${totals.output_tokens} out, ${totals.cost_usd.toFixed(4)} USD)`,
    "",
    ...table(
      ["role", "provider", "model", "tokens in", "tokens out", "USD", "seconds"],
      bundle.telemetry.map((row) => [
        plain(row.role),
        plain(row.provider),
        plain(row.model ?? ""),
        row.input_tokens,
        row.output_tokens,
        row.cost_usd.toFixed(4),
        (row.duration_ms / 1000).toFixed(1),
      ]),
    ),
    "",
    ...egressSection(bundle.egress),
    "## Journal",
    "",
    `Run: ${head(journal.run)}. Repository: ${head(journal.repository)}. \`slipway journal verify\` checks both.`,
    "",
  ].join("\n");
}

/** Whether the gates turned red with a planted failure; missing for records of earlier versions. */
function canarySection(checks: readonly Check[]): string[] {
  const rows = checks.flatMap((check) => {
    const record = canaryRecord(check);
    return record === null ? [] : [`- ${plain(check.name)} on ${short(check.tree)}: ${plain(canaryText(check.name, record))}`];
  });
  const isOff = checks.some(({ kind, counts }) => kind === MODE && (counts as { readonly canary?: string } | null)?.canary === "off");
  const off = isOff ? ["- The policy turned it off (gates.canary) for some gates: nothing shows that they would have turned red."] : [];
  return rows.length + off.length === 0 ? [] : ["## Planted failures", "", ...rows, ...off, ""];
}

/** Missing if no agent in a sandbox tried to reach a host. */
function egressSection(egress: EvidenceBundle["egress"]): string[] {
  if (egress.length === 0) return [];
  const rows = egress.map(({ role, host, connections, bytes_out, bytes_in, refused }) => [
    plain(role),
    plain(host),
    connections,
    bytes_out,
    bytes_in,
    plain(refused.join("; ")),
  ]);
  return [
    "## Network",
    "",
    "What agents sent from their sandbox, and what its gateway refused.",
    "",
    ...table(["role", "host", "connections", "bytes out", "bytes in", "refused"], rows),
    "",
  ];
}

/** The interpreter of a step, or its program. */
function startedIn(counts: Check["counts"]): string {
  const { program } = (counts ?? {}) as { readonly program?: SeenProgram };
  if (program === undefined) return "";
  const { path, version } = program.interpreter ?? program;
  return version === null ? path : `${path} ${version}`;
}

function deletionLines({ feature: { id, deleted, earlier = [] } }: EvidenceBundle): string[] {
  return [
    ...(deleted === undefined
      ? []
      : [`Deleted at ${time(deleted.at)} by ${plain(deleted.by)}. \`slipway restore ${code(id)} --list\` shows what can be restored.`, ""]),
    ...(earlier.length === 0
      ? []
      : [`Deleted features had this name before: ${earlier.map((name) => `\`slipway evidence ${code(name)}\``).join(", ")}.`, ""]),
  ];
}

function mergeLines({ merge, approval }: EvidenceBundle): string[] {
  if (merge === null) return ["Not merged.", ""];
  const approved =
    approval === null
      ? "without a recorded approval"
      : `approved by ${plain(approval.by)} at ${time(approval.at)} (\`${code(approval.id)}\`)`;
  return [
    `Merged into ${plain(merge.base_branch)} as \`${code(merge.commit)}\` (tree \`${code(merge.tree)}\`, ${plain(merge.strategy)}), ${approved}.`,
    `The change is \`${code(merge.change)}\` on \`${code(merge.base_before)}\`.`,
    "",
  ];
}

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  if (rows.length === 0) return ["None."];
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

function head(head: EvidenceBundle["journal"]["run"]): string {
  return head === null ? "no events" : `${head.seq} events, head \`${head.hash}\``;
}

function plain(text: string): string {
  return code(text).replaceAll(/[\\`*_{}[\]()<>#!|~&]/g, String.raw`\$&`);
}

/** For inside backquotes, where a backslash does not escape. */
function code(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ").replaceAll("`", "'");
}

function short(digest: string | null): string {
  return digest === null ? "" : `\`${code(digest).slice(0, 12)}\``;
}

function time(at: number): string {
  return new Date(at).toISOString();
}
