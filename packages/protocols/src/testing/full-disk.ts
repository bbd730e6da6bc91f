import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A real file system is mounted. */
export const CAN_FILL_A_DISK = process.getuid?.() === 0;

/** Puts a folder with its files on a disk that has no room left. Returns how to put it back as it was. */
export function fillDisk(folder: string): () => void {
  const disk = mkdtempSync(join(tmpdir(), "slipway-full-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]);
  cpSync(folder, disk, { recursive: true });
  execFileSync("mount", ["--bind", disk, folder]);
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize));
  return () => {
    execFileSync("umount", ["--lazy", folder]);
    execFileSync("umount", ["--lazy", disk]);
    rmSync(disk, { recursive: true });
  };
}
