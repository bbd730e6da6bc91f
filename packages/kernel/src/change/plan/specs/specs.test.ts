import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assertDistinct, featureIdOf } from "./feature-id.ts";
import { layoutAt } from "../../../host/layout.ts";
import { discoverSpecs, readCanonicalSpec } from "./discover.ts";
import { findSpecs, MAX_SPEC_BYTES, readSpecs } from "./read.ts";

const scratch = () => mkdtempSync(join(tmpdir(), "slipway-specs-"));

test.each([
  ["my_feature.spec.md", "my_feature"],
  ["my_feature-spec.md", "my_feature"],
  ["my_feature.md", "my_feature"],
  ["a.spec-spec.md", null],
  ["x-spec.spec.md", "x-spec"],
  ["/r/.slipway/features/login/spec.md", "login"],
  ["/r/features/spec.md", "spec"],
])("[FEA-156] %s gives the feature id %s", (path, id) => {
  if (id === null) expect(() => featureIdOf(path)).toThrow(expect.objectContaining({ code: "invalid_feature_slug" }));
  else expect(featureIdOf(path)).toBe(id);
});

test.each(["README.md", ".spec.md", "-x.md", "a b.md", "Ä.md"])("[FEA-157] %s is refused as a feature id", (path) => {
  expect(() => featureIdOf(path)).toThrow(
    expect.objectContaining({ code: "invalid_feature_slug", details: expect.objectContaining({ file: path }) }),
  );
});

test("[FEA-157] two files with one id are both named", () => {
  const specs = [
    { id: "a", path: "one/a.md" },
    { id: "a", path: "two/a.spec.md" },
  ];
  expect(() => assertDistinct(specs)).toThrow(
    expect.objectContaining({ code: "feature_slug_collision", details: expect.objectContaining({ paths: ["one/a.md", "two/a.spec.md"] }) }),
  );
});

test("[FEA-155] a folder is read recursively, in one order, and an empty one is an error", async () => {
  const root = scratch();
  mkdirSync(join(root, "specs", "b"), { recursive: true });
  mkdirSync(join(root, "none"));
  for (const name of ["z.md", "b/a.md", "a.md", "notes.txt"]) writeFileSync(join(root, "specs", name), "# x\n");
  expect(await findSpecs(root, "specs")).toEqual(["specs/a.md", "specs/b/a.md", "specs/z.md"]);
  await expect(findSpecs(root, "none")).rejects.toMatchObject({ code: "no_specs_found" });
  await expect(findSpecs(root, "nowhere")).rejects.toMatchObject({ code: "input_path_not_found" });
});

test.each([
  ["empty", Buffer.from(" \n")],
  ["not UTF-8", Buffer.from([0x23, 0xff, 0xfe, 0x41])],
  ["holding NUL", Buffer.from("# a\0b")],
  ["too large", Buffer.alloc(MAX_SPEC_BYTES + 1, 0x61)],
])("a specification that is %s is refused with its name", async (_what, bytes) => {
  const root = scratch();
  writeFileSync(join(root, "bad.md"), bytes);
  await expect(readSpecs(root, ["bad.md"])).rejects.toMatchObject({ code: "spec_ingest_failed", details: { file: "bad.md" } });
});

test("a missing file, a folder and a good file are distinguished", async () => {
  const root = scratch();
  mkdirSync(join(root, "folder.md"));
  writeFileSync(join(root, "good.md"), "# Good\n");
  await expect(readSpecs(root, ["missing.md"])).rejects.toMatchObject({ code: "input_path_not_found" });
  await expect(readSpecs(root, ["folder.md"])).rejects.toMatchObject({ code: "spec_ingest_failed" });
  expect(await readSpecs(root, ["good.md"])).toEqual([{ id: "good", path: "good.md", bytes: Buffer.from("# Good\n") }]);
});

test("[FEA-069] every spec.md in a feature's folder is found, by feature id, and nothing else", async () => {
  const root = scratch();
  expect(await discoverSpecs(layoutAt(root))).toEqual([]);
  const write = (path: string) => {
    mkdirSync(join(root, ".slipway/features", path, ".."), { recursive: true });
    writeFileSync(join(root, ".slipway/features", path), "# x\n");
  };
  for (const path of ["zebra/spec.md", "apple/spec.md", "no_spec/notes.md", "Bad Name/spec.md", "index.json"]) write(path);
  mkdirSync(join(root, ".slipway/features/folder/spec.md"), { recursive: true });
  expect(await discoverSpecs(layoutAt(root))).toEqual([
    { feature_id: "apple", spec_path: ".slipway/features/apple/spec.md" },
    { feature_id: "zebra", spec_path: ".slipway/features/zebra/spec.md" },
  ]);
});

test("[FEA-158] the specification in a feature's folder is read with its path; an unreadable one is refused", async () => {
  const root = scratch();
  const layout = layoutAt(root);
  mkdirSync(layout.feature("apple"), { recursive: true });
  await expect(readCanonicalSpec(layout, "apple")).rejects.toMatchObject({ code: "input_path_not_found" });
  await expect(readCanonicalSpec(layout, "../apple")).rejects.toMatchObject({ code: "invalid_feature_slug" });
  writeFileSync(join(layout.feature("apple"), "spec.md"), "\0");
  await expect(readCanonicalSpec(layout, "apple")).rejects.toMatchObject({ code: "spec_ingest_failed" });
  writeFileSync(join(layout.feature("apple"), "spec.md"), "# Apple\n");
  expect(await readCanonicalSpec(layout, "apple")).toEqual({
    id: "apple",
    path: ".slipway/features/apple/spec.md",
    bytes: Buffer.from("# Apple\n"),
  });
});
