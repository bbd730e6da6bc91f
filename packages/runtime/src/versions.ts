import { loadProtocols } from "@slipway/protocols/all-protocols";

/** The version of every workflow of every protocol, by its name: a run and each of its children pin their own version. */
export async function workflowVersions(): Promise<ReadonlyMap<string, string>> {
  const protocols = await loadProtocols();
  return new Map(protocols.flatMap(({ started, parts }) => [...started, ...parts]).map(({ name, version }) => [name, version]));
}
