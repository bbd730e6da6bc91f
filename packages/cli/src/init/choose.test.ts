import { expect, test } from "vitest";
import { assertTested, inFull, withTestCommand } from "./choose.ts";
import { detect, type GateProposal } from "./detect.ts";
import { fakeMachine, fakeTree } from "./testing/fake-project.ts";

const nothing: GateProposal = { projects: [], gates: [], sharedPaths: [], readOnly: [], notes: [] };

test("the given test command replaces the detected tests, and nothing else", () => {
  const machine = fakeMachine({ programs: { just: ["/home/ada/.cargo/bin/just"] } });
  const found = detect(fakeTree({ "package.json": '{"scripts":{"lint":"x","test":"y"}}', "Cargo.toml": "" }), machine);
  const { gates, readOnly } = withTestCommand(found, "CI=1 just test", machine);
  expect(gates.map(({ name, cmd }) => [name, cmd[0]])).toEqual([
    ["node-lint", "npm"],
    ["rust-compile", "cargo"],
    ["test", "just"],
  ]);
  expect(gates[2]).toMatchObject({ env: { CI: "1" }, why: "`CI=1 just test` was given as the test command." });
  expect(readOnly).toEqual(["~/.cargo/bin"]);
});

test("without tests nothing is written, and the error lists what was detected", () => {
  expect(() => assertTested(nothing)).toThrow(/No project was recognised \(looked for Node\.js, Python, Rust, Go, Java\)/);
  expect(() => assertTested({ ...nothing, projects: ["Node.js in web"], notes: ["The script was left out."] })).toThrow(
    expect.objectContaining({
      code: "config_missing",
      message: "No tests were found for Node.js in web, and a gate is never guessed. Nothing was written.\n  The script was left out.",
      details: expect.objectContaining({ suggested_next_actions: [expect.stringContaining('--test "make test"')] }),
    }),
  );
});

test("`~` in commands and variables is expanded where it means the home folder, and nowhere else", () => {
  const env = { A: "~/.rustup", B: "x~/y", C: "~" };
  const gates = [{ kind: "test", name: "test", project: "", cmd: ["run", "-Da.b=~/.m2", "~/bin", "a ~/b", "$&~/"], env, why: "" }] as const;
  expect(inFull({ ...nothing, gates, readOnly: ["~/.nvm"] }, "/home/$&")).toMatchObject({
    gates: [{ cmd: ["run", "-Da.b=/home/$&/.m2", "/home/$&/bin", "a ~/b", "$&~/"], env: { A: "/home/$&/.rustup", B: "x~/y", C: "~" } }],
    readOnly: ["~/.nvm"],
    notes: [expect.stringContaining("names folders below /home/$&; another user must change them")],
  });
  expect(inFull(nothing, "/home/ada").notes).toEqual([]);
});
