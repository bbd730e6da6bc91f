import type { DemoFiles } from "../../demo/demo.ts";
import { demoFolder } from "../../demo/files.ts";

export const PAGE = "SPEC.md";

export const HOURS: DemoFiles = {
  folder: demoFolder("factory"),
  published: null,
  commitMessage: "Opening hours: what we want",
  gates: "its own bundled gates and the tests of the modules that its cassette holds",
  request: { page: PAGE },
};
