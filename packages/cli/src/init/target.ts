/** The files of a fresh checkout: tracked ones, and those git would track. */
export interface InitTree {
  /** Every path, relative to the repository, with forward slashes. */
  readonly files: readonly string[];
  exists(path: string): boolean;
  read(path: string): string;
  isExecutable(path: string): boolean;
}

/** What the rules may know about the machine. `here` takes paths in the repository, `home` paths in the home folder. */
export interface InitMachine {
  /** Includes ignored files: this is the person's own checkout. */
  here(path: string): boolean;
  home(path: string): boolean;
  /** Path of a command by PATH, with links resolved; a command with a slash is looked up in the repository. */
  locate(command: string): readonly string[];
  readonly homeFolder: string;
}

/** One folder that may be a project. */
export interface InitTarget {
  /** "" is the root. */
  readonly folder: string;
  readonly tree: InitTree;
  readonly machine: InitMachine;
}

export function at(place: InitTarget, name: string): string {
  return place.folder === "" ? name : `${place.folder}/${name}`;
}

export function has(place: InitTarget, name: string): boolean {
  return place.tree.exists(at(place, name));
}

export function firstOf(place: InitTarget, names: readonly string[]): string | undefined {
  return names.find((name) => has(place, name));
}

/** The text of a file, or "" if there is none. */
export function textOf(place: InitTarget, name: string): string {
  return has(place, name) ? place.tree.read(at(place, name)) : "";
}

/** Paths below this folder, relative to it. */
export function below(place: InitTarget): readonly string[] {
  if (place.folder === "") return place.tree.files;
  const prefix = `${place.folder}/`;
  return place.tree.files.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
