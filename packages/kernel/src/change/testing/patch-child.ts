import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApprovalKey } from "../land/approvals/key.ts";
import { loadConfiguration } from "../../config/load.ts";
import { openRepository } from "../../host/git/repository.ts";
import { openKernel } from "../../kernel.ts";
import { layoutAt } from "../../host/layout.ts";
import { openRecords } from "../../open-records.ts";
import { addFile } from "./scratch-kernel.ts";

/** Another process that works on the feature "letters": creates the named files, one patch each. */
const [root = "", ...names] = process.argv.slice(2);
const records = await openRecords({ layout: layoutAt(root) });
const { features } = openKernel({
  records,
  repository: await openRepository(root),
  configuration: await loadConfiguration(async (path) => (path.endsWith("agents.yaml") ? null : readFileSync(join(root, path)))),
  approvalKey: await openApprovalKey({ configHome: join(root, "..", "config"), repositoryRoot: root }),
  hostEnv: { PATH: process.env["PATH"] },
  sandbox: () => Promise.reject(new Error("no gates here")),
});
for (const name of names) {
  const call = { actor: { type: "builder", id: `process ${process.pid}` } as const, operationId: `make ${name}` };
  await features.applyPatch(call, { feature_id: "letters", unified_diff: addFile(name, name) });
}
await records.close();
