/**
 * Makes git inert: no setting of a repository, a user or the environment may run a program,
 * reach the network or change bytes. Passed as GIT_CONFIG_* variables, which win over every configuration file.
 */
export const NEUTRAL_CONFIG: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.untrackedCache": "false",
  "core.attributesFile": "/dev/null",
  "core.sshCommand": "false",
  "core.askPass": "false",
  "core.editor": "false",
  "core.pager": "cat",
  // Do not quote names beyond ASCII; git still quotes controls, quotation marks and backslashes.
  "core.quotePath": "false",
  "core.alternateRefsCommand": "false",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "core.autocrlf": "false",
  "core.safecrlf": "false",
  "core.filesRefLockTimeout": "1000",
  // Objects and refs must be synced before success is reported; an index can be made again.
  "core.fsync": "committed,reference",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "submodule.recurse": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "protocol.allow": "never",
  // git checks ownership because another user's configuration could run programs. Here it cannot.
  "safe.directory": "*",
};

/** Configuration keys that name programs to run on files, with a value that runs none. */
const DRIVERS: readonly (readonly [pattern: RegExp, value: string])[] = [
  [/^filter\..+\.(?:clean|smudge|process)$/s, ""],
  [/^filter\..+\.required$/s, "false"],
  // `false` fails and so stops the command: there is no value that means "no driver".
  [/^diff\..+\.(?:command|textconv)$/s, "false"],
  [/^diff\.external$/, "false"],
  [/^merge\..+\.driver$/s, "false"],
];

export function silenceDrivers(keys: Iterable<string>): Record<string, string> {
  const silenced: Record<string, string> = {};
  for (const key of keys) {
    const driver = DRIVERS.find(([pattern]) => pattern.test(key));
    if (driver !== undefined) silenced[key] = driver[1];
  }
  return silenced;
}

/** The whole environment of a git process; of the caller's it has only the absolute folders of the PATH. */
export function neutralEnvironment(searchPath: string, config: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {
    PATH: searchPath,
    LC_ALL: "C",
    HOME: "/dev/null",
    XDG_CONFIG_HOME: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    // Overrides protocol.<name>.allow, which a repository could set.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_SSH_COMMAND: "false",
    GIT_AUTHOR_NAME: "Slipway",
    GIT_AUTHOR_EMAIL: "slipway@localhost",
    GIT_COMMITTER_NAME: "Slipway",
    GIT_COMMITTER_EMAIL: "slipway@localhost",
  };
  const entries = Object.entries(config);
  env["GIT_CONFIG_COUNT"] = String(entries.length);
  for (const [index, [key, value]] of entries.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
