import { join } from "node:path";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import { z } from "zod";
import { hasCode, nodeFileSystem as files } from "../../../host/files/file-system.ts";
import { makePrivateFolder } from "../../../host/files/private-folder.ts";
import { ensureDirectory, writeFileAtomic } from "../../../host/files/write-atomic.ts";
import { notApproved } from "./approvals.ts";
import type { Approval } from "./token.ts";

const claim = z.strictObject({ approval: z.string(), repository: z.string(), operation: z.string(), landed: z.boolean() });

/**
 * Used approvals, outside every repository: a database that was copied, or restored from before the use, does not know that its approval
 * was used.
 */
export function approvalClaims(stateHome: string) {
  const folder = join(stateHome, "approvals");
  const fileOf = ({ id }: Approval) => join(folder, `${sha256(id)}.json`);

  async function write(approval: Approval, operation: string, landed: boolean): Promise<void> {
    makePrivateFolder(stateHome);
    await ensureDirectory(files, folder, 0o700);
    const text = canonicalJson({ approval: approval.id, repository: approval.repository, operation, landed });
    await writeFileAtomic(files, fileOf(approval), Buffer.from(text));
  }

  return {
    /** Before the merge. A merge that did not land may be tried again; only the operation that landed may be repeated. */
    async take(approval: Approval, operation: string): Promise<void> {
      const earlier = await read(fileOf(approval));
      if (earlier !== null && earlier.landed && earlier.operation !== operation)
        throw notApproved("used", "The approval has already been used.", approval);
      if (earlier?.landed !== true) await write(approval, operation, false);
    },
    landed: (approval: Approval, operation: string) => write(approval, operation, true),
  };
}

async function read(path: string): Promise<z.infer<typeof claim> | null> {
  const bytes = await files.read(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
  return bytes === null ? null : claim.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
}
