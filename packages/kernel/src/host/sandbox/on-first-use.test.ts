import { expect, test, vi } from "vitest";
import type { Sandbox } from "./contract.ts";
import { onFirstUse } from "./on-first-use.ts";

test("a sandbox is opened once, and again only after a failure", async () => {
  const sandbox = { kind: "bubblewrap" } as Sandbox;
  const make = vi.fn<() => Promise<Sandbox>>().mockRejectedValueOnce(new Error("not installed")).mockResolvedValue(sandbox);
  const open = onFirstUse(make);
  expect(make).not.toHaveBeenCalled();
  await expect(open()).rejects.toThrow("not installed");
  expect(await Promise.all([open(), open()])).toEqual([sandbox, sandbox]);
  expect(make).toHaveBeenCalledTimes(2);
});
