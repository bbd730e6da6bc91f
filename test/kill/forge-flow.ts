import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forgeDemo } from "@slipway/protocols/forge/demo/demo";
import { makeRepository } from "slipway/demo/scratch";
import { git, programFor, userState, type Flow } from "./flow.ts";
import { quietIo } from "./orders.ts";

/** The repository of forge's demo, on another branch than the base, with the uncommitted work of its user. */
export async function prepareForge(): Promise<Flow> {
  const home = mkdtempSync(join(tmpdir(), "slipway-kill-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
    NODE_COMPILE_CACHE: join(tmpdir(), "slipway-kill-cache"),
  };
  const folder = await makeRepository(quietIo(home, env), "repository", forgeDemo.files);
  git(folder, ["switch", "--quiet", "--create", "mine"]);
  writeFileSync(join(folder, "README.md"), "# Recipes\n\nMy own words, not committed.\n");
  writeFileSync(join(folder, "notes.txt"), "untracked\n");
  writeFileSync(join(folder, "staged.txt"), "staged\n");
  git(folder, ["add", "staged.txt"]);
  mkdirSync(join(home, "logs"));
  const [log, deaths] = [join(home, "logs", "log"), join(home, "logs", "deaths")];
  return { folder, env, specs: [], log, deaths, program: await programFor("forge-child"), before: userState(folder) };
}
