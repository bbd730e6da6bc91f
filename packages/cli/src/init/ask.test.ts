import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { askPerson } from "./ask.ts";
import { detect } from "./detect.ts";
import { fakeMachine, fakeTree } from "./testing/fake-project.ts";

const machine = fakeMachine();
const proposalOf = (files: Record<string, string>) => detect(fakeTree(files), machine);
const ENTER = "\r";
const DOWN = "\u001B[B";

/** A person who types each of `keys` when the screen shows the text beside it. */
function typing(...keys: readonly (readonly [shown: string, key: string])[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = "";
  output.on("data", (chunk: Buffer) => (screen += chunk.toString("utf8")));
  const done = (async () => {
    for (const [shown, key] of keys) {
      while (!screen.includes(shown)) await sleep(2);
      screen = "";
      for (const character of key.startsWith("\u001B") ? [key] : key) input.write(character);
    }
  })();
  return { terminal: { input, output }, done, screen: () => screen };
}

test("Enter takes every default", async () => {
  const proposal = proposalOf({ "package.json": '{"scripts":{"lint":"x","test":"y"}}' });
  const { terminal } = typing(["must pass", ENTER], ["Which branch", ENTER]);
  expect(await askPerson({ proposal, machine, branch: "main", branches: ["develop", "main"] }, terminal)).toEqual({
    proposal,
    baseBranch: "main",
  });
});

test("gates can be deselected, and another branch chosen", async () => {
  const proposal = proposalOf({ "package.json": '{"scripts":{"lint":"x","test":"y"}}' });
  const { terminal } = typing(["must pass", " "], ["◻", ENTER], ["Which branch", DOWN], ["develop", ENTER]);
  const chosen = await askPerson({ proposal, machine, branch: "main", branches: ["develop", "main"] }, terminal);
  expect(chosen.proposal.gates.map(({ name }) => name)).toEqual(["test"]);
  expect(chosen.baseBranch).toBe("develop");
});

test("if no tests were detected, asks for the command; shell syntax is refused at once", async () => {
  const proposal = proposalOf({ Makefile: "" });
  const { terminal } = typing(["Which command", `make|x${ENTER}`], ["cannot be a gate", `\u007F\u007F t${ENTER}`]);
  const chosen = await askPerson({ proposal, machine, branch: "main", branches: ["main"] }, terminal);
  expect(chosen.proposal.gates).toMatchObject([{ name: "test", cmd: ["make", "t"] }]);
  expect(chosen.baseBranch).toBe("main");
});

test("a detached head: asks for one of the branches", async () => {
  const proposal = proposalOf({ "package.json": '{"scripts":{"test":"y"}}' });
  const { terminal } = typing(["Which branch", ENTER]);
  expect((await askPerson({ proposal, machine, branch: null, branches: ["develop", "main"] }, terminal)).baseBranch).toBe("develop");
  await expect(askPerson({ proposal, machine, branch: null, branches: [] }, terminal)).rejects.toMatchObject({
    code: "repository_unsuitable",
  });
});

test("cancelling writes nothing", async () => {
  const proposal = proposalOf({ Makefile: "" });
  const { terminal } = typing(["Which command", "\u0003"]);
  await expect(askPerson({ proposal, machine, branch: "main", branches: [] }, terminal)).rejects.toMatchObject({ code: "run_cancelled" });
});
