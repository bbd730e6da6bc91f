import { SlipwayError } from "../../schema/errors.ts";
import { EARLY_LISTENER, FORWARD_SCRIPT_AT, type ForwardedPort } from "./forward-script.ts";

export interface HostPort {
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** `host:port` or `[address]:port`; null for anything else. */
export function parseHost(text: string): HostPort | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > 65_535) return null;
  return { host: (match[1] ?? match[2] ?? "").toLowerCase().replace(/\.$/, ""), port };
}

export function parseHosts(hosts: readonly string[]): HostPort[] {
  return hosts.map((text, index) => {
    const parsed = parseHost(text);
    if (parsed !== null) return parsed;
    throw new SlipwayError("schema_validation_failed", `hosts[${index}] "${text}" is not a host and a port, such as api.example.com:443.`, {
      field: `hosts[${index}]`,
      suggested_next_actions: ["Write it as host:port, with an IPv6 address in brackets."],
    });
  });
}

/** Compares names, not the addresses behind them: an address counts only if it is in the list itself. */
export function isNamed({ host, port }: HostPort, hosts: readonly HostPort[]): boolean {
  return hosts.some((named) => named.host === host && named.port === port);
}

/** Whether it is this machine. */
export function isNear({ host }: HostPort): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

const FIRST_PROXY_PORT = 3_128;

/** The ports inside the sandbox that lead to the gateway. All ports are free there, so a host on loopback keeps its port. */
export function forwardedPorts(hosts: readonly HostPort[]): ForwardedPort[] {
  const near = hosts.filter(isNear);
  const direct = near.map(({ host, port }) => ({
    host: host === "::1" ? host : "127.0.0.1",
    port,
    target: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
  }));
  const taken = new Set(direct.map(({ port }) => port));
  let proxyPort = FIRST_PROXY_PORT;
  while (taken.has(proxyPort)) proxyPort++;
  return [{ host: "127.0.0.1", port: proxyPort, target: null }, ...direct];
}

/** The environment variables for the proxy. The last one makes Node use the others. */
function proxyVariables([proxy]: readonly ForwardedPort[]): Record<string, string> {
  const url = `http://127.0.0.1:${proxy?.port}`;
  const near = "localhost,127.0.0.1,::1";
  const both = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: near };
  return {
    ...both,
    ...Object.fromEntries(Object.entries(both).map(([name, value]) => [name.toLowerCase(), value])),
    NODE_USE_ENV_PROXY: "1",
  };
}

/** The command with the forwarder. With Perl it need not wait until Node has started. */
export function forwardedCommand(hosts: readonly HostPort[], command: readonly string[], node: string, perl: string | null): string[] {
  const ports = forwardedPorts(hosts);
  const variables = proxyVariables(ports);
  const plan = JSON.stringify(ports);
  if (perl === null) return [node, FORWARD_SCRIPT_AT, plan, "null", JSON.stringify(variables), JSON.stringify(command)];
  const listen = ports.flatMap(({ host, port }) => [host, String(port)]);
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [
    perl,
    "-e",
    EARLY_LISTENER,
    node,
    FORWARD_SCRIPT_AT,
    plan,
    String(ports.length),
    ...listen,
    String(assigned.length),
    ...assigned,
    ...command,
  ];
}
