import type { Role } from "@slipway/agents/role";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { protocolRole } from "../dispatch/roles.ts";

export function featuresRole(name: string, readRepository: ReadFile): Promise<Role> {
  return protocolRole("features", name, readRepository);
}
