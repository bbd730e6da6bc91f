import type { Project } from "../contract.ts";

export const SHELF = `export function fits(books, metres) {
  return books.length * 0.03 <= metres;
}
`;

const SHELF_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "../../src/shelf.js";

test("ten books fit on a metre", () => {
  assert.equal(fits(Array(10), 1), true);
});

test("forty do not", () => {
  assert.equal(fits(Array(40), 1), false);
});
`;

const shelf = {
  "package.json": '{ "name": "shelf", "private": true, "type": "module", "engines": { "node": ">=24" } }\n',
  "README.md": "# Shelf\n",
  "src/shelf.js": SHELF,
};

/** Tests in a subfolder, which the command names by a glob; other folders have programs with the same words. */
export const globbed: Project = {
  name: "globbed",
  files: {
    ...shelf,
    "checks/unit/shelf.check.js": SHELF_TEST,
    "checks/tools/measure.js": 'console.log("measures");\n',
  },
  test: ["node", "--test", "checks/unit/*.check.js"],
  tests: ["checks/unit/shelf.check.js"],
};

/** The command lists every test file, so that no other file is run. */
export const listed: Project = {
  name: "listed",
  files: { ...shelf, "test/unit/shelf.test.js": SHELF_TEST },
  test: ["node", "--test", "test/unit/shelf.test.js"],
  tests: ["test/unit/shelf.test.js"],
};

export const DRAWER = `def fits(things, litres):
    return len(things) * 2 <= litres
`;

/** Python's discovery with a pattern of its own. */
export const discovered: Project = {
  name: "discovered",
  files: {
    "README.md": "# Drawer\n",
    ".gitignore": "__pycache__/\n",
    "drawer.py": DRAWER,
    "checks/__init__.py": "",
    "checks/check_drawer.py": `import unittest

import drawer


class DrawerCheck(unittest.TestCase):
    def test_few_things_fit(self):
        self.assertTrue(drawer.fits([1, 2], 4))

    def test_many_do_not(self):
        self.assertFalse(drawer.fits([1, 2, 3], 4))
`,
  },
  test: ["python3", "-B", "-m", "unittest", "discover", "-s", "checks", "-t", ".", "-p", "check_*.py"],
  tests: ["checks/check_drawer.py"],
};
