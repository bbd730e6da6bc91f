import type { InvocationResult } from "@slipway/agents/invoke";
import { canonicalJson } from "@slipway/durable/canonical";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Provider } from "@slipway/agents/provider";

/**
 * Redacts secrets of this machine in an agent's result before it reaches a file, a note or the journal. Only known values are
 * redacted; text that merely looks like a secret may be part of the work.
 */
export function redactedResult<T>(kernel: Pick<Kernel, "conceal">, result: InvocationResult<T>, onSecret: () => void): InvocationResult<T> {
  const content = result.ok ? result.output : result.failure;
  const safe = kernel.conceal(content);
  if (safe === content || canonicalJson(safe) === canonicalJson(content)) return result;
  onSecret();
  return { ...result, ...(result.ok ? { output: safe } : { failure: safe }) } as InvocationResult<T>;
}

/** Redacts the provider's reply before it is stored. Changes in a folder are redacted only with the result. */
export function redactedProvider(provider: Provider, { conceal }: Pick<Kernel, "conceal">, onSecret: () => void): Provider {
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
