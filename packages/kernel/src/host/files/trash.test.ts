import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeTreeNow, removeWithin } from "./remove-tree.ts";
import { discardTree, emptyTrash, setAside } from "./trash.ts";

function folderWith(files: number): { readonly trash: string; readonly full: string } {
  const trash = mkdtempSync(join(tmpdir(), "slipway-trash-"));
  onTestFinished(() => removeTreeNow(trash));
  const full = join(trash, "full");
  mkdirSync(full);
  for (let n = 0; n < files; n++) writeFileSync(join(full, String(n)), "");
  return { trash, full };
}

test("a removal that takes too long stops, and the folder is set aside and removed later", async () => {
  const { trash, full } = folderWith(20_000);
  expect(await removeWithin(full, 0)).toBe(false);
  setAside(full, trash);
  expect(readdirSync(trash)).toEqual([expect.stringMatching(/^\.old-/)]);
  await emptyTrash(trash, 0);
  expect(readdirSync(trash)).toHaveLength(1);
  await emptyTrash(trash);
  expect(readdirSync(trash)).toEqual([]);
});

test("an ordinary folder is removed at once; a missing folder or trash is not an error", async () => {
  const { trash, full } = folderWith(10);
  writeFileSync(join(trash, "kept"), "");
  await discardTree(full, trash);
  await discardTree(full, trash);
  await emptyTrash(join(trash, "missing"));
  await emptyTrash(trash);
  expect(readdirSync(trash)).toEqual(["kept"]);
});
