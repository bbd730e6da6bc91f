import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { chooseOption, writeText } from "./person-prompt.ts";

const ENTER = "\r";
const DOWN = "\u001B[B";
const UP = "\u001B[A";
const CTRL_C = "\u0003";
const BACKSPACE = "\u007F";

const QUESTION = {
  message: "What should happen?",
  options: [
    { value: "keep_a", label: "Keep A" },
    { value: "keep_b", label: "Keep B" },
    { value: "later", label: "Leave it\u001b[2J blocked" },
  ],
};

/** A person who types each of `keys` when the screen shows the text beside it. */
function typing(...keys: readonly (readonly [shown: string, key: string])[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = "";
  let all = "";
  output.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
    all += chunk.toString("utf8");
  });
  void (async () => {
    for (const [shown, key] of keys) {
      while (!screen.includes(shown)) await sleep(2);
      screen = "";
      for (const character of key.startsWith("\u001B") ? [key] : key) input.write(character);
    }
  })();
  return { streams: { input, output }, seen: () => all };
}

test("[CRI-181] arrow keys and Enter choose an option", async () => {
  const { streams } = typing(["What should happen?", DOWN], ["Keep B", ENTER]);
  expect(await chooseOption(QUESTION, streams)).toBe("keep_b");
  const up = typing(["What should happen?", UP], ["Keep B", ENTER]);
  expect(await chooseOption({ ...QUESTION, initial: "later" }, up.streams)).toBe("keep_b");
});

test("[CRI-181] a number and Enter choose an option", async () => {
  const { streams } = typing(["What should happen?", "2"], ["1 match", ENTER]);
  expect(await chooseOption({ ...QUESTION, initial: "later" }, streams)).toBe("keep_b");
});

test("[CRI-181] a number that no option has is refused and asked for again", async () => {
  const { streams, seen } = typing(
    ["What should happen?", "7"],
    ["0 matches", ENTER],
    ["Type a number from 1 to 3.", BACKSPACE],
    ["Keep A", "1"],
    ["1 match", ENTER],
  );
  expect(await chooseOption(QUESTION, streams)).toBe("keep_a");
  expect(seen()).toContain("Type a number from 1 to 3.");
});

test("Enter alone takes the initial option; Ctrl-C takes none", async () => {
  expect(await chooseOption({ ...QUESTION, initial: "later" }, typing(["What should happen?", ENTER]).streams)).toBe("later");
  expect(await chooseOption(QUESTION, typing(["What should happen?", CTRL_C]).streams)).toBe(null);
});

test("options are numbered, and no text of theirs reaches the terminal as a command", async () => {
  const { streams, seen } = typing(["3. ", ENTER]);
  await chooseOption(QUESTION, streams);
  expect(seen()).toContain("1. Keep A");
  expect(seen()).toContain("3. Leave it<U+001B>[2J blocked");
});

test("a text may be empty; Ctrl-C gives none", async () => {
  expect(await writeText("Your words", typing(["Your words", `per day${ENTER}`]).streams)).toBe("per day");
  expect(await writeText("Your words", typing(["Your words", ENTER]).streams)).toBe("");
  expect(await writeText("Your words", typing(["Your words", CTRL_C]).streams)).toBe(null);
});
