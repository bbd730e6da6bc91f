import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApprovalKey } from "../land/approvals/key.ts";
import { loadConfiguration } from "../../config/load.ts";
import { openRepository } from "../../host/git/repository.ts";
import { openKernel } from "../../kernel.ts";
import { layoutAt } from "../../host/layout.ts";
import { openRecords } from "../../open-records.ts";

/** A process that kills itself between the effect of one call and its commit. */
const [root = "", operation = "", operationId = "", input = "{}"] = process.argv.slice(2);
const records = await openRecords({
  layout: layoutAt(root),
  observe: ({ phase }) => phase === "effect_done" && process.kill(process.pid, "SIGKILL"),
});
const { features } = openKernel({
  records,
  repository: await openRepository(root),
  configuration: await loadConfiguration(async (path) => (path.endsWith("agents.yaml") ? null : readFileSync(join(root, path)))),
  approvalKey: await openApprovalKey({ configHome: join(root, "..", "config"), repositoryRoot: root }),
  hostEnv: { PATH: process.env["PATH"] },
  sandbox: () => Promise.reject(new Error("no gates here")),
});
const call = { actor: { type: "system", id: "test" } as const, operationId };
const given = JSON.parse(input) as never;
if (operation === "tagBase" || operation === "stage" || operation === "revertFiles") await features[operation](call, given);
