import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import { protocolNamed } from "@slipway/protocols/protocols";
import { beginRun } from "@slipway/protocols/surface/start-protocol";
import type { Starter } from "@slipway/protocols/surface/surface";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Records a run of the protocol and returns its id, as the command line does it. */
export async function beginNamed(protocol: string, starter: Starter, specs: readonly Spec[], { cwd, env }: Place): Promise<string> {
  const begun = await beginRun(protocolNamed(protocol), starter, { specs, text: null, cwd, env });
  if ("runId" in begun) return begun.runId;
  throw new Error(`there is nothing to do: ${begun.lines.join(" ")}`);
}
