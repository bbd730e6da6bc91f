/** The files a fresh checkout will have: what git tracks, and what it would track if it were added. */
export interface FileTree {
  /** Every path, relative to the repository, with forward slashes. */
  readonly files: readonly string[];
  exists(path: string): boolean;
  read(path: string): string;
  isExecutable(path: string): boolean;
}

/** What the rules may know about the machine. Paths of `here` are relative to the repository, of `home` to the home folder. */
export interface Machine {
  /** Ignored files too: this is the person's own checkout. */
  here(path: string): boolean;
  home(path: string): boolean;
  /** Where a command is, as PATH finds it and with links resolved; a command with a slash is looked up in the repository. */
  locate(command: string): readonly string[];
  readonly homeFolder: string;
}

/** One folder that may be a project. */
export interface Place {
  /** "" is the root. */
  readonly folder: string;
  readonly tree: FileTree;
  readonly machine: Machine;
}

export function at(place: Place, name: string): string {
  return place.folder === "" ? name : `${place.folder}/${name}`;
}

export function has(place: Place, name: string): boolean {
  return place.tree.exists(at(place, name));
}

export function firstOf(place: Place, names: readonly string[]): string | undefined {
  return names.find((name) => has(place, name));
}

/** The text of a file here, or "" when there is none. */
export function textOf(place: Place, name: string): string {
  return has(place, name) ? place.tree.read(at(place, name)) : "";
}

/** Paths below this place, relative to it. */
export function below(place: Place): readonly string[] {
  if (place.folder === "") return place.tree.files;
  const prefix = `${place.folder}/`;
  return place.tree.files.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
