import type { AskTrust } from "@slipway/kernel/config/trust/trust";
import type { Kernel } from "@slipway/kernel/kernel";
import { openKernelAt } from "@slipway/kernel/open";
import type { Caller } from "@slipway/protocols/surface/caller";
import { usedLayout } from "./reader.ts";

/** For commands that need policy, git and records but drive no run. A person is asked for their trust when the first program starts. */
export async function withKernel<T>(io: Caller, work: (kernel: Kernel) => Promise<T>, askTrust?: AskTrust): Promise<T> {
  usedLayout(io);
  const opened = await openKernelAt({ cwd: io.cwd, env: io.env, askTrust, startsPrograms: false });
  try {
    return await work(await opened.kernel());
  } finally {
    await opened.close();
  }
}
