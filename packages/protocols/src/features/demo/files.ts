import type { DemoFiles } from "../../demo/demo.ts";
import { demoFolder } from "../../demo/files.ts";

export const SHOP: DemoFiles = {
  folder: demoFolder("features"),
  published: null,
  commitMessage: "Corner shop",
  gates: "its own bundled gates",
  request: { specs: "specs" },
};

export const REAL: DemoFiles = {
  folder: demoFolder("real"),
  published: {
    name: "process-warning",
    version: "5.1.1",
    license: "MIT",
    integrity: "sha512-oCkNVj4OKnKEcocVBcDfiIugN1/cE6rgfT3nCtzeqZPA8+rIxMaQ0xXzIkGP8Gj2qUaP1UR7uhJ1VD8lUCpzCg==",
  },
  commitMessage: "process-warning 5.1.1, as published",
  gates: "the tests of process-warning 5.1.1, whose bytes are pinned",
  request: { specs: "specs" },
};

export const COMPOSITION: DemoFiles = {
  folder: demoFolder("composition"),
  published: null,
  commitMessage: "A small recipe book",
  gates: "the project's tests",
  request: { specs: "specs" },
};
