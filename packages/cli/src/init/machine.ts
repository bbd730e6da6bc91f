import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findOnPath, isExecutable } from "@slipway/kernel/host/sandbox/host";
import type { Io } from "@slipway/protocols/surface/io";
import type { InitMachine } from "./target.ts";

export function machineOf(io: Io, root: string): InitMachine {
  const homeFolder = io.env["HOME"] ?? homedir();
  const program = (command: string) => {
    if (!command.includes("/")) return findOnPath(command, io.env["PATH"] ?? "");
    return isExecutable(join(root, command)) ? join(root, command) : null;
  };
  return {
    homeFolder,
    here: (path) => existsSync(join(root, path)),
    home: (path) => existsSync(join(homeFolder, path)),
    locate: (command) => {
      const found = program(command);
      return found === null ? [] : [...new Set([found, realpathSync(found)])].filter((path) => !path.startsWith(`${root}/`));
    },
  };
}
