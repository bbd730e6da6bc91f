import { bodies, noContradictions, type Said } from "../cassette.ts";
import { BODIES } from "./bodies.ts";
import { CLAIMS } from "./claims.ts";
import { TRANSFORMS } from "./transforms.ts";
import { SKELETON, WITNESSES } from "./skeleton.ts";

/** Every answer of the roles for the program in spec.toml. */
export const ANSWERS: readonly Said[] = [
  { role: "structurer", subject: "witnesses", attempt: "1.1", output: { witnesses: WITNESSES } },
  { role: "structurer", subject: "lattice", attempt: "1.1", output: SKELETON },
  ...noContradictions(1),
  ...bodies(1, BODIES),
  ...CLAIMS,
  ...TRANSFORMS,
];
