import { expect, test } from "vitest";
import { assertKeysOutOfSight } from "./out-of-sight.ts";

const check = (...read_only: string[]) =>
  assertKeysOutOfSight({ sandbox: { read_only } as never }, "/home/kim/.config", { HOME: "/home/kim", PATH: "/usr/bin" });

test.each(["/home/kim/.config/slipway/keys", "/home/kim/.config", "/home/kim/.config/", "~/.config/slipway", "~/", "/", "/home/kim//"])(
  "a policy that lets gates read %s is refused: they could sign an approval",
  (path) => {
    expect(() => check("/opt/tools", path)).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: expect.stringContaining(path),
        details: expect.objectContaining({ file: "slipway/policy.yaml", field: "/sandbox/read_only/1" }),
      }),
    );
  },
);

test("folders beside the keys may be read", () => {
  check();
  check("/opt/tools", "~/.cargo", "/home/kim/.config/other", "/home/kim/.config/slipway/keys-of-others", "/home/kimberly");
});
