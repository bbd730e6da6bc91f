import { describe, expect, test } from "vitest";
import { z } from "zod";
import { invoke } from "./invoke.ts";
import { parseOutput, type AnswerForm } from "./output.ts";
import { createPack } from "./pack.ts";
import { buildPrompt } from "./prompt.ts";
import { PLANNER, scripted, tickingClock } from "./testing/samples.ts";

const schema = z.strictObject({ status: z.enum(["DONE", "ERROR"]), count: z.int().optional(), notes: z.array(z.string()).optional() });
const JSON_TEXT = '{"status":"DONE"}';

function read(form: AnswerForm, text: string) {
  const result = parseOutput(text, schema, form);
  return result.ok ? result.output : result.errors;
}

describe("only JSON", () => {
  test.each([
    ["alone", JSON_TEXT],
    ["with white space around it", `\r\n\t ${JSON_TEXT} \n`],
  ])("%s is read", (_, text) => expect(read("only_json", text)).toEqual({ status: "DONE" }));

  test.each([
    ["in a code fence", `\`\`\`json\n${JSON_TEXT}\n\`\`\``, /^The answer has a code fence; reply with exactly one JSON value/],
    ["after prose", `Here it is: ${JSON_TEXT}`, /text before its JSON value \("Here it is:"\)/],
    ["before prose", `${JSON_TEXT}\nDone.`, /text after its JSON value \("Done\."\)/],
    ["before a second value", `${JSON_TEXT}${JSON_TEXT}`, /text after its JSON value/],
    ["before a comment", `${JSON_TEXT} // done`, /a comment after its JSON value/],
    ["after a comment", `/* the answer */ ${JSON_TEXT}`, /a comment before its JSON value/],
    ["that is missing", "I cannot do that", /no JSON value/],
    ["with a comment inside", '{"status": /* x */ "DONE"}', /refused: not valid JSON/],
    ["that breaks off", '{"status": "DO', /refused: not valid JSON/],
  ])("[CRW-001] %s is refused with the reason", (_, text, reason) => {
    expect(read("only_json", text)).toEqual([expect.stringMatching(reason)]);
  });

  test("brackets in its texts do not end it", () => {
    expect(read("only_json", '{"status":"DONE","notes":["}] \\" ```"]}')).toEqual({ status: "DONE", notes: ['}] " ```'] });
  });
});

describe("YAML", () => {
  test.each([
    ["alone", "status: DONE\ncount: 2\n"],
    ["in the only code block", "Here it is:\n```yaml\nstatus: DONE\ncount: 2\n```\nDone."],
    ["as JSON", '{"status":"DONE","count":2}'],
    ["as JSON in a block", '```json\n{"status":"DONE","count":2}\n```'],
    ["with a comment and a document start", "---\n# result\nstatus: DONE\ncount: 2 # two\n"],
  ])("%s is read", (_, text) => expect(read("yaml", text)).toEqual({ status: "DONE", count: 2 }));

  test("means what the core schema says", () => {
    const any = z.looseObject({});
    const parsed = parseOutput("a: yes\nb: 012\nc: 2026-11-18\nd: 1_000\n<<: merged\n", any, "yaml");
    expect(parsed).toEqual({ ok: true, output: { a: "yes", b: 12, c: "2026-11-18", d: "1_000", "<<": "merged" } });
  });

  test.each([
    ["a violation of the schema", "status: DONE\ncount: many\n", /^line 2, column 1: \/count: expected/],
    ["a key twice", "status: DONE\nstatus: ERROR\n", /^line 2, column 1: the key "status" is given twice/],
    ["broken syntax", "status: [DONE\n", /^line \d+, column \d+: /],
    ["a tag", "count: 1\nstatus: !!str DONE\n", /^line 2, column 9: the tag !!str is not allowed/],
    ["a tag of a program", "status: !!js/function 'x'\n", /^line 1, column 9: the tag !!js\/function is not allowed/],
    ["a directive", "%YAML 1.1\n---\nstatus: DONE\n", /^line 1, column 1: the directive %YAML 1\.1 is not allowed/],
    ["two documents", "status: DONE\n---\nstatus: DONE\n", /document/],
    ["two blocks", "```yaml\nstatus: DONE\n```\n```yaml\nstatus: DONE\n```", /2 code blocks/],
    ["nothing", " \n", /^The answer is empty/],
    ["words", "I cannot do that.", /^line 1, column 1: expected an object/],
    ["__proto__", "status: DONE\n__proto__: {a: 1}\n", /"__proto__" is not allowed/],
    [
      "aliases that grow",
      `a: &a [1,1]\n${[..."bcdefghijklmnopqrstuv"].map((name, index) => `${name}: &${name} [${`*${"abcdefghijklmnopqrstuv"[index]},`.repeat(9)}]`).join("\n")}\n`,
      /alias/,
    ],
    ["bottomless brackets", "[".repeat(100_000), /nested deeper than 200/],
    ["bottomless lists", `${"- ".repeat(50_000)}x`, /nested too deeply|column/],
  ])("with %s is refused with its place", (_, text, reason) => {
    expect(read("yaml", text)).toEqual(expect.arrayContaining([expect.stringMatching(reason)]));
  });

  test("an exclamation mark or per cent sign in a text is no tag or directive", () => {
    const text = "status: DONE\nnotes:\n  - 'no!'\n  - well !done\n  - |\n    !important\n    %\n";
    expect(read("yaml", text)).toEqual({ status: "DONE", notes: ["no!", "well !done", "!important\n%\n"] });
  });
});

const parts = { role: PLANNER, subject: "s", pack: createPack([]), instructions: "Do it.", schema };

test("the prompt says how the answer is written, and the default is the one without a form", () => {
  const answers = (["json", "only_json", "yaml"] as const).map((answer) => buildPrompt({ ...parts, answer }));
  expect(answers[0]).toEqual(buildPrompt(parts));
  expect(answers.map(({ text }) => /# Answer\n(.*)/.exec(text)?.[1])).toEqual([
    "Reply with one JSON value and nothing else. It must satisfy this JSON Schema:",
    "Reply with exactly one JSON value: no code fence, no comment, no text before or after it. It must satisfy this JSON Schema:",
    "Reply with one YAML document or one JSON value, and nothing else. Its value must satisfy this JSON Schema:",
  ]);
});

test("an invocation reads answers in its form, and asks for a repair in it", async () => {
  const provider = scripted("status: WRONG", "status: DONE");
  const asked = { ...parts, attempt: "1", provider, clock: tickingClock() };
  expect(await invoke({ ...asked, answer: "yaml" })).toMatchObject({ ok: true, output: { status: "DONE" } });
  expect(provider.asked[1]?.prompt).toMatch(/Reply with the whole corrected document and nothing else\.$/);
  const fenced = scripted(`\`\`\`\n${JSON_TEXT}\n\`\`\``);
  const refused = await invoke({ ...asked, provider: fenced, answer: "only_json", maxRepairs: 0 });
  expect(refused).toMatchObject({ ok: false, failure: { code: "agent_output_invalid", message: expect.stringContaining("a code fence") } });
});
