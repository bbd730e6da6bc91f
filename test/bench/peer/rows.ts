import type { Contest } from "./contest.ts";
import type { Flat } from "./flat.ts";
import { DASHBOARDS, PLANS, dashboardRow, planRow, WINDOW, type Growth } from "./growth.ts";
import type { RoundTrips } from "./mcp.ts";
import { ROWS, USED } from "./single.ts";
import { median, ms } from "./statistics.ts";

export interface PeerRow {
  readonly what: string;
  readonly ours: string;
  readonly against: string;
  readonly ratio: string;
  readonly bar: string;
  /** Null if the issue names no limit. */
  readonly met: boolean | null;
}

const MEMORY_BAR = 400 * 2 ** 20;
const FLAT_BAR = 1.25;

export interface Measured {
  readonly growth: Growth;
  readonly flat: Flat;
  /** Whether gates could be sandboxed here. */
  readonly walled: boolean;
  readonly roundTrips: RoundTrips;
}

export function rowsOf(contest: Contest, { growth, flat, walled, roundTrips }: Measured): PeerRow[] {
  const { samples } = contest;
  const faster = (what: string, bar: number | null, names: readonly string[] = [what]): PeerRow => {
    const sum = (side: "ours" | "theirs") => names.reduce((total, name) => total + median(samples.get(name)?.[side] ?? []), 0);
    const [ours, theirs] = [sum("ours"), sum("theirs")];
    const known = !Number.isNaN(theirs);
    return {
      what,
      ours: ms(ours),
      against: known ? ms(theirs) : "not installed",
      ratio: known ? `${(theirs / ours).toFixed(2)} × faster` : "",
      bar: bar === null ? "" : `≥ ${bar} × faster`,
      met: bar === null || !known ? null : theirs / ours >= bar,
    };
  };
  return [
    ...DASHBOARDS.map((features) => faster(dashboardRow(features), features === 100 ? 5 : null)),
    ...PLANS.map((plans) => ({
      ...faster(planRow(plans), plans === 100 ? 5 : null),
      what: `${planRow(plans)} (to ${plans + WINDOW - 1})`,
    })),
    // The limit is for features in progress; see decision 0033.
    ...[{ stage: "", bar: null } as const, { stage: USED, bar: 2 } as const].flatMap(({ stage, bar }) => [
      faster(ROWS.patch + stage, bar),
      faster(`locks.acquire + locks.release${stage}`, null, [ROWS.acquire + stage, ROWS.release + stage]),
      faster(ROWS.gate + stage, bar),
      walled
        ? faster(ROWS.walledGate + stage, bar)
        : { ...faster(ROWS.walledGate + stage, bar), ours: "not measured: no sandbox here", ratio: "", met: null },
    ]),
    faster("feature.init", null),
    againstGit(median(samples.get("feature.init")?.ours ?? []), median(growth.rawInit)),
    ...flatRows(flat),
    overMcp(roundTrips),
    memory("fifty features, without agents: memory of the process", growth.bytesAtFifty),
    memory(`107 features, after ${flat.ours.calls} calls: memory of the process`, flat.bytesAfter),
  ];
}

function againstGit(ours: number, git: number): PeerRow {
  return {
    what: "feature.init against `git branch` + `git worktree add`",
    ours: ms(ours),
    against: `git: ${ms(git)}`,
    ratio: `${(ours / git).toFixed(2)} × git`,
    bar: "",
    met: null,
  };
}

function overMcp({ ours, empty }: RoundTrips): PeerRow {
  return {
    what: "MCP stdio round trip, `feature.state_get` against an empty tool",
    ours: ms(ours),
    against: `empty tool: ${ms(empty)}`,
    ratio: `${(ours / empty).toFixed(2)} × empty`,
    bar: "≤ 2 × empty",
    met: ours / empty <= 2,
  };
}

function flatRows({ ours, theirs, dashboard }: Flat): PeerRow[] {
  const growth = ours.last / ours.first;
  const dashboardGrowth = dashboard.after / dashboard.before;
  return [
    {
      what: `feature.log_append: last ${ours.edge} of ${ours.calls} calls over the first${theirs === null ? "" : ` (the peer: last ${theirs.edge} of ${theirs.calls})`}`,
      ours: `${ms(ours.first)} → ${ms(ours.last)}`,
      against: theirs === null ? "not installed" : `${ms(theirs.first)} → ${ms(theirs.last)}`,
      ratio: `${growth.toFixed(2)}${theirs === null ? "" : ` (the peer: ${(theirs.last / theirs.first).toFixed(1)})`}`,
      bar: `≤ ${FLAT_BAR} (flat)`,
      met: growth <= FLAT_BAR,
    },
    {
      what: `report.dashboard after those ${ours.calls} calls over before`,
      ours: `${ms(dashboard.before)} → ${ms(dashboard.after)}`,
      against: "",
      ratio: dashboardGrowth.toFixed(2),
      bar: `≤ ${FLAT_BAR} (flat)`,
      met: dashboardGrowth <= FLAT_BAR,
    },
  ];
}

function memory(what: string, bytes: number): PeerRow {
  return { what, ours: `${(bytes / 2 ** 20).toFixed(0)} MB`, against: "", ratio: "", bar: "< 400 MB", met: bytes < MEMORY_BAR };
}
