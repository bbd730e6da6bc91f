import { loadProtocols } from "@slipway/protocols/all-protocols";

/** The version of every workflow of every protocol, by its name: a run and all that is below it are pinned each for itself. */
export async function workflowVersions(): Promise<ReadonlyMap<string, string>> {
  const protocols = await loadProtocols();
  return new Map(protocols.flatMap(({ started, parts }) => [...started, ...parts]).map(({ name, version }) => [name, version]));
}
