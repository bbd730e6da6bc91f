import { ARTIFACT_SERVER, SERVER_TOOLS, TOOLCHAIN_SERVER, type ServerName, type ServerToolName } from "../servers/names.ts";

export const ACCESS_ROLES = ["architect", "auditor", "structurer", "worker", "guardian"] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];

/** What a role may reach besides the protocol's own servers. Slipway offers neither; a client's configuration follows this table. */
export type OutsideServer = "filesystem" | "brave-search";

export type AccessMode =
  | "read-write"
  | "read-only"
  /** Files and types, without logic. */
  | "structure only"
  | "one function"
  | "security scanners only";

export interface AccessPolicy {
  /** The servers it may use, and how; it may use no other. */
  readonly servers: Readonly<Partial<Record<ServerName | OutsideServer, AccessMode>>>;
  readonly tools: readonly ServerToolName[];
}

const READ_ARTIFACTS = ["read_spec_section", "get_type_witness", "validate_schema"] as const;

/** Least privilege: what is not listed is refused. */
export const ACCESS_POLICIES: Readonly<Record<AccessRole, AccessPolicy>> = {
  architect: {
    servers: { [ARTIFACT_SERVER]: "read-write", "brave-search": "read-only" },
    tools: SERVER_TOOLS[ARTIFACT_SERVER],
  },
  auditor: {
    servers: { [ARTIFACT_SERVER]: "read-only", [TOOLCHAIN_SERVER]: "read-only" },
    tools: [...READ_ARTIFACTS, ...SERVER_TOOLS[TOOLCHAIN_SERVER]],
  },
  structurer: {
    servers: { [ARTIFACT_SERVER]: "read-only", filesystem: "structure only" },
    tools: READ_ARTIFACTS,
  },
  worker: {
    servers: { [TOOLCHAIN_SERVER]: "one function", filesystem: "one function" },
    tools: ["verify_structure", "run_function_test", "check_complexity"],
  },
  // The scanners' findings are part of the answer of check_complexity.
  guardian: { servers: { [TOOLCHAIN_SERVER]: "security scanners only" }, tools: ["check_complexity"] },
};

/** How the role may use the server; null if it may not. */
export function accessTo(role: AccessRole, server: ServerName | OutsideServer): AccessMode | null {
  return ACCESS_POLICIES[role].servers[server] ?? null;
}

export function mayCall(role: AccessRole, server: ServerName, tool: ServerToolName): boolean {
  return accessTo(role, server) !== null && ACCESS_POLICIES[role].tools.includes(tool);
}

/** The roles that may call a tool. */
export function rolesWith(server: ServerName, tool: ServerToolName): AccessRole[] {
  return ACCESS_ROLES.filter((role) => mayCall(role, server, tool));
}
