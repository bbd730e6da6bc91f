import { letters, type Project } from "./project.ts";

/** A specification with one function. */
export const TIDES = `[meta]
version = "1.0.0"
created = 2026-11-18T10:00:00Z
domain = "tides"

[system]
name = "tides"
description = "Tide tables"

[boundaries]
external_systems = []
trust_boundaries = []

[features.tables]
classification = "core"
description = "Tables of tides"
affects = []

[data_models.Tide]
fields = [{ name = "height", type = "number", constraints = [] }]

[interfaces.Tides]
methods = [{ name = "highest", params = ["tides: Tide[]"], returns = "number" }]

[constraints]
functional = ["Heights are finite."]
non_functional = []
security = []

[claims.tide_001]
text = "The highest tide is one of the tides."
type = "invariant"
testable = true
`;

/** One more than the repairs that Lattice makes. */
const ATTEMPTS = 6;

/** A project whose structurer always puts its file where no source may be, so that Lattice blocks. No compiler is started. */
export function misplacedLattice(rounds = 2): Project {
  const project = letters({ "spec.toml": TIDES });
  const misplaced = { files: [{ path: "lib/tides.ts", feature: "tables", text: "export {};\n" }], calls: [] };
  for (let round = 1; round <= rounds; round++) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      project.record("structurer", `${round}.${attempt}`, { witnesses: [] }, "witnesses");
      project.record("structurer", `${round}.${attempt}`, misplaced, "lattice");
    }
  }
  return project;
}

/** Runs it until Lattice has used up its repairs. */
export async function blockedInLattice(rounds?: number): Promise<Project> {
  const project = misplacedLattice(rounds);
  await project.slipway(["criticality", "--spec", "spec.toml", "--cassette", project.cassette]);
  return project;
}
