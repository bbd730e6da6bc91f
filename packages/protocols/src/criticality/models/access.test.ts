import { describe, expect, test } from "vitest";
import { ARTIFACT_SERVER, SERVER_TOOLS, TOOLCHAIN_SERVER, type ServerName } from "../servers/names.ts";
import { ACCESS_POLICIES, ACCESS_ROLES, accessTo, mayCall, rolesWith, type AccessRole } from "./access.ts";

const SERVERS = Object.keys(SERVER_TOOLS) as ServerName[];

function callable(role: AccessRole, server: ServerName): string[] {
  return SERVER_TOOLS[server].filter((tool) => mayCall(role, server, tool));
}

describe("the access policy of a role", () => {
  test("[CRI-163] the architect reads and writes artifacts and searches, and runs nothing", () => {
    expect(ACCESS_POLICIES.architect.servers).toEqual({ [ARTIFACT_SERVER]: "read-write", "brave-search": "read-only" });
    expect(callable("architect", ARTIFACT_SERVER)).toEqual([...SERVER_TOOLS[ARTIFACT_SERVER]]);
    expect(callable("architect", TOOLCHAIN_SERVER)).toEqual([]);
  });

  test("[CRI-163] the auditor reads artifacts and checks, and writes neither decisions nor code", () => {
    expect(ACCESS_POLICIES.auditor.servers).toEqual({ [ARTIFACT_SERVER]: "read-only", [TOOLCHAIN_SERVER]: "read-only" });
    expect(callable("auditor", ARTIFACT_SERVER)).toEqual(["read_spec_section", "get_type_witness", "validate_schema"]);
    expect(callable("auditor", TOOLCHAIN_SERVER)).toEqual([...SERVER_TOOLS[TOOLCHAIN_SERVER]]);
  });

  test("[CRI-163] the structurer writes structure without logic, reads artifacts and runs nothing", () => {
    expect(ACCESS_POLICIES.structurer.servers).toEqual({ [ARTIFACT_SERVER]: "read-only", filesystem: "structure only" });
    expect(callable("structurer", ARTIFACT_SERVER)).toEqual(["read_spec_section", "get_type_witness", "validate_schema"]);
    expect(callable("structurer", TOOLCHAIN_SERVER)).toEqual([]);
  });

  test("[CRI-164] the worker has files and checks of one function, no artifact and no search", () => {
    expect(ACCESS_POLICIES.worker.servers).toEqual({ [TOOLCHAIN_SERVER]: "one function", filesystem: "one function" });
    expect(callable("worker", ARTIFACT_SERVER)).toEqual([]);
    expect(callable("worker", TOOLCHAIN_SERVER)).toEqual(["verify_structure", "run_function_test", "check_complexity"]);
    expect(accessTo("worker", "brave-search")).toBeNull();
  });

  test("[CRI-164] the guardian has only the tool with the security scanner", () => {
    expect(ACCESS_POLICIES.guardian.servers).toEqual({ [TOOLCHAIN_SERVER]: "security scanners only" });
    expect(SERVERS.flatMap((server) => callable("guardian", server))).toEqual(["check_complexity"]);
  });

  test("only the architect may append a decision, and only the architect may search", () => {
    expect(rolesWith(ARTIFACT_SERVER, "append_decision")).toEqual(["architect"]);
    expect(ACCESS_ROLES.filter((role) => accessTo(role, "brave-search") !== null)).toEqual(["architect"]);
  });

  test("a tool is callable only on the server that has it", () => {
    expect(mayCall("auditor", TOOLCHAIN_SERVER, "run_function_test")).toBe(true);
    expect(mayCall("architect", TOOLCHAIN_SERVER, "read_spec_section")).toBe(false);
  });
});
