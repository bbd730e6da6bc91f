import type { ClientName } from "@slipway/agents/clients/client";
import type { Behaviour } from "@slipway/agents/testing/provider-suite-cases";
import { byTurn, promptOf, type Script, type ScriptedAnswer, type ScriptedCall } from "@slipway/agents/testing/model-server/script";

/** The name of the model, and how it uses the client's own tools. */
export interface Habits {
  readonly model: string;
  readonly read: (path: string) => ScriptedCall;
  /** Some clients require reading a file before writing it. */
  readonly write: (path: string, content: string, before: string | null) => readonly ScriptedCall[];
  /** Leaves a child process running, if the client can start one. */
  readonly linger: ScriptedCall | null;
}

export const HABITS: Readonly<Record<ClientName, Habits>> = {
  claude: {
    model: "claude-sonnet-4-6",
    read: (file_path) => ({ name: "Read", input: { file_path } }),
    write: (file_path, content, before) => [
      ...(before === null ? [] : [{ name: "Read", input: { file_path } }]),
      { name: "Write", input: { file_path, content } },
    ],
    linger: null,
  },
  codex: {
    model: "gpt-5.5",
    read: (path) => ({ name: "exec_command", input: { cmd: `cat ${path}` } }),
    write: (path, content, before) => [{ name: "apply_patch", input: applyPatch(path, content, before) }],
    linger: { name: "exec_command", input: { cmd: "sleep 600", yield_time_ms: 250 } },
  },
  gemini: {
    model: "gemini-3-flash",
    read: (file_path) => ({ name: "read_file", input: { file_path } }),
    write: (file_path, content) => [{ name: "write_file", input: { file_path, content } }],
    linger: null,
  },
  opencode: {
    model: "scripted/scripted",
    read: (filePath) => ({ name: "read", input: { filePath } }),
    write: (filePath, content, before) => [
      ...(before === null ? [] : [{ name: "read", input: { filePath } }]),
      { name: "write", input: { filePath, content } },
    ],
    linger: null,
  },
};

function applyPatch(path: string, content: string, before: string | null): string {
  const change = before === null ? [`*** Add File: ${path}`] : [`*** Update File: ${path}`, "@@", ...marked(before, "-")];
  return ["*** Begin Patch", ...change, ...marked(content, "+"), "*** End Patch", ""].join("\n");
}

function marked(text: string, mark: string): string[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`);
}

/** One call per turn, then the answer. */
export function inTurns(calls: readonly ScriptedCall[], answer: ScriptedAnswer): Script {
  const [first = answer, ...rest] = [...calls.map((call): ScriptedAnswer => ({ toolCalls: [call] })), answer];
  return byTurn(first, ...rest);
}

const answered = (text: string): ScriptedAnswer => ({ output: JSON.parse(text) as unknown });

/** The model behind the client, with the behaviour of the case. Effects that only a process can have are applied to the process. */
export function scriptFor({ read, write, linger }: Habits, behaviour: Behaviour, before: string): Script {
  switch (behaviour.does) {
    // By request and not by turn: a client may retry by itself before it gives up.
    case "answer":
      return (request) => answered((promptOf(request).includes("# Repair") ? behaviour.answers.at(-1) : behaviour.answers[0]) ?? "null");
    case "refuse":
      return () => ({ refusal: "I cannot help with that." });
    case "read":
      return inTurns([read(behaviour.path)], answered(behaviour.answer));
    case "write":
      return inTurns(write(behaviour.path, behaviour.content, before), answered(behaviour.answer));
    case "hang with a child":
      return linger === null ? () => ({ hang: true }) : inTurns([linger], { hang: true });
    case "rate limit":
      return () => ({
        failure: "rate_limit",
        ...(behaviour.retryAfterSeconds === null ? {} : { retryAfterSeconds: behaviour.retryAfterSeconds }),
      });
    case "out of quota":
      return () => ({ failure: "quota" });
    case "break off":
      return () => ({ text: "An answer that never comes to its end. ".repeat(100), truncate: 1_500 });
    case "answer and be killed":
      return () => answered(behaviour.answer);
    case "exit 0 silently":
      return () => answered('{"verdict":"yes","reason":"Nobody hears it."}');
    case "flood":
      return () => ({ text: "x".repeat(400_000) });
    default:
      return () => ({ hang: true });
  }
}
