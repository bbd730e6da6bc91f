export const ARTIFACT_SERVER = "criticality-artifact-server";
export const TOOLCHAIN_SERVER = "criticality-toolchain-server";

/** The tools of each server; it has no others. */
export const SERVER_TOOLS = {
  [ARTIFACT_SERVER]: ["read_spec_section", "append_decision", "get_type_witness", "validate_schema"],
  [TOOLCHAIN_SERVER]: ["verify_structure", "run_function_test", "run_property_test", "check_complexity"],
} as const;

export type ServerName = keyof typeof SERVER_TOOLS;
export type ServerToolName = (typeof SERVER_TOOLS)[ServerName][number];

declare module "@slipway/kernel/config/rbac" {
  interface ProtocolTools extends Record<ServerToolName, true> {}
}
