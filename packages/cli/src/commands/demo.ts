import { resolve } from "node:path";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import type { Demo } from "@slipway/protocols/demo/demo";
import { demoNamed } from "@slipway/protocols/demo/demos";
import { cassetteOf } from "@slipway/protocols/demo/files";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { jsonLine } from "@slipway/protocols/surface/escape";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { withOwnNode } from "../caller-path.ts";
import { howToCall } from "../demo/how-to-call.ts";
import { requestOf, requestText } from "../demo/request.ts";
import { runToEnd, type DemoSetup } from "../demo/run-to-end.ts";
import { commitAll, makeRepository } from "../demo/scratch.ts";
import { SlipwayError } from "../errors.ts";

/** Runs a protocol on a scratch repository. Agents' answers are recorded, a person's are bundled; the rest is real. */
export const run: RunCommand = async (args, outer) => {
  const started = performance.now();
  const json = args.flag("json");
  const say = (text: string) => (json ? undefined : outer.out(`${text}\n`));
  const { protocol, entry } = demoNamed(args.positionals[0]);
  const demo = await entry.load();
  const record = recordFolder(args, outer, entry.name, demo);
  const repository = await unpackDemo(demo, outer, args.text("keep"), say);
  const io: Io = { ...outer, env: withOwnNode(outer.env), cwd: repository, interactive: false };
  const request = await requestOf(demo.files.request, io);
  say(requestText(demo.files.request, request));

  const setup: DemoSetup = { demo, protocol, io, json, say, unsandboxedReason: await reasonWithoutSandbox(demo, say) };
  const first = await runToEnd(setup, request, { cassette: cassetteOf(demo.files), record });
  const again = [...(await runNext(setup)), ...(await runEdited(setup, args))];
  const closing = demo.close([first, ...again], {
    repository,
    request,
    elapsedMs: Math.round(performance.now() - started),
    env: outer.env,
    color: outer.color,
    howToCall: howToCall(outer),
  });
  outer.out(json ? jsonLine(closing.json) : closing.lines.join("\n"));
  return closing.done ? EXIT.done : EXIT.failed;
};

/** The scratch repository. */
async function unpackDemo({ files }: Demo, io: Io, keep: string | undefined, say: DemoSetup["say"]): Promise<string> {
  const { published } = files;
  if (published !== null) say(`Downloading ${published.name} ${published.version} (${published.license}) …`);
  const folder = await makeRepository(io, keep, files);
  if (published !== null) say("It has the exact bytes that the agents' answers were recorded on.");
  say(`A scratch repository is at ${folder}`);
  return folder;
}

async function reasonWithoutSandbox({ files }: Demo, say: DemoSetup["say"]): Promise<string | undefined> {
  if ((await probeSandbox()).available) return undefined;
  say("This machine offers no sandbox, so the demo's gates run without one. That is recorded. `slipway doctor` says how to get one.\n");
  return `no sandbox on this machine; the demo runs only ${files.gates}`;
}

/** The run of the demo's second request, if it has one. */
async function runNext(setup: DemoSetup): Promise<unknown[]> {
  const { demo, io, say } = setup;
  if (demo.next === undefined) return [];
  const request = await requestOf(demo.next.request, io);
  say(`\n${demo.next.say}\n\n${requestText(demo.next.request, request)}`);
  return [await runToEnd(setup, request, { cassette: cassetteOf(demo.files) })];
}

/** The run after the demo's edit, if it has one and the option asks for it. */
async function runEdited(setup: DemoSetup, args: Arguments): Promise<unknown[]> {
  const { demo, io, say } = setup;
  const { edit, files } = demo;
  if (edit === undefined || !args.flag(edit.option)) return [];
  say(`\n${await edit.apply(io.cwd)}\n`);
  await commitAll(io, edit.commitMessage);
  const request = await requestOf(files.request, io);
  return [await runToEnd(setup, request, { cassette: edit.cassette })];
}

function recordFolder(args: Arguments, { cwd }: Io, name: string, { writtenBy }: Demo): string | undefined {
  const folder = args.text("record");
  if (folder === undefined) return undefined;
  if (writtenBy === undefined) return resolve(cwd, folder);
  throw new SlipwayError("invalid_cli_args", `The answers of \`slipway demo ${name}\` are written by a program, not recorded.`, {
    suggested_next_actions: [`Write them again with \`${writtenBy}\`; see packages/protocols/demos/${name}/README.md.`],
  });
}
