import { cpus, loadavg } from "node:os";
import { startContest } from "./contest.ts";
import { benchFlat, FLAT_RUN } from "./flat.ts";
import { grow } from "./growth.ts";
import { installPeer, PEER } from "./install.ts";
import { benchMcp } from "./mcp.ts";
import { rowsOf, type PeerRow } from "./rows.ts";
import { warmUp, work, workAgain } from "./single.ts";

/** Slipway and its peer on the same repository, in one run. Without the peer there are only our own figures. */
export async function benchPeer(say: (line: string) => void): Promise<PeerRow[]> {
  const peer = installPeer();
  if (!peer.ok) say(`${PEER.name}@${PEER.version} could not be installed, its columns stay empty: ${peer.why}`);
  const [load = 0] = loadavg();
  if (load > cpus().length / 2)
    say(`This machine is busy (load ${load.toFixed(1)}): figures that include starting processes are too slow.`);
  const contest = await startContest(peer.ok ? peer.folder : null);
  try {
    await warmUp(contest);
    say("one feature after another, to 100 …");
    const growth = await grow(contest);
    say("patches, locks, gates …");
    const walled = await work(contest, "growing");
    say("10,000 calls …");
    const flat = await benchFlat(contest);
    say("patches, locks, gates again …");
    await workAgain(contest, "growing", FLAT_RUN);
    say("MCP …");
    const roundTrips = await benchMcp(contest.rootOf("growing"));
    return rowsOf(contest, { growth, flat, walled, roundTrips });
  } finally {
    await contest.close();
  }
}

export function peerTable(rows: readonly PeerRow[]): string {
  return [
    `| what | Slipway | ${PEER.name} ${PEER.version} | ratio | bar | met |`,
    "|---|---|---|---|---|---|",
    ...rows.map((row) => {
      const met = row.met === null ? "" : row.met ? "yes" : "**no**";
      return `| ${row.what} | ${row.ours} | ${row.against} | ${row.ratio} | ${row.bar} | ${met} |`;
    }),
  ].join("\n");
}
