import { stripVTControlCharacters } from "node:util";
import type { ErrorCode } from "@slipway/durable/errors";

/** The likely cause of a gate's failure on the base, and the next action. */
export interface FailureCause {
  readonly cause: string;
  readonly next: string;
}

/** Facts about a failed step. */
export interface Symptoms {
  readonly code: ErrorCode;
  readonly message: string;
  readonly exitCode: number | null;
  /** The end of its log. */
  readonly log: string;
  readonly network: boolean;
  /** Ignored folders of the checkout with installed packages, which gates do not see. */
  readonly hidden: readonly string[];
  readonly submodules: readonly string[];
  /** The interpreter or program that was started, for people. */
  readonly program: string | null;
  /** Versions that the project requires but does not get. */
  readonly notes: readonly string[];
}

interface Rule {
  readonly when: (symptoms: Symptoms) => unknown;
  readonly says: (symptoms: Symptoms, found: string | undefined) => FailureCause;
}

const POLICY = "slipway/policy.yaml";
const GATES = "slipway/gates.yaml";

const inLog =
  (pattern: RegExp) =>
  ({ log }: Symptoms) =>
    pattern.exec(log);
const isCode =
  (...codes: readonly ErrorCode[]) =>
  ({ code }: Symptoms) =>
    codes.includes(code);

const NETWORK =
  /ECONNREFUSED|EAI_AGAIN|ENETUNREACH|ENOTFOUND|Network is unreachable|[Cc]onnection refused|Could not resolve host|name resolution|Name or service not known|no such host|dial tcp/;
const OTHER_VERSION =
  /bad option: |Unknown file extension "\.ts"|ERR_UNKNOWN_FILE_EXTENSION|ERR_REQUIRE_ESM|The engine "node" is incompatible|EBADENGINE|requires a different Python|[Rr]equires [Nn]ode|Unsupported engine|requires-python|SyntaxError: (?:Unexpected|invalid|Invalid|missing)/;

/** The formats of Node, Python and dash, and of bash and most other programs. */
const MISSING_FILE =
  /((?<=(?:ENOENT: no such file or directory, \w+ |No such file or directory: |cannot open (?!shared)|can't open file )['"]?)[^'":\n]+|(?<![^\s:'"])[^\s:'"]+(?<!bad interpreter|shared object file)(?=: No such file or directory))/;

/** The first match is reported. Ordered from certain to likely. */
const RULES: readonly Rule[] = [
  {
    when: ({ code, message }) => code === "gate_command_missing" && message.includes("does not show"),
    says: ({ message }) => ({
      cause: `The program is installed in a folder that the sandbox does not show. ${message}`,
      next: `Add its folder to sandbox.read_only in ${POLICY}, if it holds no keys.`,
    }),
  },
  {
    when: isCode("gate_command_missing"),
    says: ({ message }) => ({
      cause: `A program is missing. ${message}`,
      next: `Install it, start Slipway with its folder on your PATH, or correct cmd in ${GATES}.`,
    }),
  },
  {
    when: isCode("gate_timeout"),
    says: () => ({
      cause: "The step did not finish in time. It may wait for input, or for the network.",
      next: `Raise timeout_seconds of the step in ${GATES}, or set network: true if it needs the network.`,
    }),
  },
  {
    when: isCode("sandbox_limit_exceeded"),
    says: ({ message }) => ({ cause: message, next: "Make the step do less in parallel, for example with fewer workers." }),
  },
  {
    when: isCode("sandbox_unavailable"),
    says: ({ message }) => ({ cause: message, next: "Run `slipway doctor` to see how to enable a sandbox." }),
  },
  {
    when: ({ log, submodules }) => submodules.some((path) => log.includes(path)),
    says: ({ submodules }) => ({
      cause: `The folder of a git submodule (${submodules.join(", ")}) is empty in a fresh checkout.`,
      next: `Add it to sandbox.shared_paths in ${POLICY}; gates then see the one in your checkout, read-only.`,
    }),
  },
  {
    when: inLog(/(?:Cannot find (?:module|package)|Could not resolve|Can't resolve) ['"](?![./])([^'"]+)['"]/),
    says: ({ hidden }, found) =>
      notInstalled(`The package ${found} is not found.`, hidden, "node_modules", "Install the packages in your checkout"),
  },
  {
    when: inLog(/(?:ModuleNotFoundError: No module named|ImportError: No module named) ['"]?([\w.]+)/),
    says: ({ hidden, program }, found) =>
      notInstalled(
        `${program ?? "Python"} does not find the module ${found}.`,
        hidden,
        "venv",
        `Install it for that interpreter, or name another one in cmd; for code below src set env: { PYTHONPATH: src } in ${GATES}`,
      ),
  },
  {
    when: inLog(/Cannot find module ['"]([./][^'"]+)['"]/),
    says: (_, found) => untracked(`${found} does not exist in a fresh checkout.`),
  },
  {
    when: ({ log, network }) => !network && NETWORK.exec(log),
    says: () => ({
      cause: "The step needs the network, but a gate has none, not even to local ports.",
      next: `Set network: true on the step in ${GATES}, or start the service inside the step.`,
    }),
  },
  {
    when: ({ log, notes }) => notes.length > 0 && (OTHER_VERSION.test(log) || log === ""),
    says: ({ notes }) => ({ cause: notes.join(" "), next: "Install that version, or start Slipway with it on your PATH." }),
  },
  {
    when: inLog(OTHER_VERSION),
    says: ({ program }) => ({
      cause: `The code may need another version than the one that was started (${program ?? "see the log"}).`,
      next: "Start Slipway with the right version on your PATH, or name it in .nvmrc, .node-version, .python-version or .tool-versions.",
    }),
  },
  {
    when: inLog(/EROFS|Read-only file system/),
    says: () => ({
      cause: "The step writes outside its worktree, or into a folder that is shared read-only.",
      next: "Let it write below the worktree, to /tmp or to HOME.",
    }),
  },
  {
    when: inLog(/not a git repository|fatal: .*\.git\b/),
    says: () => ({ cause: "The step uses git, but .git is hidden from gates.", next: "Change the step so that it does not need git." }),
  },
  {
    // A shell also exits with 127 if a script does not exist.
    when: ({ exitCode, log }) => exitCode === 127 && (/(\S+): (?:command )?not found/.exec(log) ?? !MISSING_FILE.test(log)),
    says: (_, found) =>
      found?.startsWith("./") === true
        ? untracked(`${found} does not exist in a fresh checkout.`)
        : {
            cause: `${found === undefined ? "A program" : `The program ${found}`} is not found inside the sandbox.`,
            next: `Install it, put it on your PATH, or show its folder with sandbox.read_only in ${POLICY}.`,
          },
  },
  {
    when: ({ exitCode, log }) => exitCode === 126 || /EACCES|[Pp]ermission denied/.exec(log),
    says: () => ({
      cause: "A file cannot be read, written or executed.",
      next: "Check that scripts are committed as executable (`git update-index --chmod=+x FILE`), and that nothing is written outside the worktree.",
    }),
  },
  {
    when: inLog(MISSING_FILE),
    says: (_, found) => untracked(`${found} does not exist in a fresh checkout.`),
  },
  {
    when: ({ message }) => /report|no step wrote/i.test(message),
    says: ({ message }) => ({
      cause: message,
      next: `Check parsers in ${GATES}: their paths must name the files that the steps write, and the folder must exist in a fresh checkout.`,
    }),
  },
  {
    when: isCode(
      "config_invalid",
      "unsupported_parser",
      "unknown_gate_profile_or_mode",
      "invalid_override_precedence",
      "input_path_not_found",
    ),
    says: ({ message }) => ({ cause: message, next: `Correct ${GATES} or ${POLICY}, and commit it.` }),
  },
];

const NONE: FailureCause = {
  cause: "The base itself does not pass, without any change by an agent.",
  next: "Run the command in a fresh clone (`slipway gates` does the same) and fix it. Or continue, if the specification is about this failure.",
};

export function likelyCause(symptoms: Symptoms): FailureCause {
  const read = { ...symptoms, log: stripVTControlCharacters(symptoms.log) };
  for (const { when, says } of RULES) {
    const found = when(read);
    if (found !== false && found !== null && found !== undefined)
      return says(read, Array.isArray(found) ? (found[1] as string | undefined) : undefined);
  }
  return NONE;
}

function notInstalled(cause: string, hidden: readonly string[], kind: string, otherwise: string): FailureCause {
  const folders = hidden.filter((path) => path.endsWith(kind));
  if (folders.length === 0) return { cause, next: `${otherwise}.` };
  return {
    cause: `${cause} Your checkout has ${folders.join(", ")}, which gates do not see.`,
    next: `Add ${folders.join(", ")} to sandbox.shared_paths in ${POLICY}.`,
  };
}

function untracked(cause: string): FailureCause {
  return { cause, next: `Commit it, let a step create it, or share its folder with sandbox.shared_paths in ${POLICY}.` };
}
