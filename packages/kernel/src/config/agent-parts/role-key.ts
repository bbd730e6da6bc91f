import { z } from "zod";

/** A role of the default protocol, or `protocol/role`. The protocols know which roles exist. */
export const roleKey = z.string().regex(/^(?:[a-z][a-z0-9-]*\/)?[a-z][a-z0-9_-]*$/, "must be a role, or protocol/role");
