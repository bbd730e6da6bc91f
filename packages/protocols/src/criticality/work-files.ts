import { testFiles } from "@slipway/languages/property-tests/test-files";
import type { RunFiles } from "./files/run-files.ts";
import type { Work } from "./work.ts";

const OWN_FILES: ReadonlySet<string> = new Set(["lattice/lattice.json", "lattice/witness-tiers.json"]);

/** Puts the skeleton below `lattice/` and the tests of claims below `tests/`, if they have changed. */
export function showWork(files: RunFiles, shown: Work | null, work: Work): void {
  const { lattice, clusters } = work;
  if (lattice !== null && lattice !== shown?.lattice) {
    const wanted = new Map(Object.entries(lattice.tree).map(([path, text]) => [`lattice/${path}`, text]));
    for (const path of files.below("lattice")) if (!wanted.has(path) && !OWN_FILES.has(path)) files.remove(path);
    for (const [path, text] of wanted) files.put(path, text);
  }
  if (clusters !== shown?.clusters)
    for (const [path, text] of Object.entries(testFiles(clusters.flatMap(({ tests }) => tests.map(({ test }) => test)))))
      files.put(path.startsWith("tests/") ? path : `tests/${path}`, text);
}
