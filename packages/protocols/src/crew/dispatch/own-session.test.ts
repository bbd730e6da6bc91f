import { expect, test } from "vitest";
import { withRealNames } from "./own-session.ts";
import { splitDiff } from "./session-diff.ts";

const FOLDER = "2026-11-18_three-specs/2026-11-18_date-format";
const OWN = `.slipway/runs/${FOLDER}/`;
const ALIAS = ".slipway/runs/own-session/";

const added = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
const changesOf = (files: Readonly<Record<string, string>>) => ({
  changed: Object.keys(files),
  dropped: [],
  diff: Object.entries(files)
    .map(([path, line]) => added(path, line))
    .join(""),
});

test("files of the own session are written under its real name, those of the repository as they are", () => {
  const { changed, diff } = withRealNames(changesOf({ [`${ALIAS}spec.md`]: `See ${ALIAS}report.md`, "src/a.js": ALIAS }), FOLDER);
  expect(changed).toEqual([`${OWN}spec.md`, "src/a.js"]);
  expect(splitDiff(diff, OWN)).toEqual({ repository: added("src/a.js", ALIAS), session: { "spec.md": `See ${ALIAS}report.md\n` } });
});

test("status.json names the real session, and no other file's words change", () => {
  const line = '{"session": "own-session", "known_issues": ["own-session"]}';
  const { diff } = withRealNames(changesOf({ [`${ALIAS}status.json`]: line, [`${ALIAS}report.md`]: line }), FOLDER);
  const { session } = splitDiff(diff, OWN);
  expect(session["status.json"]).toBe('{"session": "2026-11-18_date-format", "known_issues": ["own-session"]}\n');
  expect(session["report.md"]).toBe(`${line}\n`);
});

test("a file under both names stays under the one that no role may write", () => {
  const both = changesOf({ [`${ALIAS}spec.md`]: "one", [`${OWN}spec.md`]: "two" });
  expect(withRealNames(both, FOLDER)).toEqual(both);
});
