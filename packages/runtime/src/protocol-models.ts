import type { ProtocolChoice } from "@slipway/agents/select";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { protocolNamed } from "@slipway/protocols/protocols";
import { SlipwayError } from "./errors.ts";

/** The models of a protocol's roles by its own configuration. A file that is not committed does not count. */
export async function protocolModels(protocol: string, read: ReadFile): Promise<Readonly<Record<string, ProtocolChoice>>> {
  const { models } = protocolNamed(protocol);
  return (await models?.((path) => textOf(read, path))) ?? {};
}

async function textOf(read: ReadFile, path: string): Promise<string | null> {
  try {
    const bytes = await read(path);
    return bytes === null ? null : Buffer.from(bytes).toString("utf8");
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "config_missing") return null;
    throw error;
  }
}
