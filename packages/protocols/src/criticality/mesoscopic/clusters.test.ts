import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleSpec } from "../spec/testing/specs.ts";
import { deriveClusters, type LinkedFunction } from "./clusters.ts";
import { publicInterface } from "./public-interface.ts";
import { functionsToReinject } from "./reinject.ts";
import { clusterVerdict } from "./verdict.ts";
import { typescript } from "../mass-defect/testing/adapters.ts";

const fn = (path: string, name: string, claims: readonly string[] = [], signature = `function ${name}()`): LinkedFunction => ({
  id: `${path}#${name}`,
  name,
  signature,
  contract: { clauses: claims.map((claim, index) => ({ kind: "CLAIM_REF", claim, line: index + 1 })) },
});
const claim = { text: "t", type: "invariant", testable: true } as const;
const method = (name: string) => ({ name, params: [], returns: "void" });

describe("clusters", () => {
  const spec = sampleSpec({
    interfaces: {
      Authentication: { methods: [method("log_in"), method("verify_token")] },
      Accounting: { methods: [method("deposit"), method("start_transaction")] },
    },
    data_models: { Ledger: { fields: [] } },
    claims: { auth_001: claim, auth_002: claim, balance_001: claim, ledger_001: claim, cross_001: claim, loose_001: claim },
  });
  const functions = [
    fn("src/auth.ts", "logIn", ["auth_001", "cross_001"]),
    fn("src/jwt.ts", "verifyToken", ["auth_002"]),
    fn("src/account.ts", "Account.deposit", ["balance_001", "cross_001"]),
    fn("src/transaction.ts", "startTransaction"),
    fn("src/books.ts", "post", ["ledger_001"], "function post(ledger: Ledger): void"),
  ];

  test("[CRI-070] modules of one interface are a cluster; a claim across modules has an integration cluster of its own", () => {
    expect(deriveClusters(spec, functions)).toEqual({
      clusters: [
        { name: "authentication", modules: ["src/auth", "src/jwt"], claims: ["auth_001", "auth_002"] },
        { name: "accounting", modules: ["src/account", "src/transaction"], claims: ["balance_001"] },
        { name: "ledger", modules: ["src/books"], claims: ["ledger_001"] },
        { name: "accounting_authentication_integration", modules: ["src/account", "src/auth"], claims: ["cross_001"] },
      ],
      unlinked: ["loose_001"],
    });
  });

  test("[CRI-070] a module without interface and data model is a cluster of its own", () => {
    const { clusters } = deriveClusters(sampleSpec({ interfaces: {}, data_models: {}, claims: { a_1: claim } }), [
      fn("src/deep/clock.ts", "tick", ["a_1"]),
    ]);
    expect(clusters).toEqual([{ name: "clock", modules: ["src/deep/clock"], claims: ["a_1"] }]);
  });

  test("[CRI-070] every linked claim is in exactly one cluster that holds all its modules, whatever the order of the functions", () => {
    const links = fc.array(fc.record({ module: fc.nat(4), claims: fc.uniqueArray(fc.nat(5)), name: fc.nat(6) }), { maxLength: 10 });
    fc.assert(
      fc.property(links, (rows) => {
        const random = sampleSpec({
          interfaces: { One: { methods: [method("m0"), method("m1")] }, Two: { methods: [method("m2")] } },
          claims: Object.fromEntries([0, 1, 2, 3, 4, 5].map((number) => [`c_${number}`, claim])),
        });
        const all = rows.map(({ module, claims, name }, index) =>
          fn(
            `src/m${module}.ts`,
            `x${index}.m${name}`,
            claims.map((number) => `c_${number}`),
          ),
        );
        const derived = deriveClusters(random, all);
        expect(deriveClusters(random, all.toReversed())).toEqual(derived);
        const listed = [...derived.clusters.flatMap(({ claims }) => claims), ...derived.unlinked];
        expect(listed.toSorted()).toEqual(Object.keys(random.claims));
        for (const { claims, modules, name } of derived.clusters)
          for (const id of claims) {
            const own = new Set(
              all
                .filter(({ contract }) => contract.clauses.some((clause) => "claim" in clause && clause.claim === id))
                .map((one) => one.id.split(".ts#")[0]),
            );
            for (const module of own) expect(modules).toContain(module);
            expect(name.endsWith("_integration")).toBe(own.size > 1);
          }
        expect(new Set(derived.clusters.map(({ name }) => name)).size).toBe(derived.clusters.length);
      }),
    );
  });
});

test("[CRI-069] a verifier sees signatures and contracts of the modules' exported functions, and nothing else of the code", () => {
  const tree = {
    "src/a.ts": "export function f(x: number): number {\n  return SECRET;\n}\nfunction hidden(): void {}\n",
    "src/b.ts": "export function g(): void {}\n",
  };
  const functions = [
    { ...fn("src/a.ts", "f", ["c_1"], "export function f(x: number): number"), path: "src/a.ts", calls: [] },
    { ...fn("src/a.ts", "hidden"), path: "src/a.ts", calls: [] },
    { ...fn("src/b.ts", "g"), path: "src/b.ts", calls: [] },
  ];
  expect(publicInterface(typescript, { tree, functions }, ["src/a"])).toBe(
    "src/a.ts#f\n  export function f(x: number): number\n  CLAIM_REF: c_1",
  );
});

describe("what is written again", () => {
  const functions = [fn("src/a.ts", "f", ["c_1"]), fn("src/a.ts", "g", ["c_2"]), fn("src/b.ts", "h", ["c_1"]), fn("src/c.ts", "i")];

  test("[CRI-013] only functions that refer to a violated claim, wherever they are", () => {
    expect(functionsToReinject(["c_1"], { modules: ["src/a"] }, functions)).toEqual(["src/a.ts#f", "src/b.ts#h"]);
  });

  test("[CRI-013] all functions of the cluster's modules if none refers to a violated claim", () => {
    expect(functionsToReinject(["c_9"], { modules: ["src/a", "src/c"] }, functions)).toEqual(["src/a.ts#f", "src/a.ts#g", "src/c.ts#i"]);
  });
});

describe("the verdict", () => {
  const tested = (id: string) => ({ claim: id, test: { path: `tests/${id}.test.ts`, text: "", tests: [`${id} holds`], untested: [] } });
  const ran = (name: string, result: "PASS" | "FAIL") => ({ name, result, duration_ms: 1, error: null });
  const whole = { skipped: [], broken: null };

  test("[CRI-071] is pass if all tests of all claims ran and passed", () => {
    expect(clusterVerdict([{ tested: tested("a_1"), run: { tests: [ran("suite > a_1 holds", "PASS")], ...whole } }])).toEqual({
      type: "pass",
    });
    expect(clusterVerdict([])).toEqual({ type: "pass" });
  });

  test("[CRI-071] otherwise names the violated claims, with no cause and no fix", () => {
    const error = { name: "AssertionError", message: "the root cause", by: "check" as const };
    const verdict = clusterVerdict([
      { tested: tested("a_1"), run: { tests: [{ ...ran("a_1 holds", "FAIL"), error }], ...whole } },
      { tested: tested("a_2"), run: { tests: [ran("a_2 holds", "PASS")], ...whole } },
    ]);
    expect(verdict).toEqual({ type: "fail", violatedClaims: ["a_1"] });
    expect(JSON.stringify(verdict)).not.toContain("cause");
  });

  test("a claim whose test skipped itself is neither passed nor violated", () => {
    const skipped = { tested: tested("a_1"), run: { tests: [], skipped: ["a_1 holds"], broken: null } };
    const failed = { tested: tested("a_2"), run: { tests: [ran("a_2 holds", "FAIL")], ...whole } };
    expect(clusterVerdict([skipped])).toEqual({ type: "pass", undecidedClaims: ["a_1"] });
    expect(clusterVerdict([skipped, failed])).toEqual({ type: "fail", violatedClaims: ["a_2"], undecidedClaims: ["a_1"] });
    expect(clusterVerdict([{ ...skipped, run: { ...skipped.run, broken: "the process exited" } }])).toMatchObject({ type: "fail" });
  });

  test.each([
    ["broke after its test", { tests: [ran("a_1 holds", "PASS")], skipped: [], broken: "the process exited" }],
    ["ran no test", { tests: [], skipped: [], broken: null }],
    ["skipped a test", { tests: [ran("a_1 holds", "PASS")], skipped: ["a_1 holds"], broken: null }],
    ["ran another test", { tests: [ran("something else", "PASS")], skipped: [], broken: null }],
  ] as const)("[CRI-009] a run that %s does not let a claim pass", (_what, run) => {
    expect(clusterVerdict([{ tested: tested("a_1"), run: run as Parameters<typeof clusterVerdict>[0][number]["run"] }])).toEqual({
      type: "fail",
      violatedClaims: ["a_1"],
    });
  });
});
