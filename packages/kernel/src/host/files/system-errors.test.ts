import { SlipwayError } from "../../schema/errors.ts";
import { expect, test } from "vitest";
import { translateSystemError } from "./system-errors.ts";

const system = (code: string, more: object = {}) => Object.assign(new Error(`${code}: it failed`), { code, syscall: "open", ...more });

test.each([
  ["ENOSPC", { path: "/repo/a" }, "disk_full", "/repo/a"],
  ["EACCES", { path: "/repo/a" }, "io_error", "/repo/a"],
  ["EISDIR", {}, "io_error", "it failed"],
  ["EIO", {}, "io_error", "disk reported an error"],
  ["ENOENT", { syscall: "uv_cwd" }, "not_a_repository", "does not exist any more"],
])("%s is told with what to do", (systemCode, more, code, told) => {
  expect(translateSystemError(system(systemCode, more))).toMatchObject({
    code,
    message: expect.stringContaining(told),
    details: { suggested_next_actions: [expect.any(String)] },
  });
});

test.each([new SlipwayError("gate_failed", "x"), new TypeError("x"), "text", system("EWEIRD")])("anything else stays as it is", (error) => {
  expect(translateSystemError(error)).toBe(error);
});
