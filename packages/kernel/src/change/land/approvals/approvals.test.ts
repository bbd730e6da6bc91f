import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemIds } from "@slipway/durable/environment";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../open-database.ts";
import type { Database } from "../../../record/database/open.ts";
import { recorded } from "../../../record/facts/testing/recorded.ts";
import { ACTOR_TYPES, type Actor } from "../../../record/operations/operation.ts";
import { consumeApproval, issueApproval, readApproval, type ApprovalRequest } from "./approvals.ts";
import { approvalHolds, type ApprovalCandidate } from "./holds.ts";
import { openApprovalKey, type ApprovalKey } from "./key.ts";
import { peekApproval } from "./token.ts";

const person: Actor = { type: "person", id: "ada" };
const candidate: ApprovalCandidate = {
  feature: "f1",
  change: "c1",
  tree: "t1",
  base: "b1",
  policyHash: "p1",
  repository: "r1",
  message: "m1",
};
const request: ApprovalRequest = { ...candidate, by: person, at: 1_000, expiresAt: 9_000 };

function place() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-approvals-"));
  const repositoryRoot = join(folder, "repository");
  mkdirSync(repositoryRoot);
  return { configHome: join(folder, "config"), repositoryRoot };
}

let database: Database;
let key: ApprovalKey;
beforeEach(async () => {
  database = await openDatabase({ path: join(mkdtempSync(join(tmpdir(), "slipway-approvals-")), "slipway.db") });
  key = await openApprovalKey(place());
});
afterEach(() => database.close());

const issue = (overrides: Partial<ApprovalRequest> = {}) => issueApproval(key, systemIds, { ...request, ...overrides });
const consume = (token: string, wanted: ApprovalCandidate = candidate, now = 2_000) =>
  recorded(database.db, (tx) => consumeApproval(tx, key, token, wanted, now));
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "accepted",
    (error: { code: string; details: { reason: string } }) => `${error.code}: ${error.details.reason}`,
  );

describe("the key", () => {
  test("is created on first use, is private, and stays the same", async () => {
    const where = place();
    const first = await openApprovalKey(where);
    const path = join(where.configHome, "slipway", "keys", "approval.pem");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(path, ".."))).toEqual(["approval.pem"]);
    expect(readFileSync(path, "utf8")).toContain("PRIVATE KEY");
    const second = await openApprovalKey(where);
    expect([second.id, second.publicKey]).toEqual([first.id, first.publicKey]);
    expect(second.verify(Buffer.from("x"), first.sign(Buffer.from("x")))).toBe(true);
    expect(JSON.stringify(first)).not.toContain("PRIVATE");
  });

  test("created by several callers or processes at once is one key", async () => {
    const here = place();
    const keys = await Promise.all(Array.from({ length: 4 }, () => openApprovalKey(here)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    const where = place();
    const script = `const { openApprovalKey } = await import(process.argv[1]); process.stdout.write((await openApprovalKey(JSON.parse(process.argv[2]))).id);`;
    const children = Array.from({ length: 4 }, async () => {
      const child = spawn(
        process.execPath,
        [
          "--conditions=slipway-source",
          "--input-type=module",
          "-e",
          script,
          new URL("./key.ts", import.meta.url).href,
          JSON.stringify(where),
        ],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      await once(child, "close");
      return output;
    });
    const ids = await Promise.all(children);
    expect(ids).toEqual(ids.map(() => (ids[0] ? ids[0] : "a key")));
  });

  test.each([
    ["the file", (folder: string) => chmodSync(join(folder, "approval.pem"), 0o644), /Others may read it \(mode 644\)/],
    ["the folder", (folder: string) => chmodSync(folder, 0o755), /Others may read it \(mode 755\)/],
    [
      "nothing but a link",
      (folder: string) => (
        renameSync(join(folder, "approval.pem"), join(folder, "elsewhere")),
        symlinkSync("elsewhere", join(folder, "approval.pem"))
      ),
      /symbolic link/,
    ],
    [
      "no key at all",
      (folder: string) => writeFileSync(join(folder, "approval.pem"), "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----"),
      /not an Ed25519 private key/,
    ],
    [
      "another kind of key",
      (folder: string) =>
        writeFileSync(join(folder, "approval.pem"), generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" })),
      /not an Ed25519/,
    ],
  ])("is refused when %s is wrong, with a next action and without showing the key", async (_name, spoil, message) => {
    const where = place();
    await openApprovalKey(where);
    spoil(join(where.configHome, "slipway", "keys"));
    const refused = await openApprovalKey(where).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "approval_invalid",
      message: expect.stringMatching(message),
      details: { file: expect.any(String), suggested_next_actions: [expect.any(String)] },
    });
    expect(JSON.stringify(refused) + String(refused)).not.toContain("secret");
  });

  test("is refused inside the repository, also through a link, and nothing is created there", async () => {
    const { repositoryRoot, configHome } = place();
    await expect(openApprovalKey({ repositoryRoot, configHome: join(repositoryRoot, ".config") })).rejects.toMatchObject({
      code: "approval_invalid",
      message: expect.stringContaining("inside the repository"),
    });
    symlinkSync(repositoryRoot, configHome);
    await expect(openApprovalKey({ repositoryRoot, configHome })).rejects.toMatchObject({ code: "approval_invalid" });
    expect(readdirSync(repositoryRoot)).toEqual([]);
    await openApprovalKey({ repositoryRoot, configHome: `${repositoryRoot}-config` });
    expect(existsSync(`${repositoryRoot}-config`)).toBe(true);
  });

  test("an unreadable key is not replaced", async () => {
    const where = place();
    mkdirSync(join(where.configHome, "slipway", "keys", "approval.pem"), { recursive: true, mode: 0o700 });
    await expect(openApprovalKey(where)).rejects.toMatchObject({ code: "approval_invalid", message: expect.stringContaining("EISDIR") });
    await expect(openApprovalKey({ ...where, configHome: "/dev/null/x" })).rejects.toMatchObject({
      code: "approval_invalid",
      message: expect.stringContaining("ENOTDIR"),
    });
  });
});

describe("issuing", () => {
  test.each(ACTOR_TYPES.filter((type) => type !== "person"))("is refused for the role %s", (type) => {
    expect(() => issue({ by: { type, id: "x" } })).toThrowError(expect.objectContaining({ code: "forbidden_tool_for_role" }));
  });

  test("returns a token with the approved facts and without the key", () => {
    const token = issue({ expiresAt: 5_000 });
    expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(peekApproval(token)).toEqual({ ...candidate, id: expect.stringMatching(/^approval_/), by: "ada", at: 1_000, expiresAt: 5_000 });
    expect(peekApproval("nonsense")).toBeNull();
    expect(peekApproval("bm9uc2Vuc2U.bm9uc2Vuc2U")).toBeNull();
  });
});

describe("using", () => {
  test("works once, for exactly the approved change, and is recorded", async () => {
    const token = issue();
    expect(await readApproval(database.db, key, token, candidate, 1_500)).toMatchObject({ by: "ada", change: "c1" });
    expect(await consume(token)).toMatchObject({ by: "ada" });
    expect(await database.db.selectFrom("approvals").selectAll().execute()).toMatchObject([
      {
        feature_id: "f1",
        change: "c1",
        tree: "t1",
        base: "b1",
        policy_hash: "p1",
        approved_by: "ada",
        issued_at: 1_000,
        consumed_at: 2_000,
      },
    ]);
    expect(await refusal(consume(token))).toBe("user_approval_required: used");
    expect(await refusal(readApproval(database.db, key, token, candidate, 2_000))).toBe("user_approval_required: used");
  });

  test("an approval in a failed transaction stays unused", async () => {
    const token = issue();
    const failing = recorded(database.db, async (tx) => {
      await consumeApproval(tx, key, token, candidate, 2_000);
      throw new Error("the merge failed");
    });
    await expect(failing).rejects.toThrow("the merge failed");
    expect(await refusal(consume(token))).toBe("accepted");
  });

  test("of several concurrent uses one succeeds", async () => {
    const token = issue();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => refusal(consume(token))));
    expect(outcomes.toSorted()).toEqual(["accepted", ...Array<string>(4).fill("user_approval_required: used")]);
  });

  test.each<[string, Partial<ApprovalCandidate>]>([
    ["feature", { feature: "f2" }],
    ["policy", { policyHash: "p2" }],
    ["change", { change: "c2" }],
    ["tree", { tree: "t2" }],
    ["base", { base: "b2" }],
  ])("another %s is refused, and the approval stays unused", async (rule, other) => {
    const token = issue();
    await expect(consume(token, { ...candidate, ...other })).rejects.toMatchObject({
      code: "user_approval_required",
      details: { reason: rule, feature_id: "f1", requires_human: true },
    });
    expect(await refusal(consume(token))).toBe("accepted");
  });

  test("an expired, a missing, a malformed and a foreign token are refused", async () => {
    expect(await refusal(consume(issue({ expiresAt: 2_000 })))).toBe("user_approval_required: expired");
    expect(await refusal(consume(""))).toBe("user_approval_required: missing");
    expect(await refusal(consume("yes"))).toBe("user_approval_required: malformed");
    const foreign = issueApproval(await openApprovalKey(place()), systemIds, request);
    expect(await refusal(consume(foreign))).toBe("user_approval_required: forged");
  });

  test("a token with any changed character is refused", async () => {
    const token = issue();
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(..."ABab01_-."), async (index, letter) => {
        const changed = token.slice(0, index) + letter + token.slice(index + 1);
        // The last character of base64url has unused bits.
        fc.pre(
          changed !== token &&
            Buffer.from(changed.split(".")[1] ?? "", "base64url").toString() !== Buffer.from(token.split(".")[1]!, "base64url").toString(),
        );
        expect(await refusal(readApproval(database.db, key, changed, candidate, 1_500))).toMatch(/malformed|forged/);
      }),
      { numRuns: 100 },
    );
  });
});

describe("whether it still holds", () => {
  const approved = { ...candidate, expiresAt: 9_000 };

  test.each<[string, Partial<ApprovalCandidate>, boolean, RegExp | null]>([
    ["nothing changed", {}, true, null],
    ["the base moved elsewhere and the change is identical", { base: "b2", tree: "t2", overlap: [] }, true, null],
    ["the base moved in a file the change touches", { base: "b2", tree: "t2", overlap: ["src/a.ts"] }, false, /src\/a\.ts/],
    ["the base moved and the paths were not compared", { base: "b2", tree: "t2" }, false, /files it changed are unknown/],
    ["the base moved and the change differs", { base: "b2", tree: "t2", change: "c2", overlap: [] }, false, /change differs/],
    ["the same base and change give another tree", { tree: "t2", overlap: [] }, false, /tree differs/],
    ["the policy changed", { policyHash: "p2" }, false, /policy or the gates have changed/],
    ["another feature", { feature: "f2" }, false, /is for "f1"/],
    ["another clone of the repository", { repository: "r2" }, false, /another clone or copy/],
    ["another commit message or strategy", { message: "m2" }, false, /message or the merge strategy differs/],
  ])("%s: %o", (_name, change, holds, why) => {
    const holding = approvalHolds(approved, { ...candidate, ...change }, 0);
    expect(holding.holds).toBe(holds);
    if (!holding.holds) expect(holding.why).toMatch(why!);
  });

  test("never for another feature, policy or change, and never after its expiry", () => {
    const word = fc.constantFrom("x", "y");
    const facts = fc.record({ feature: word, change: word, tree: word, base: word, policyHash: word, repository: word, message: word });
    fc.assert(
      fc.property(
        facts,
        facts,
        fc.nat(5),
        fc.nat(5),
        fc.option(fc.array(word), { nil: undefined }),
        (approval, wanted, expiresAt, now, overlap) => {
          const { holds } = approvalHolds({ ...approval, expiresAt }, { ...wanted, ...(overlap && { overlap }) }, now);
          const same = (field: keyof typeof approval) => approval[field] === wanted[field];
          const allowed =
            same("feature") &&
            same("change") &&
            same("policyHash") &&
            same("repository") &&
            same("message") &&
            now < expiresAt &&
            (same("base") ? same("tree") : overlap?.length === 0);
          expect(holds).toBe(allowed);
        },
      ),
    );
  });
});

interface Model {
  readonly issued: { candidate: ApprovalCandidate; used: boolean }[];
}
interface Real {
  readonly tokens: string[];
}

class Issue implements fc.AsyncCommand<Model, Real> {
  readonly #change: string;
  constructor(change: string) {
    this.#change = change;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    model.issued.push({ candidate: { ...candidate, change: this.#change }, used: false });
    real.tokens.push(issue({ change: this.#change }));
  }
  toString = () => `issue(${this.#change})`;
}

class Use implements fc.AsyncCommand<Model, Real> {
  readonly #which: number;
  readonly #change: string;
  readonly #fails: boolean;
  constructor(which: number, change: string, fails: boolean) {
    [this.#which, this.#change, this.#fails] = [which, change, fails];
  }
  check = (model: Readonly<Model>) => model.issued.length > this.#which;
  async run(model: Model, { tokens }: Real): Promise<void> {
    const approval = model.issued[this.#which]!;
    const outcome = await refusal(
      recorded(database.db, async (tx) => {
        await consumeApproval(tx, key, tokens[this.#which]!, { ...candidate, change: this.#change }, 2_000);
        if (this.#fails) throw Object.assign(new Error("later"), { code: "rolled", details: { reason: "back" } });
      }),
    );
    if (approval.candidate.change !== this.#change) expect(outcome).toBe("user_approval_required: change");
    else if (approval.used) expect(outcome).toBe("user_approval_required: used");
    else expect(outcome).toBe(this.#fails ? "rolled: back" : "accepted");
    if (outcome === "accepted") approval.used = true;
    const rows = await database.db.selectFrom("approvals").select("id").execute();
    expect(rows).toHaveLength(model.issued.filter(({ used }) => used).length);
  }
  toString = () => `use(${this.#which}, ${this.#change}${this.#fails ? ", then fail" : ""})`;
}

test("in any sequence of issue, use, retarget and rollback each approval lands at most once, on its own change", async () => {
  const change = fc.constantFrom("c1", "c2");
  const commands = fc.commands(
    [change.map((name) => new Issue(name)), fc.tuple(fc.nat(3), change, fc.boolean()).map((args) => new Use(...args))],
    { maxCommands: 20 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      await database.db.deleteFrom("approvals").execute();
      await fc.asyncModelRun(() => ({ model: { issued: [] }, real: { tokens: [] } }), sequence);
    }),
    { numRuns: 40 },
  );
});
