import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../config/config.ts";
import { isCritical, type VerifierSettings } from "../config/verifier.ts";
import { assertVerifierInstalled, formalFailure, verifyFormally, type FormalVerdict } from "./formal-check.ts";
import { openBodyScene, sandboxHere, SKELETON, type BodyScene } from "./testing/body-scene.ts";

let scene: BodyScene;
beforeAll(async () => {
  scene = await openBodyScene();
});
afterAll(() => scene.close());

const settings = (command: readonly string[], more: Partial<VerifierSettings> = {}): VerifierSettings => ({
  command: [...command],
  functions: ["**"],
  timeout_seconds: 60,
  required: false,
  read_only: [],
  ...more,
});

/** The verdict of a shell script over `larger`. */
async function verdict(script: string, more: Partial<VerifierSettings> = {}, signal?: AbortSignal): Promise<FormalVerdict> {
  return verdictOf(settings(["sh", "-c", script], more), signal);
}

async function verdictOf(verifier: VerifierSettings, signal?: AbortSignal): Promise<FormalVerdict> {
  const target = scene.functions.find(({ name }) => name === "larger");
  if (target === undefined) throw new TypeError("The skeleton has no such function.");
  const checks = { language: typescriptAdapter(), folders: scene.tools.folders, sandbox: await sandboxHere(), signal };
  return verifyFormally(checks, verifier, SKELETON, target);
}

describe("[CRI-195] an external verifier in the sandbox", () => {
  test("reads the function as JSON and the tree as files, and passes with exit code 0", async () => {
    const [json = "", files] = (await verdict("cat; echo; ls src/domain; exit 1")).message.split("\n");
    expect(files).toBe("numbers.ts");
    expect(JSON.parse(json)).toEqual({
      id: "src/domain/numbers.ts#larger",
      path: "src/domain/numbers.ts",
      name: "larger",
      signature: expect.stringContaining("larger(left: number, right: number): number") as string,
      contract: expect.stringContaining("ENSURES: result >= left") as string,
      language: "typescript",
    });
    expect(await verdict("exit 0")).toEqual({ function: "src/domain/numbers.ts#larger", verdict: "pass", message: "" });
  });

  test("fails with exit code 1 and its message, cut off where it is too long", async () => {
    expect(await verdict("echo 'larger(2, 1) is 1' >&2; exit 1")).toMatchObject({ verdict: "fail", message: "larger(2, 1) is 1" });
    expect((await verdict("head -c 100000 /dev/zero | tr '\\0' x; exit 1")).message).toHaveLength(2_000);
    expect(await verdict("exit 1")).toMatchObject({ verdict: "fail", message: "sh gave no reason" });
  });

  const INCONCLUSIVE: readonly (readonly [string, string, RegExp])[] = [
    ["ends with another code", "echo unknown; exit 2", /^sh ended with code 2: unknown$/],
    ["is killed", "kill -9 $$", /SIGKILL|code 137/],
    ["writes without end", "yes", /output/],
  ];
  test.each(INCONCLUSIVE)("has no verdict if it %s", async (_what, script, message) => {
    expect(await verdict(script)).toMatchObject({ verdict: "inconclusive", message: expect.stringMatching(message) as string });
  });

  test("has no verdict if it hangs", async () => {
    const { verdict: said, message } = await verdict("sleep 600", { timeout_seconds: 1 });
    expect([said, message]).toEqual(["inconclusive", "sh did not end in time"]);
  });

  test("has no verdict if the program is missing", async () => {
    expect(await verdictOf(settings(["no-such-verifier"]))).toMatchObject({ verdict: "inconclusive" });
    expect(await verdictOf(settings(["/no/such/verifier"]))).toMatchObject({ verdict: "inconclusive" });
  });

  test("cannot change the tree that the next tool sees", async () => {
    expect(await verdict("echo changed > src/domain/numbers.ts && exit 0; exit 3")).toMatchObject({ verdict: "inconclusive" });
    expect(await verdict("grep -q 'throw new Error' src/domain/numbers.ts && exit 0; exit 3")).toMatchObject({ verdict: "pass" });
  });

  test("is stopped with the run", async () => {
    const stop = new AbortController();
    const ended = verdict("sleep 600", {}, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(ended).rejects.toThrow("stopped");
  });
});

describe("[CRI-195] what follows a verdict", () => {
  const said = (verdict: FormalVerdict["verdict"]): FormalVerdict => ({ function: "src/a.ts#f", verdict, message: "because" });

  test("a fail rejects the body like a failed test, a pass does not", () => {
    expect(formalFailure([said("pass"), said("fail")], settings(["v"]))).toEqual({
      type: "test",
      failingTests: [{ test: "formal verification of src/a.ts#f", message: "because" }],
    });
    expect(formalFailure([said("pass")], settings(["v"], { required: true }))).toBeNull();
  });

  test("no verdict rejects the body only where one is required", () => {
    expect(formalFailure([said("inconclusive")], settings(["v"]))).toBeNull();
    expect(formalFailure([said("inconclusive")], settings(["v"], { required: true }))).toMatchObject({
      type: "test",
      failingTests: [{ message: "no verdict: because" }],
    });
  });

  test("a required program that is missing is refused before a run, an optional one is not", () => {
    expect(() => assertVerifierInstalled(settings(["no-such-verifier"], { required: true }), "c.toml")).toThrow(
      /c\.toml, verifier\.command/,
    );
    expect(() => assertVerifierInstalled(settings(["/no/such"], { required: true }), "c.toml")).toThrow(/"\/no\/such"/);
    assertVerifierInstalled(settings(["sh"], { required: true }), "c.toml");
    assertVerifierInstalled(settings(["no-such-verifier"]), "c.toml");
  });
});

describe("[CRI-195] critical functions", () => {
  test.each([
    ["src/domain/account.ts#withdraw", "src/domain/account.ts#withdraw", true],
    ["src/domain/account.ts#*", "src/domain/account.ts#withdraw", true],
    ["src/*#withdraw", "src/domain/account.ts#withdraw", false],
    ["src/**#withdraw", "src/domain/account.ts#withdraw", true],
    ["src/domain/account.ts", "src/domain/account.ts#withdraw", false],
    ["src/domain/account.t.#withdraw", "src/domain/account.ts#withdraw", false],
  ])("%s and %s: %s", (glob, id, expected) => {
    expect(isCritical(settings(["v"], { functions: [glob] }), id)).toBe(expected);
  });

  test("none without the section, which has defaults for the rest", () => {
    expect(isCritical(parseConfig(null).config.verifier, "src/a.ts#f")).toBe(false);
    const { verifier } = parseConfig('[verifier]\ncommand = ["dafny"]\nfunctions = ["**"]\n').config;
    expect(verifier).toEqual({ command: ["dafny"], functions: ["**"], timeout_seconds: 300, required: false, read_only: [] });
    expect(() => parseConfig('[verifier]\ncommand = []\nfunctions = ["**"]\n')).toThrow(/verifier\.command/);
  });
});
