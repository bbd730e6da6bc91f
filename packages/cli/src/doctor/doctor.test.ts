import { expect, test } from "vitest";
import { SlipwayError } from "../errors.ts";
import { collectingIo, scratchFolder, scratchRepository } from "../init/testing/scratch.ts";
import { ok } from "./check.ts";
import { checkFolder, checkRoot, judgeSpace } from "./disk.ts";
import { examine } from "./examine.ts";
import { reasonOf, findingFromError } from "./error-texts.ts";
import { checkNode } from "./node.ts";
import { checkSandbox } from "./sandbox.ts";

const fails = (error: unknown) => ({
  name: "broken",
  look: () => {
    throw error;
  },
});

test("a check that throws does not hide the others", async () => {
  const io = collectingIo(scratchRepository({ a: "" }));
  const rejects = { name: "late", look: () => Promise.reject(Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" })) };
  const fine = { name: "fine", look: async () => [ok("Fine.")] };
  const rows = await examine(io, {
    machine: [fails(new Error("odd")), fine],
    repository: [rejects, fails(new SlipwayError("io_error", "Disk.")), fine],
  });
  expect(rows.map(({ name, status, finding }) => [name, status, finding])).toEqual([
    ["broken", "problem", "This could not be checked: odd."],
    ["fine", "ok", "Fine."],
    ["late", "problem", "This could not be checked: it does not exist."],
    ["broken", "problem", "Disk."],
    ["fine", "ok", "Fine."],
  ]);
  expect(rows.filter(({ status }) => status === "problem").every(({ fix }) => fix !== null && fix !== "")).toBe(true);
});

test("system error codes are reported as text", () => {
  for (const code of ["ENOENT", "EACCES", "EROFS", "ENOSPC", "ENOTDIR", "EIO"]) {
    expect(reasonOf(Object.assign(new Error(`${code}: whatever`), { code }))).not.toContain(code);
  }
  expect(reasonOf("just text")).toBe("just text");
  expect(findingFromError(new SlipwayError("io_error", "Disk.", { suggested_next_actions: ["Buy one.", "Or two."] }))).toEqual({
    status: "problem",
    finding: "Disk.",
    fix: "Buy one.",
  });
});

test("an old Node", async () => {
  expect(await checkNode("20.19.1", "/usr/bin/node")).toMatchObject([
    { status: "problem", finding: "Node 24 or newer is needed; /usr/bin/node is 20.19.1." },
  ]);
  expect(await checkNode("24.0.0", "/x")).toMatchObject([{ status: "ok" }]);
});

test("without bubblewrap", async () => {
  await expect(checkSandbox(scratchFolder())).rejects.toMatchObject({ code: "sandbox_unavailable" });
});

test.each<[bytes: number, status: string, free: string]>([
  [50 * 1024 ** 2, "problem", "50 MiB free."],
  [100 * 1024 ** 2 - 1, "problem", "99 MiB free."],
  [100 * 1024 ** 2, "note", "100 MiB free."],
  [1024 ** 3 - 1, "note", "1023 MiB free."],
  [1024 ** 3, "ok", "1.0 GiB free, can be written and synced."],
])("%i bytes free: %s", (bytes, status, free) => expect(judgeSpace("/x", bytes)).toMatchObject({ status, finding: `/x: ${free}` }));

test("a folder that is not there", async () => {
  expect(await checkRoot("/nowhere/at/all")).toMatchObject([
    { status: "problem", finding: "/nowhere/at/all cannot be written: it does not exist." },
  ]);
  expect(await checkFolder("/nowhere/at/all", "for tests")).toMatchObject({
    status: "problem",
    finding: "/nowhere/at/all (for tests) cannot be written: it does not exist.",
  });
});
