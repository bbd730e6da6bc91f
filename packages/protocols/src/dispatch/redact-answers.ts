import type { InvocationResult } from "@slipway/agents/invoke";
import { canonicalJson } from "@slipway/durable/canonical";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Provider } from "@slipway/agents/provider";

/**
 * No answer carries a secret of this machine any further, into a file, a note or the journal: however the agent came by it, it ends
 * here. Only values that are known to be secret are taken out; what merely looks like one may be part of the work.
 */
export function concealed<T>(kernel: Pick<Kernel, "conceal">, result: InvocationResult<T>, onSecret: () => void): InvocationResult<T> {
  const said = result.ok ? result.output : result.failure;
  const safe = kernel.conceal(said);
  if (safe === said || canonicalJson(safe) === canonicalJson(said)) return result;
  onSecret();
  return { ...result, ...(result.ok ? { output: safe } : { failure: safe }) } as InvocationResult<T>;
}

/** The same for what a provider says, before anybody keeps it; what it changed in a folder is seen only in the result. */
export function concealing(provider: Provider, { conceal }: Pick<Kernel, "conceal">, onSecret: () => void): Provider {
  return {
    ...provider,
    async invoke(request, signal) {
      const reply = await provider.invoke(request, signal);
      const safe = conceal({ text: reply.text, raw: reply.raw });
      if (safe.text === reply.text) return { ...reply, ...(reply.raw === undefined ? {} : { raw: safe.raw }) };
      onSecret();
      return { ...reply, text: safe.text, ...(reply.raw === undefined ? {} : { raw: safe.raw }) };
    },
  };
}
