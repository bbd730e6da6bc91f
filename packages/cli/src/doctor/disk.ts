import { randomBytes } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { access, constants, open, statfs, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { layoutOf } from "@slipway/kernel/host/layout";
import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";
import { reasonOf } from "./error-texts.ts";

const MiB = 1024 ** 2;
const TOO_LITTLE = 100 * MiB;
const LITTLE = 1024 * MiB;

export async function checkDisk({ repository, io }: DoctorSubject): Promise<DoctorFinding[]> {
  const { truth, state } = layoutOf(repository);
  // Before the first run the folder does not exist, and a check must not create it.
  const records = existsSync(truth) ? truth : repository.commonDir;
  const temporary = io.env["TMPDIR"] ?? tmpdir();
  return [
    ...(await checkRoot(repository.root)),
    await checkFolder(records, "where the records are kept"),
    ...(await checkProjections(state)),
    await checkFolder(temporary, "for temporary files"),
  ];
}

/** The folder of the projections: it must be Slipway's own, or missing. */
async function checkProjections(state: string): Promise<DoctorFinding[]> {
  const stat = lstatSync(state, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) return [problem(`${state} is a symbolic link, and is not followed.`, `Remove ${state}.`)];
  return stat === undefined ? [] : [await checkFolder(state, "for files that people read")];
}

/** Worktrees and the state folder are created here; checked without writing. */
export async function checkRoot(root: string): Promise<DoctorFinding[]> {
  const refusal = await access(root, constants.W_OK).then(() => null, reasonOf);
  return refusal === null ? [] : [problem(`${root} cannot be written: ${refusal}.`, `Make ${root} writable for your user.`)];
}

export async function checkFolder(folder: string, purpose: string): Promise<DoctorFinding> {
  const name = `${folder} (${purpose})`;
  const refusal = await writeAndSync(folder);
  if (refusal !== null) return problem(`${name} cannot be written: ${refusal}.`, `Make ${folder} a folder that your user may write.`);
  const { bavail, bsize } = await statfs(folder);
  return judgeSpace(name, bavail * bsize);
}

export function judgeSpace(name: string, freeBytes: number): DoctorFinding {
  const free = freeBytes >= LITTLE ? `${(freeBytes / LITTLE).toFixed(1)} GiB` : `${Math.floor(freeBytes / MiB)} MiB`;
  const finding = `${name}: ${free} free.`;
  if (freeBytes < TOO_LITTLE) return problem(finding, "Free at least 1 GiB on that disk.");
  if (freeBytes < LITTLE) return note(finding, "Free some space on that disk: worktrees and builds need it.");
  return ok(`${finding.slice(0, -1)}, can be written and synced.`);
}

/** Why a small file cannot be written and synced there, or null. */
async function writeAndSync(folder: string): Promise<string | null> {
  const path = join(folder, `.slipway-doctor-${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile("slipway doctor\n");
      await file.sync();
    } finally {
      await file.close();
      await unlink(path);
    }
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}
