import type { Role } from "@slipway/agents/role";
import { protocolRole, type ReadFile } from "../roles.ts";

export function featuresRole(name: string, readRepository: ReadFile): Promise<Role> {
  return protocolRole("features", name, readRepository);
}
