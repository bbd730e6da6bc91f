import { SlipwayError } from "../../schema/errors.ts";
import { expect, test } from "vitest";
import { translateSystemError } from "./system-errors.ts";

const system = (code: string, more: object = {}) => Object.assign(new Error(`${code}: it failed`), { code, syscall: "open", ...more });

test.each([
  ["ENOSPC", { path: "/repo/a" }, "disk_full", "/repo/a"],
  ["EACCES", { path: "/repo/a" }, "io_error", "/repo/a"],
  ["EISDIR", {}, "io_error", "it failed"],
  ["EIO", {}, "io_error", "disk reported an error"],
  ["ENOENT", { syscall: "uv_cwd" }, "not_a_repository", "no longer exists"],
])("%s is translated with a suggestion", (systemCode, more, code, text) => {
  expect(translateSystemError(system(systemCode, more))).toMatchObject({
    code,
    message: expect.stringContaining(text),
    details: { suggested_next_actions: [expect.any(String)] },
  });
});

test.each([new SlipwayError("gate_failed", "x"), new TypeError("x"), "text", system("EWEIRD")])(
  "any other error is returned unchanged",
  (error) => {
    expect(translateSystemError(error)).toBe(error);
  },
);
