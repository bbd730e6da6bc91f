import { expect, test } from "vitest";
import { judgeReadiness } from "./readiness.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

function judge(...files: readonly { path?: string; base?: string | null; text: string | null }[]) {
  const all = files.map(({ path = "src/a.ts", base = null, text }) => ({ path, base, text }));
  return Object.fromEntries(judgeReadiness(all).map(({ check_name, passed }) => [check_name.replace("readiness-", ""), passed]));
}
const outputs = (text: string, base: string | null = null) =>
  judgeReadiness([{ path: "src/a.ts", text, base }]).map(({ output }) => output);

test("[FOR-067] a Large task is judged on secrets, observability and degradation, each under its readiness name", () => {
  expect(judgeReadiness([]).map(({ check_name }) => check_name)).toEqual([
    "readiness-secrets",
    "readiness-observability",
    "readiness-degradation",
  ]);
});

test("[FOR-067] a new token or private key fails, is named by its line and is not repeated; one of the base does not fail", () => {
  const text = `const a = 1;\nconst key = "${TOKEN}";\n`;
  expect(judge({ text })).toMatchObject({ secrets: false });
  expect(outputs(text)[0]).toBe("These lines look like secrets: src/a.ts:2");
  expect(judge({ text, base: text })).toMatchObject({ secrets: true });
  expect(judge({ text: "-----BEGIN RSA PRIVATE KEY-----\nabc\n", path: "key.pem" })).toMatchObject({ secrets: false });
  expect(judge({ text: 'const key = process.env["KEY"];\n' })).toMatchObject({ secrets: true });
});

test("[FOR-067] fewer logs in the changed sources fail; moving them, new code without any, tests and deleted files do not", () => {
  const logs = 'logger.info("a");\nmetrics.count("b");\n';
  expect(judge({ base: logs, text: "" })).toMatchObject({ observability: false });
  expect(judge({ base: logs, text: 'logger.info("a");' })).toMatchObject({ observability: false });
  expect(judge({ base: logs, text: "" }, { path: "src/b.ts", text: logs })).toMatchObject({ observability: true });
  expect(judge({ text: "export const a = 1;" })).toMatchObject({ observability: true });
  expect(judge({ path: "src/a.test.ts", base: logs, text: "" })).toMatchObject({ observability: true });
  expect(judge({ base: logs, text: null })).toMatchObject({ observability: true });
});

test.each([
  ["src/a.ts", "try { a(); } catch (error) { report(error); }", "a();", "try { a(); } catch {}"],
  ["src/a.py", "try:\n    a()\nexcept ValueError as error:\n    report(error)\n", "a()\n", "try:\n    a()\nexcept ValueError:\n    pass\n"],
  ["src/a.go", "if err != nil {\n\treturn err\n}\n", "\n", null],
])("[FOR-067] fewer handled errors in %s fail, and so does a new empty handler", (path, handled, unhandled, swallowed) => {
  expect(judge({ path, base: handled, text: handled })).toMatchObject({ degradation: true });
  expect(judge({ path, base: handled, text: unhandled })).toMatchObject({ degradation: false });
  expect(judge({ path, base: unhandled, text: handled })).toMatchObject({ degradation: true });
  if (swallowed === null) return;
  expect(judge({ path, base: handled, text: swallowed })).toMatchObject({ degradation: false });
  expect(judge({ path, base: swallowed, text: swallowed })).toMatchObject({ degradation: true });
});
