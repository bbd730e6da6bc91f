import { expect, test } from "vitest";
import { toolchainFolders } from "./toolchains.ts";

test.each<[program: string, folders: string[]]>([
  ["/usr/bin/npm", []],
  ["/usr/local/bin/node", []],
  ["/bin/sh", []],
  ["/home/ada/.nvm/versions/node/v24/bin/npm", ["~/.nvm"]],
  ["/home/ada/.pyenv/shims/python3", ["~/.pyenv"]],
  ["/home/ada/.sdkman/candidates/maven/current/bin/mvn", ["~/.sdkman/candidates"]],
  ["/home/ada/tools/go/bin/go", ["~/tools/go"]],
  ["/home/ada/bin/run-tests", ["~/bin"]],
  ["/home/ada/.local/bin/ruff", ["~/.local/bin"]],
  ["/home/ada/run-tests", []],
  ["/home/run-tests", []],
  ["/run-tests", []],
  ["/bin/run-tests", []],
  ["/home/bin/run-tests", ["/home/bin"]],
  ["/opt/maven/bin/mvn", ["/opt/maven"]],
  ["/opt/tools/mvn", ["/opt/tools"]],
  ["/home/adalbert/go/bin/go", ["/home/adalbert/go"]],
])("%s needs %j", (program, folders) => expect(toolchainFolders([program], "/home/ada")).toEqual(folders));
