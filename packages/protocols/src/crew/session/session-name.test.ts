import { expect, test } from "vitest";
import { sessionNameSchema } from "./session-name.ts";

test("a session below a run of specifications is called like its specification, whose words may be joined with _", () => {
  expect(sessionNameSchema.safeParse("2026-11-18_c_units").success).toBe(true);
  for (const name of ["2026-11-18_units", "2026-11-18_a_b_c_d_e", "2026-11-18__units", "2026-11-18_units_"])
    expect(sessionNameSchema.safeParse(name).success).toBe(false);
});
