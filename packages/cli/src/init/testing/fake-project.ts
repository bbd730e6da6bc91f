import type { InitTree, InitMachine } from "../target.ts";

/** A checkout in memory. A file that is executable is written with a trailing `*` in its name. */
export function fakeTree(files: Readonly<Record<string, string>>): InitTree {
  const contents = new Map(Object.entries(files).map(([path, text]) => [path.replace(/\*$/, ""), text]));
  return {
    files: [...contents.keys()].toSorted(),
    exists: (path) => contents.has(path),
    read: (path) => {
      const text = contents.get(path);
      if (text === undefined) throw new Error(`the rules read ${path}, which does not exist`);
      return text;
    },
    isExecutable: (path) => `${path}*` in files,
  };
}

export interface FakeMachine {
  readonly here?: readonly string[];
  readonly home?: readonly string[];
  readonly programs?: Readonly<Record<string, readonly string[]>>;
}

export function fakeMachine({ here = [], home = [], programs = {} }: FakeMachine = {}): InitMachine {
  return {
    homeFolder: "/home/ada",
    here: (path) => here.includes(path),
    home: (path) => home.includes(path),
    locate: (command) => programs[command] ?? [],
  };
}
