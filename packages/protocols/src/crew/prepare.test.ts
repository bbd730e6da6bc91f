import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { expect, test } from "vitest";
import type { Starter } from "../surface/surface.ts";
import { prepareCrew } from "./prepare.ts";
import { projectTypeOf } from "./project-type.ts";
import { sessionNameSchema } from "./session/session-name.ts";

test.each([
  [{ "package.json": '{"bin": "cli.js"}' }, "cli"],
  [{ "package.json": '{"main": "a.js"}' }, "lib"],
  [{ "package.json": '{"main": "a.js", "dependencies": {"react": "1"}}' }, "web"],
  [{ "index.html": "<p>" }, "web"],
  [{ "package.json": '{"dependencies": {"express": "1"}}' }, "api"],
  [{ "requirements.txt": "fastapi==1\n" }, "api"],
  [{ "index.html": "<p>", "package.json": '{"dependencies": {"fastify": "1"}}' }, "mixed"],
  [{ "Cargo.toml": '[[bin]]\nname = "a"\n' }, "cli"],
  [{ "package.json": "no json" }, "mixed"],
  [{}, "mixed"],
])("[CRW-008] the files %j say %s", (files, type) => {
  expect(projectTypeOf(files as Record<string, string>).type).toBe(type);
});

test("[CRW-008][CRW-025][CRW-100] a run begins with a valid type, a name of two to four words, and the mode that the user declares", async () => {
  const { kernel, records, close } = await openScratchKernel({ "package.json": '{"bin": "cli.js"}' });
  const starter = { kernel, records } as Starter;
  const request = { specs: [], text: "Please add a locale to the formatDate function of the calendar", cwd: ".", env: {} };
  const prepared = await prepareCrew(starter, { ...request, flags: { lean: true } });
  expect(prepared).toMatchObject({ input: { mode: "lean", project_type: "cli" }, note: expect.stringContaining("you declare") });
  expect(sessionNameSchema.safeParse(`2026-11-18_${"slug" in prepared ? prepared.slug : ""}`).success).toBe(true);
  expect(await prepareCrew(starter, { ...request, options: { type: "web" } })).toMatchObject({
    input: { mode: "full", project_type: "web" },
  });
  await expect(prepareCrew(starter, { ...request, options: { type: "desktop" } })).rejects.toMatchObject({ code: "invalid_cli_args" });
  await close();
});
