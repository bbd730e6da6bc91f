import { join } from "node:path";
import type { Json } from "@slipway/durable/canonical";
import { newArtifactId, refOf } from "../artifacts/envelope.ts";
import { FIRST_VERSION } from "@slipway/languages/contracts/version";
import type { Call } from "@slipway/kernel/record/operations/call";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { ensureDirectory, writeFileAtomic } from "@slipway/kernel/host/files/write-atomic";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { writeBelow } from "@slipway/kernel/host/file-views/files";
import { z } from "zod";
import type { Deficiency } from "./deficiency.ts";
import { specMarkdown } from "./markdown.ts";
import type { Emitted, Source } from "./spec-draft.ts";
import type { ProductSpec } from "./spec.ts";

export interface Emission {
  readonly spec: ProductSpec;
  readonly warnings: readonly Deficiency[];
  readonly sources: readonly Source[];
}

const emissionInput = z.strictObject({
  spec_id: z.string(),
  spec_version: z.string(),
  /** Digests of spec.json, spec.md and their attachments. */
  spec_digest: z.string(),
  markdown_digest: z.string(),
  account_digest: z.string(),
});

const emitOperation: Operation<z.infer<typeof emissionInput>, undefined, { artifact_ref: string }> = {
  name: "factory.emit_spec",
  roles: ["orchestrator"],
  input: emissionInput,
  commit: async () => ({ artifact_ref: refOf({ artifact_id: newArtifactId("PRODUCT_SPEC"), version: FIRST_VERSION }) }),
  event: (input, output): Json => ({ ...input, ...output }),
};

/** `.slipway/state_store/product/`. */
export function productFolder({ records }: Kernel): string {
  return join(records.layout.state, "state_store", "product");
}

/**
 * Records spec, Markdown and research by digest in the journal, then writes them as files. Repeated after a crash, it records nothing twice
 * and writes the same files.
 */
export async function persistSpec(kernel: Kernel, call: Call, { spec, warnings, sources }: Emission): Promise<Emitted> {
  const { records, door } = kernel;
  const texts = {
    "spec.json": pretty(spec),
    "spec.md": specMarkdown(spec),
    "emission.json": pretty({ warnings, sources }),
  };
  const put = (name: keyof typeof texts) => records.objects.put(Buffer.from(texts[name]));
  const [spec_digest, markdown_digest, account_digest] = await Promise.all([put("spec.json"), put("spec.md"), put("emission.json")]);
  const { artifact_ref } = await door.perform(emitOperation, call.actor, call.operationId, {
    spec_id: spec.spec_id,
    spec_version: spec.spec_version,
    spec_digest,
    markdown_digest,
    account_digest,
  });
  const folder = productFolder(kernel);
  await ensureDirectory(nodeFileSystem, folder);
  await Promise.all(Object.entries(texts).map(([name, text]) => writeFileAtomic(nodeFileSystem, join(folder, name), Buffer.from(text))));
  return { artifact_ref, spec_digest, warnings };
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Writes a draft into the folder of the run, for people to read. Drafts are not records. */
export async function keepDraft({ records }: Kernel, runId: string, context: number, path: string, content: string): Promise<void> {
  const folder = join(records.layout.run(runId), "product", String(context));
  await ensureDirectory(nodeFileSystem, folder);
  writeBelow(folder, path, Buffer.from(content), false);
}
