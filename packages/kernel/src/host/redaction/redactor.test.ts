import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MARK } from "./contract.ts";
import { formsOf } from "./forms.ts";
import { createRedactor } from "./redactor.ts";
import { secretsOf } from "./secrets.ts";

const SECRET = "pa+ss/w0rd with spaces & <tags>";

/** Has a character that occurs in no other text of these tests, so that a match is always a leak. */
const secret = fc
  .string({ minLength: 8, maxLength: 60, unit: fc.constantFrom(..."abAB01+/=&% <>\"'\\\u00e9\u{1F600}") })
  .map((text) => `§${text}§`);
const noise = fc.string({ maxLength: 200, unit: fc.constantFrom(..."abAB01+/=&% <>\"'\\\n\r\u00e9") });

function inPieces(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((left, right) => left - right);
  return [0, ...places].map((start, index) => text.slice(start, places[index]));
}

function redactPieces(redactor: ReturnType<typeof createRedactor>, pieces: readonly string[]): string {
  const stream = redactor.stream();
  return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
}

describe("known values", () => {
  const redactor = createRedactor({ secrets: [SECRET, "a-second-secret"] });

  it.each([
    ["as it is", SECRET],
    ["base64", Buffer.from(SECRET).toString("base64")],
    ["base64url", Buffer.from(SECRET).toString("base64url")],
    ["hex", Buffer.from(SECRET).toString("hex")],
    ["upper-case hex", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["URL", encodeURIComponent(SECRET)],
    ["form", new URLSearchParams({ q: SECRET }).toString().slice(2)],
    ["lower-case URL escapes", encodeURIComponent(SECRET).replaceAll(/%../g, (escape) => escape.toLowerCase())],
    ["JSON", JSON.stringify({ token: SECRET }).slice(10, -2)],
    ["XML", "pa+ss/w0rd with spaces &amp; &lt;tags&gt;"],
    ["wrapped over lines", SECRET.replaceAll(/.{5}/g, "$&\n")],
    ["wrapped base64", Buffer.from(SECRET).toString("base64").replaceAll(/.{9}/g, "$&\r\n")],
  ])("attack 60: a secret is removed %s", (_, form) => {
    const out = redactor.text(`before ${form} after`);
    expect(out).not.toContain(form);
    expect(out).toBe(`before ${MARK} after`);
  });

  it("attack 60: a secret inside base64 of a larger text is removed at each offset", () => {
    for (const prefix of ["", "x", "xy", "xyz"]) {
      const encoded = Buffer.from(`${prefix}${SECRET}-rest`).toString("base64");
      const out = redactor.text(encoded);
      expect(out).toContain(MARK);
      expect(Buffer.from(out.replace(MARK, ""), "base64").toString("utf8")).not.toContain("w0rd");
    }
  });

  it("attack 60: a secret split over chunks is removed, wherever they end", () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(noise, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (secrets, noises, cuts) => {
          const own = createRedactor({ secrets });
          const text = noises.map((part, index) => part + (secrets[index % secrets.length] ?? "")).join("");
          const out = redactPieces(own, inPieces(text, cuts));
          for (const value of secrets) for (const form of formsOf(value)) expect(out).not.toContain(form);
          expect(out).toBe(own.text(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("every form of a secret is removed, whatever the secret", () => {
    fc.assert(
      fc.property(secret, noise, (value, around) => {
        const own = createRedactor({ secrets: [value] });
        for (const form of formsOf(value)) expect(own.text(`${around} ${form} ${around}`)).not.toContain(form);
      }),
    );
  });

  it("redacts once: a second pass changes nothing", () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), noise, (secrets, around) => {
        const own = createRedactor({ secrets });
        const once = own.text(around + secrets.join(around));
        expect(own.text(once)).toBe(once);
      }),
    );
  });

  it("a secret that contains another leaves no rest of the longer one", () => {
    const own = createRedactor({ secrets: ["abcdefgh", "abcdefghijkl", "xabcdefgh"] });
    expect(own.text("-abcdefghijkl-")).toBe(`-${MARK}-`);
    expect(own.text("-xabcdefghijkl-")).toBe(`-${MARK}-`);
    expect(own.text("-abcdefghijk-")).toBe(`-${MARK}ijk-`);
  });

  it("joins several short finds when a longer form began before them", () => {
    const own = createRedactor({ secrets: ["12345678", "abcdefgh", "--12345678.abcdefgh!!"] });
    expect(own.text("x--12345678.abcdefgh!!x")).toBe(`x${MARK}x`);
    expect(own.text("x--12345678.abcdefgh!x")).toBe(`x--${MARK}.${MARK}!x`);
  });

  it("a periodic secret in a long run of itself is marked once and needs bounded memory", () => {
    const own = createRedactor({ secrets: ["aaaaaaaa"] });
    expect(
      redactPieces(
        own,
        Array.from({ length: 1000 }, () => "a".repeat(100)),
      ),
    ).toBe(MARK);
  });

  it("does not hold back a flood of line ends behind the start of a secret", () => {
    const stream = createRedactor({ secrets: ["secret-value"] }).stream();
    expect(stream.write(`secret${"\n".repeat(10)}`)).toContain("secret");
  });

  it("a long document as a secret is found whole, by its lines and as base64", () => {
    const document = Array.from({ length: 60 }, (_, index) => `line ${index} of the credentials`).join("\n");
    const own = createRedactor({ secrets: [document] });
    expect(own.text(`<${document}>`)).toBe(`<${MARK}>`);
    expect(own.text("  line 31 of the credentials;")).toBe(`  ${MARK};`);
    expect(own.text(Buffer.from(document).toString("base64"))).toBe(MARK);
  });

  it("a lone surrogate in a secret does not fail", () => {
    expect(createRedactor({ secrets: ["bad-\ud800-secret"] }).text("bad-\ud800-secret")).toBe(MARK);
  });

  it("without secrets text passes unchanged", () => {
    fc.assert(
      fc.property(noise, (text) => {
        expect(createRedactor({ secrets: [] }).text(text)).toBe(text);
      }),
    );
  });
});

describe("tokens", () => {
  const redactor = createRedactor({ secrets: [] });
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

  it.each([
    [`token ghp_${"a1B2".repeat(9)}.`, `token ${MARK}.`],
    [`github_pat_${"a1B2_".repeat(9)}`, MARK],
    [`glpat-${"a1B2-".repeat(5)}`, MARK],
    [`xoxb-${"12345-".repeat(4)}`, MARK],
    [`key=sk-ant-api03-${"x_Y-".repeat(8)}`, `key=${MARK}`],
    [`npm_${"a".repeat(36)}`, MARK],
    [`sk_live_${"a1".repeat(12)} rk_test_${"a1".repeat(12)}`, `${MARK} ${MARK}`],
    [`pypi-${"AgE-".repeat(20)}`, MARK],
    [`dop_v1_${"0a1b2c3d".repeat(8)}`, MARK],
    [`hf_${"aB3".repeat(12)}`, MARK],
    [`slp_${"aB3_".repeat(12)}.${"aB3-".repeat(10)}`, MARK],
    ["ASIAIOSFODNN7EXAMPLE", MARK],
    ["AKIAIOSFODNN7EXAMPLE", MARK],
    [`AIza${"x".repeat(35)}`, MARK],
    [jwt, MARK],
    ["Authorization: Bearer abcdefghijklmnop", `Authorization: Bearer ${MARK}`],
    ["authorization: Basic dXNlcjpwYXNzd29yZA==", `authorization: Basic ${MARK}`],
    ["git clone https://me:hunter22@example.com/x", `git clone https://me:${MARK}@example.com/x`],
    ["postgres://:topsecret@db", `postgres://:${MARK}@db`],
  ])("%s", (text, expected) => expect(redactor.text(text)).toBe(expected));

  it.each([
    "asiaPacificRegionName",
    "task-abcdefghijklmnopqrstuvwxyz",
    "https://example.com:8080/a@b",
    "Bearer of bad news",
    "eyJ.not.jwt",
    "Basic internationalization",
  ])("leaves %s alone", (text) => expect(redactor.text(text)).toBe(text));

  it("a private key disappears with its lines, in one line as well", () => {
    const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\ndef==\n-----END RSA PRIVATE KEY-----";
    expect(redactor.text(`a\n${key}\nb\n`)).toBe(`a\n${MARK}\nb\n`);
    expect(redactor.text(`{"key":"${key.replaceAll("\n", "\\n")}"}`)).toBe(`{"key":"${MARK}"}`);
  });

  it("a private key without an end does not swallow the rest of the log", () => {
    const out = redactor.text(`-----BEGIN PRIVATE KEY-----\n${`${"A".repeat(64)}\n`.repeat(1000)}the end\n`);
    expect(out.startsWith(MARK)).toBe(true);
    expect(out.endsWith("the end\n")).toBe(true);
  });

  it("attack 60: the result does not depend on the chunks, also in long lines", () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(jwt, " ", "\n", `ghp_${"z".repeat(30)}`, "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "Bearer "),
        fc.string({ maxLength: 30 }),
        fc.nat(40_000).map((length) => "w".repeat(length)),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(), { maxLength: 10 }), (parts, cuts) => {
        const text = parts.join("");
        expect(redactPieces(redactor, inPieces(text, cuts))).toBe(redactor.text(text));
      }),
      { numRuns: 200 },
    );
  });

  it("a token across the window of an endless line is removed", () => {
    for (const before of [65_536 - 512 - 10, 65_536 - 20, 65_536 - 2]) {
      const out = redactor.text(`${"w ".repeat(before / 2)}ghp_${"A".repeat(200)} rest`);
      expect(out).not.toContain("AAAA");
      expect(out).toContain(MARK);
    }
  });

  it("what follows a token across the window stays readable", () => {
    const text = `${"w ".repeat(32_480)}Bearer ${"A".repeat(2000)} and the reason of the failure`;
    expect(redactor.text(text).slice(64_960)).toBe(`Bearer ${MARK} and the reason of the failure`);
  });

  it("a token that is longer than a window is removed completely", () => {
    const long = `Bearer ${"abcdefgh".repeat(400)}`;
    const text = `${"x ".repeat(32_000)}${long}${"+".repeat(3000)}`;
    const out = redactPieces(redactor, inPieces(text, [65_540, 66_000, 68_000]));
    expect(out).not.toContain("abcdefghabcdefgh");
  });

  it("stays linear on adversarial text", () => {
    // Backtracking over these would exceed the timeout of the test.
    for (const text of ["eyJ-".repeat(16_000), "a".repeat(64_000), "aa://".repeat(12_000), "x@".repeat(32_000), "Bearer ".repeat(9_000)])
      expect(redactor.text(text).length).toBeGreaterThan(0);
  });
});

describe("value", () => {
  it("removes secrets from error details and other values, keys included", () => {
    const redactor = createRedactor({ secrets: ["very-secret"] });
    expect(redactor.value({ a: ["x very-secret", 1, null, true], "very-secret": { b: "very-secret" } })).toEqual({
      a: [`x ${MARK}`, 1, null, true],
      [MARK]: { b: MARK },
    });
  });
});

describe("secretsOf", () => {
  it("takes the values of variables with secret-like names, except short ones", () => {
    const env = {
      GITHUB_TOKEN: "ghx-12345678",
      DB_PASSWORD: "longenough",
      npm_config_authToken: "from-npm-config",
      AWS_SECRET_ACCESS_KEY: "aws-secret",
      STRIPE_KEY: "stripe-key",
      apiKey: "camel-case",
      PIN_SECRET: "1234",
      PATH: "/usr/bin:/usr/local/bin",
      SSH_AUTH_SOCK: "/run/user/1000/ssh.sock",
      KEYBOARD_LAYOUT: "de-nodeadkeys",
      EMPTY_TOKEN: undefined,
      COPY_TOKEN: "ghx-12345678",
    };
    expect(secretsOf(env).toSorted()).toEqual(["aws-secret", "camel-case", "from-npm-config", "ghx-12345678", "longenough", "stripe-key"]);
  });
});

it("without patterns only known values are redacted", () => {
  const token = `ghp_${"a".repeat(36)}`;
  const own = createRedactor({ secrets: ["a-known-secret"], patterns: false });
  expect(own.text(`a-known-secret and ${token}`)).toBe(`[redacted] and ${token}`);
  expect(createRedactor({ secrets: [] }).text(token)).toBe("[redacted]");
});
