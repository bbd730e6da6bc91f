import { z } from "zod";

/** A role of the default protocol, `protocol/role`, or `protocol/role/call`. The protocols know which exist. */
export const roleKey = z
  .string()
  .regex(/^(?:[a-z][a-z0-9-]*\/)?[a-z][a-z0-9_-]*(?:\/[a-z][a-z0-9_-]*)?$/, "must be a role, or protocol/role");
