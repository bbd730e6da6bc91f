import { describe, expect, test } from "vitest";
import { MAX_SPEC_BYTES, readSpec } from "./read-spec.ts";
import { systemSpecSchema } from "./schema.ts";
import { printSpec } from "./print-spec.ts";
import { sampleSpec, WRITTEN } from "./testing/specs.ts";

function refusal(text: string | Uint8Array): { readonly message: string; readonly details: Readonly<Record<string, unknown>> } {
  try {
    readSpec("spec.toml", text);
  } catch (error) {
    return error as { message: string; details: Record<string, unknown> };
  }
  throw new Error("the text was accepted");
}

const without = (line: string | RegExp) => WRITTEN.replace(line, "");
const lineOf = (text: string, part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1;

describe("a specification written by a person", () => {
  test("is read with its defaults; an unquoted time becomes text", () => {
    const spec = readSpec("spec.toml", WRITTEN);
    expect(spec.meta).toEqual({ version: "1.0.0", created: "2025-01-23T10:00:00.000Z", domain: "fintech" });
    expect(spec.features).toEqual({});
    expect(spec.data_models["Account"]?.fields[1]).toEqual({ name: "balance", type: "Decimal", constraints: ["non_negative", "positive"] });
    expect(spec.interfaces["PaymentService"]?.methods[0]?.params).toEqual(["from: AccountId", "amount: Decimal"]);
  });

  test("may begin with a byte order mark and have Windows line ends", () => {
    expect(readSpec("spec.toml", `\ufeff${WRITTEN.replaceAll("\n", "\r\n")}`)).toEqual(readSpec("spec.toml", WRITTEN));
  });

  test.each(["2025-01-23", "2025-01-23T10:00:00Z", "2025-01-23T10:00:00.123+02:00"])("may be created at %s", (created) => {
    expect(systemSpecSchema.parse({ ...sampleSpec(), meta: { ...sampleSpec().meta, created } }).meta.created).toBe(created);
  });
});

describe("[CRI-033] required tables and fields", () => {
  test.each([
    ["meta.version", 'version = "1.0.0"'],
    ["meta.created", "created = 2025-01-23T10:00:00Z"],
    ["meta.domain", 'domain = "fintech"'],
    ["system.name", 'name = "payment-processor"'],
    ["system.description", 'description = "Moves money"'],
    ["boundaries.external_systems", 'external_systems = ["bank-api"]'],
    ["boundaries.trust_boundaries", "trust_boundaries = []"],
    ["constraints.functional", 'functional = ["Balance never goes negative"]'],
    ["constraints.non_functional", "non_functional = []"],
    ["constraints.security", "security = []"],
  ])("without %s it is refused", (name, line) => {
    expect(refusal(without(line)).message).toMatch(new RegExp(`^spec\\.toml:\\d+, ${name.replace(".", "\\.")}: missing`));
  });

  test.each(["meta", "system", "boundaries", "constraints"] as const)("without [%s] it is refused", (name) => {
    const { [name]: _removed, ...rest } = sampleSpec();
    expect(systemSpecSchema.safeParse(rest).success).toBe(false);
  });

  test.each([
    ["boundaries.external_systems.0", 'external_systems = ["bank-api"]', "external_systems = [3]"],
    ["constraints.functional", 'functional = ["Balance never goes negative"]', 'functional = "Balance"'],
    ["meta.created", "created = 2025-01-23T10:00:00Z", 'created = "yesterday"'],
    ["meta.version", 'version = "1.0.0"', 'version = "1"'],
    ["system.name", 'name = "payment-processor"', 'name = "  "'],
  ])("%s of a wrong type is named with its line", (name, line, replaced) => {
    const text = WRITTEN.replace(line, replaced);
    expect(refusal(text).message).toContain(`spec.toml:${lineOf(text, replaced)}, ${name}: `);
  });
});

describe("[CRI-034] data models and interfaces", () => {
  const field = '{ name = "id", type = "UUID", constraints = ["unique", "immutable"] }';
  const method = '{ name = "transfer", params = ["from: AccountId", "amount: Decimal"], returns = "Result<TransactionId, PaymentError>" }';
  test.each([
    ["data_models.Account.fields.0.type", field, '{ name = "id", constraints = [] }'],
    ["data_models.Account.fields.0.constraints", field, '{ name = "id", type = "UUID", constraints = "unique" }'],
    ["data_models.Account.fields.0.name", field, '{ name = "the id", type = "UUID", constraints = [] }'],
    ["data_models.Account.fields.1.name", field, '{ name = "balance", type = "UUID", constraints = [] }'],
    ["interfaces.PaymentService.methods.0.params.1", '"amount: Decimal"', '"Decimal"'],
    ["interfaces.PaymentService.methods.0.returns", method, '{ name = "transfer", params = [] }'],
  ])("a wrong %s is refused", (name, line, replaced) => {
    const text = WRITTEN.replace(line, replaced);
    const { message } = refusal(text);
    expect(message).toContain(`, ${name}: `);
  });

  test("the line of a field in a list is the line of its entry, comments aside", () => {
    const text = WRITTEN.replace('"non_negative", "positive"', "7");
    expect(refusal(text).message).toContain(`spec.toml:${lineOf(text, "constraints = [7]")}, data_models.Account.fields.1.constraints.0`);
  });
});

describe("[CRI-035] claims", () => {
  test.each([
    ["an unknown type", 'type = "invariant"', 'type = "vague"', "claims.balance_001.type"],
    ["a testable that is not boolean", "testable = true", 'testable = "yes"', "claims.balance_001.testable"],
    ["no text", 'text = "Balance never goes negative"\n', "", "claims.balance_001.text"],
  ])("with %s are refused", (_, line, replaced, name) => {
    expect(refusal(WRITTEN.replace(line, replaced)).message).toContain(`, ${name}: `);
  });

  test.each(["Balance_001", "balance", "balance_", "balance-1", "1_balance", "_", "balance_1x"])("the id %s is refused", (id) => {
    expect(refusal(WRITTEN.replace("claims.balance_001", `claims."${id}"`)).message).toContain("[a-z_]+_[0-9]+");
  });

  test.each(["balance_1", "a_b_002", "__1"])("the id %s is taken", (id) => {
    expect(Object.keys(readSpec("s", WRITTEN.replace("claims.balance_001", `claims.${id}`)).claims)).toEqual([id]);
  });

  test.each(["invariant", "behavioral", "negative", "temporal", "concurrent", "performance"])("have the type %s", (type) => {
    expect(readSpec("s", WRITTEN.replace('type = "invariant"', `type = "${type}"`)).claims["balance_001"]?.type).toBe(type);
  });
});

describe("[CRI-021] features", () => {
  const feature = (classification: string) =>
    `${WRITTEN}\n[features.dark-mode]\nclassification = "${classification}"\ndescription = "Dark"\n`;

  test.each(["core", "foundational", "bolt-on"])("have the classification %s", (classification) => {
    expect(readSpec("s", feature(classification)).features).toEqual({ "dark-mode": { classification, description: "Dark", affects: [] } });
  });

  test("have no other classification", () => {
    expect(refusal(feature("optional")).message).toContain('features.dark-mode.classification: expected one of "core"');
  });
});

describe("a file that is no specification", () => {
  test("a syntax error names line and column", () => {
    const { message, details } = refusal('[meta]\nversion = "1.0.0\n');
    expect(message).toMatch(/^spec\.toml:2:\d+: not valid TOML: /);
    expect(details).toMatchObject({ line: 2, suggested_next_actions: ["Correct line 2 of spec.toml."] });
  });

  test("every violation is listed, each with its line", () => {
    const { message } = refusal(without('domain = "fintech"').replace("testable = true", "testable = 1"));
    expect(message.split("\n")).toHaveLength(2);
    expect(message.split("\n").every((line) => /^spec\.toml:\d+, /.test(line))).toBe(true);
  });

  test("an unknown field is refused with a hint", () => {
    expect(refusal(WRITTEN.replace("testable = true", "testable = true\ntesteable = 1")).message).toContain('did you mean "testable"?');
  });

  test("more than 1 MB is refused before it is parsed", () => {
    expect(refusal(`[[`.padEnd(MAX_SPEC_BYTES + 1, " ")).message).toContain(`at most ${MAX_SPEC_BYTES} are read`);
  });

  test("bytes that are not UTF-8 are refused", () => {
    expect(refusal(new Uint8Array([0x61, 0xff])).message).toContain("not UTF-8");
  });

  test.each(["\0", "", "[meta]\n[meta]\n", "a = 1\na = 2", "= 1"])("%j is refused", (text) => {
    expect(refusal(text)).toMatchObject({ code: "config_invalid" });
  });

  test.each(["__proto__", "constructor", "prototype"])("the name %s is refused", (name) => {
    const text = `${WRITTEN}\n[data_models.${name}]\nfields = []\n`;
    expect(refusal(text)).toMatchObject({ code: "config_invalid" });
    expect(({} as Record<string, unknown>)["fields"]).toBeUndefined();
  });

  test("lists nested thousands deep do not crash the reader", () => {
    expect(refusal(`a = ${"[".repeat(5_000)}${"]".repeat(5_000)}`)).toMatchObject({ code: "config_invalid" });
  });
});

test("the printed sample is read back", () => {
  expect(readSpec("s", printSpec(sampleSpec()))).toEqual(sampleSpec());
});
