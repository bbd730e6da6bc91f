import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SlipwayError } from "@slipway/durable/errors";
import { layoutAt } from "@slipway/kernel/host/layout";
import { ungatedPlaces } from "@slipway/kernel/host/ungated-folder";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { plainWorkplace } from "../acp/testing/workplace.ts";
import { invoke } from "../invoke.ts";
import { openProvider } from "../open.ts";
import { createPack } from "../pack.ts";
import type { ProviderRequest, Workplace } from "../provider.ts";
import { NEVER, PLANNER, refusalOf, REQUEST, scratch, tickingClock } from "../testing/samples.ts";
import type { HandAnswer } from "./contract.ts";
import { folderName } from "./folder.ts";
import { manualProvider } from "./provider.ts";

const KEY = "2026-01-01_letters/feature:letters/planner:1";
const NAME = "2026-01-01_letters-feature-letters-planner-1";
const DONE: HandAnswer = { decision: "done" };

let root: string;
let folder: string;
beforeEach(() => {
  root = scratch("manual");
  folder = join(root, "asked", NAME);
});
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
function request(said: HandAnswer | null, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return { ...REQUEST, hand: { key: KEY, said }, ...changes };
}
const ask = (said: HandAnswer | null, changes: Partial<ProviderRequest> = {}) =>
  manualProvider({ root, folder: () => join(root, "asked") }).invoke(request(said, changes), NEVER);
const pending = async (said: HandAnswer | null, changes: Partial<ProviderRequest> = {}): Promise<SlipwayError> => {
  const error = await refusalOf(() => ask(said, changes));
  expect(error).toMatchObject({
    code: "answer_pending",
    details: { folder, retryable: true, requires_human: true },
  });
  return error;
};

test("a request is written with everything needed to answer it, and waited for", async () => {
  const error = await pending(null, { workplace: plainWorkplace({ "src/a.txt": "one\n" }) });
  expect(error.details).toMatchObject({ role: "planner", subject: "greeting", schema: { type: "object" }, may_edit: false, errors: [] });
  expect(readdirSync(folder).toSorted()).toEqual(["REQUEST.md", "pack", "request.json", "schema.json"]);
  expect(read("REQUEST.md")).toMatch(
    /^# planner for greeting, attempt 1\n[^]*pack\/[^]*answer\.json[^]*slipway answer Q… done[^]*You plan\.\n\nPlan the greeting\.\n/,
  );
  expect(read("REQUEST.md")).not.toContain("The last answer was refused");
  expect(JSON.parse(read("schema.json"))).toEqual({ type: "object" });
  expect(read("pack/src/a.txt")).toBe("one\n");
});

test("a started answer survives a repeated request", async () => {
  const workplace = plainWorkplace({ "a.txt": "one\n" });
  await pending(null, { workplace });
  write("answer.json", "{}");
  write("pack/a.txt", "two\n");
  await pending(null, { workplace });
  expect([read("answer.json"), read("pack/a.txt")]).toEqual(["{}", "two\n"]);
});

test("read-only files of the pack can be edited in the copy, and links are not followed", async () => {
  const workplace = plainWorkplace({ "deep/run.sh": "#!/bin/sh\n" });
  chmodSync(join(workplace.folder, "deep/run.sh"), 0o555);
  symlinkSync("/etc/hostname", join(workplace.folder, "link"));
  await pending(null, { workplace });
  expect(statSync(join(folder, "pack/deep/run.sh")).mode & 0o777).toBe(0o755);
  write("pack/deep/run.sh", "#!/bin/bash\n");
  write("answer.json", "{}");
  await ask(DONE, { workplace });
  expect(readFileSync(join(workplace.folder, "deep/run.sh"), "utf8")).toBe("#!/bin/bash\n");
});

describe("an answer", () => {
  test("is read from answer.json when the person says done, and not before", async () => {
    await pending(null);
    expect(read("REQUEST.md")).not.toContain("pack/");
    write("answer.json", '{"answer": 42}');
    await pending(null);
    expect(await ask(DONE)).toEqual({ text: '{"answer": 42}', usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 }, model: null });
  });

  test("may be given in the command", async () => {
    await pending(null);
    write("answer.json", "no");
    expect((await ask({ decision: "done", answer: { answer: 42 } })).text).toBe('{"answer":42}');
  });

  test("that is missing is waited for again", async () => {
    await pending(null);
    expect((await pending(DONE)).details["errors"]).toEqual(["There is no answer.json, and nothing in pack/ was edited."]);
    expect(read("REQUEST.md")).toMatch(/## The last answer was refused\n\n- There is no answer\.json/);
  });

  test("may be a refusal", async () => {
    await pending(null);
    expect(await refusalOf(() => ask({ decision: "reject", comment: "not clear" }))).toMatchObject({
      code: "agent_refused",
      message: "The person playing planner for greeting declined: not clear.",
    });
    expect((await refusalOf(() => ask({ decision: "reject" }))).message).toMatch(/ declined\.$/);
  });

  test("to a changed task is not used; it stays beside the new request", async () => {
    await pending(null);
    write("answer.json", "{}");
    for (const [digest, aside] of [
      ["b", ".old-1"],
      ["c", ".old-2"],
    ] as const) {
      const error = await pending(DONE, { promptDigest: digest.repeat(64) });
      expect(error.details["errors"]).toEqual([expect.stringMatching(/^The task has changed/)]);
      expect(existsSync(folder + aside)).toBe(true);
    }
    expect(readFileSync(join(`${folder}.old-1`, "answer.json"), "utf8")).toBe("{}");
    expect(existsSync(join(folder, "answer.json"))).toBe(false);
  });
});

describe("edits of the pack", () => {
  const PATCH = {
    anyOf: [{ properties: { type: { const: "NOTE" } } }, { properties: { type: { const: "PATCH" } }, required: ["type", "summary"] }],
  };
  let workplace: Workplace;
  beforeEach(async () => {
    workplace = plainWorkplace({ "a.txt": "a\n", "b.txt": "b\n", "sealed/c.txt": "c\n" });
    await pending(null, { workplace });
  });

  test("are requested if they can be the whole answer", async () => {
    const error = await pending(null, { workplace, schema: PATCH });
    expect(error.details["may_edit"]).toBe(true);
    expect(read("REQUEST.md")).toContain("the differences there are the patch");
  });

  test("are applied to the workplace: changed, new and removed files", async () => {
    write("pack/a.txt", "changed\n");
    mkdirSync(join(folder, "pack/new"));
    write("pack/new/d.txt", "new\n");
    rmSync(join(folder, "pack/b.txt"));
    const { text } = await ask(DONE, { workplace, schema: PATCH });
    expect(JSON.parse(text)).toEqual({ type: "PATCH", summary: "Edited by hand: a.txt, b.txt, new/d.txt" });
    expect(readFileSync(join(workplace.folder, "a.txt"), "utf8")).toBe("changed\n");
    expect(readFileSync(join(workplace.folder, "new/d.txt"), "utf8")).toBe("new\n");
    expect(existsSync(join(workplace.folder, "b.txt"))).toBe(false);
  });

  test("have the person's comment as summary", async () => {
    write("pack/a.txt", "changed\n");
    const { text } = await ask({ decision: "done", comment: "a is better now" }, { workplace, schema: PATCH });
    expect(JSON.parse(text)).toEqual({ type: "PATCH", summary: "a is better now" });
  });

  test("that are not allowed are refused, by name", async () => {
    write("pack/sealed/c.txt", "x");
    write("answer.json", "{}");
    expect((await pending(DONE, { workplace })).details["errors"]).toEqual(["pack/sealed/c.txt: sealed/c.txt is sealed."]);
    rmSync(join(folder, "pack/sealed/c.txt"));
    expect((await pending(DONE, { workplace })).details["errors"]).toEqual(["pack/sealed/c.txt is gone: sealed/c.txt is sealed."]);
  });

  test("are no answer if the schema requires more", async () => {
    write("pack/a.txt", "changed\n");
    const errors = ["There is no answer.json, and the edits alone do not answer this task."];
    expect((await pending(DONE, { workplace })).details["errors"]).toEqual(errors);
    const plain = { oneOf: [{ properties: { type: { const: "PATCH" } }, required: ["type", "summary", "unified_diff"] }] };
    expect((await pending(DONE, { workplace, schema: plain })).details["errors"]).toEqual(errors);
  });

  test("a deleted copy changes nothing", async () => {
    rmSync(join(folder, "pack"), { recursive: true });
    write("answer.json", "{}");
    expect((await ask(DONE, { workplace })).text).toBe("{}");
    expect(readFileSync(join(workplace.folder, "a.txt"), "utf8")).toBe("a\n");
  });
});

test("an answer that violates its schema is asked again with the exact errors, and the repaired one counts", async () => {
  const schema = z.strictObject({ answer: z.number() });
  const pack = createPack([{ title: "specification", kind: "spec", text: "Greet." }]);
  const provider = manualProvider({ root, folder: () => join(root, "asked") });
  const invocation = {
    role: PLANNER,
    subject: "greeting",
    attempt: "1",
    pack,
    instructions: "Answer.",
    schema,
    provider,
    clock: tickingClock(),
  };
  const round = (said: HandAnswer | null) => invoke({ ...invocation, hand: { key: KEY, said } });
  expect(await round(null)).toMatchObject({ ok: false, failure: { code: "answer_pending" } });
  write("answer.json", '{"answer":"many"}');
  const refused = await round(DONE);
  expect(refused).toMatchObject({
    ok: false,
    failure: { code: "answer_pending", details: { errors: ['/answer: expected a number, found "many"'] } },
  });
  expect(read("REQUEST.md")).toContain('- /answer: expected a number, found "many"');
  write("answer.json", '{"answer":42}');
  expect(await round(DONE)).toMatchObject({ ok: true, output: { answer: 42 } });
});

test("a request that Slipway 0.1 wrote to the checkout is answered there", async () => {
  folder = join(root, ".slipway", "manual", NAME);
  mkdirSync(folder, { recursive: true });
  const { details } = await refusalOf(() => ask(null));
  expect(details["folder"]).toBe(`.slipway/manual/${NAME}`);
  write("answer.json", '{"answer":42}');
  expect(await ask(DONE)).toMatchObject({ text: '{"answer":42}' });
});

test("B9: it opens without configuration, and writes requests outside the repository, for this user only", async () => {
  const home = scratch("home");
  const provider = await openProvider(
    { agents: null, env: { HOME: home }, root, cwd: root },
    { provider: "manual", model: null, configEnv: null },
  );
  expect(provider).toMatchObject({ name: "manual", works: "folder" });
  await refusalOf(() => provider.invoke(REQUEST, NEVER));
  const { manual } = ungatedPlaces(layoutAt(root), join(home, ".local/state/slipway"));
  expect(readdirSync(manual)).toEqual(["greeting-planner-1"]);
  expect([manual, dirname(manual)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(readdirSync(root)).toEqual([]);
  await expect(provider.invoke(REQUEST, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
});

test.each([
  [KEY, NAME],
  ["../../x", "x"],
  ["a b/ü", "a-b-"],
])("the folder of %j is %j", (key, name) => expect(folderName(key)).toBe(name));
