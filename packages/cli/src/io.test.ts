import { userInfo } from "node:os";
import { afterEach, describe, expect, test, vi } from "vitest";
import { processIo } from "./io.ts";
import { personOf, placesOf } from "@slipway/protocols/surface/caller";
import { collectingIo } from "./init/testing/scratch.ts";

function streams(tty: { readonly out: boolean; readonly in: boolean }, env: Readonly<Record<string, string>> = {}) {
  vi.spyOn(process, "env", "get").mockReturnValue(env);
  for (const [stream, isTTY] of [
    [process.stdout, tty.out],
    [process.stdin, tty.in],
  ] as const) {
    Object.defineProperty(stream, "isTTY", { value: isTTY, configurable: true });
  }
  return processIo();
}

afterEach(() => {
  vi.restoreAllMocks();
  Object.defineProperty(process.stdout, "isTTY", { value: undefined, configurable: true });
  Object.defineProperty(process.stdin, "isTTY", { value: undefined, configurable: true });
});

describe("the environment of the process", () => {
  test("a terminal on both ends is interactive, with colour", () => {
    expect(streams({ out: true, in: true })).toMatchObject({ terminal: true, interactive: true, color: true, cwd: process.cwd() });
  });

  test.each([
    [{ out: false, in: true }, {}, { terminal: false, interactive: false, color: false }],
    [{ out: true, in: false }, {}, { terminal: true, interactive: false, color: true }],
    [{ out: true, in: true }, { CI: "1" }, { terminal: true, interactive: false, color: true }],
    [{ out: true, in: true }, { NO_COLOR: "1" }, { interactive: true, color: false }],
    [{ out: true, in: true }, { TERM: "dumb" }, { color: false }],
  ])("%j with %j", (tty, env, expected) => {
    expect(streams(tty, env)).toMatchObject(expected);
  });

  test("output goes to its stream, and a closed pipe does no harm", () => {
    const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const io = processIo();
    io.out("said");
    io.err("whispered");
    expect(out).toHaveBeenCalledWith("said");
    expect(err).toHaveBeenCalledWith("whispered");
    expect(() => process.stdout.emit("error", new Error("write EPIPE"))).not.toThrow();
    expect(io.columns).toBeGreaterThan(0);
  });
});

test("the person and their folders come from the environment, with fallbacks", () => {
  const io = (env: Readonly<Record<string, string>>) => collectingIo("/", { env });
  expect(personOf(io({ SLIPWAY_USER: "ada", USER: "kim" })).id).toBe("ada");
  expect(personOf(io({ USER: "kim", LOGNAME: "k" })).id).toBe("kim");
  expect(personOf(io({ LOGNAME: "k" })).id).toBe("k");
  expect(personOf(io({})).id).toBe(userInfo().username);
  expect(placesOf(io({ HOME: "/home/kim" }))).toEqual({ configHome: "/home/kim/.config", stateHome: "/home/kim/.local/state/slipway" });
  expect(placesOf(io({ XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }))).toEqual({ configHome: "/c", stateHome: "/s/slipway" });
  expect(placesOf(io({})).configHome).toMatch(/\.config$/);
});
