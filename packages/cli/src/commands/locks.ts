import { jsonLine } from "@slipway/protocols/surface/escape";
import type { BoardLock } from "@slipway/kernel/change/views/board/board";
import { findLayout, readBoard } from "@slipway/kernel/open-board";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { paint } from "@slipway/protocols/surface/paint";

/** Lists holders and expiry of locks; read-only. */
export const run: RunCommand = async (args, io) => {
  const { locks } = await readBoard(findLayout(io.cwd));
  if (args.flag("json")) io.out(jsonLine(locks));
  else if (locks.length === 0) io.out("No lock has been taken here yet. Plans that change contracts or protected areas take them.\n");
  else io.out(`${table(locks, Date.now(), io.color).join("\n")}\n`);
  return EXIT.done;
};

function table(locks: readonly BoardLock[], now: number, color: boolean): string[] {
  const { dim, yellow } = paint(color);
  const rows = locks.map(({ resource, holder, token, expires_at }) => [
    resource,
    holder ?? "free",
    expires_at === null ? "" : leaseText(expires_at, now),
    String(token),
  ]);
  const all = [["resource", "holder", "lease", "token"], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return all.map((row, index) => {
    if (index === 0 || row[1] === "free") return dim(line(row));
    return row[2]?.startsWith("expired") === true ? yellow(line(row)) : line(row);
  });
}

/** An expired lease blocks nothing: the next request takes the lock. */
function leaseText(expiresAt: number, now: number): string {
  const seconds = Math.round(Math.abs(expiresAt - now) / 1000);
  return expiresAt > now ? `${seconds} s left` : `expired ${seconds} s ago`;
}
