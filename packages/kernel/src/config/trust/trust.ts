import { SlipwayError } from "../../schema/errors.ts";
import type { Configuration } from "../load.ts";
import { readerOf, type ConfigurationFiles } from "./configuration-files.ts";
import { powersOf, type Powers } from "./powers.ts";
import { trustStore, type TrustEntry } from "./store.ts";
import { trustSubject, type TrustSubject } from "./subject.ts";
import type { ReadFile } from "../../host/files/read-file.ts";

/** A configuration, and whether a person has trusted it in this repository. */
export interface ConfigurationTrust {
  readonly root: string;
  readonly subject: TrustSubject;
  /** What the kernel's own files may start and give away. */
  readonly powers: Powers;
  /** Reads the files of the subject, for protocols with files of their own. */
  readonly read: ReadFile;
  trusted(): Promise<boolean>;
  /** The configuration that was trusted last; null if none was. */
  last(): Promise<TrustEntry | null>;
  /** `powers` are lines for the next comparison. */
  keep(by: string, powers: readonly string[], at?: Date): Promise<void>;
  /** False if nothing was trusted. */
  forget(): Promise<boolean>;
}

/** Asks a person whether to trust the configuration, and keeps the answer. False if they do not. */
export type AskTrust = (asked: ConfigurationTrust) => Promise<boolean>;

interface TrustPlace {
  readonly root: string;
  readonly commonDir: string;
  readonly configHome: string;
}

export function configurationTrust(
  place: TrustPlace,
  files: ConfigurationFiles,
  configuration: Pick<Configuration, "policy" | "gates" | "agents">,
): ConfigurationTrust {
  const store = trustStore(place);
  const subject = trustSubject(files, configuration.agents, place.root);
  return {
    root: place.root,
    subject,
    powers: powersOf(configuration),
    read: readerOf(files),
    trusted: async () => (await store.read()).some(({ digest }) => digest === subject.digest),
    last: async () => (await store.read()).at(-1) ?? null,
    keep: (by, powers, at = new Date()) => store.add({ ...subject, powers: [...powers], by, at: at.toISOString() }),
    forget: () => store.remove(),
  };
}

/** The one condition for starting anything that the configuration of a repository names. */
export async function requireTrust(trust: ConfigurationTrust, ask?: AskTrust): Promise<void> {
  if (await trust.trusted()) return;
  if (ask !== undefined && (await ask(trust))) return;
  throw notTrusted(trust, await trust.last());
}

function notTrusted({ root, subject, powers }: ConfigurationTrust, last: TrustEntry | null): SlipwayError {
  const outside = powers.programs.filter(({ runs }) => runs === "outside the sandbox").length;
  const names = `starts programs (${powers.programs.length}${outside === 0 ? "" : `, ${outside} of them outside the sandbox`})`;
  const message =
    last === null
      ? `The configuration of ${root} ${names}, and you have not trusted it.`
      : `The configuration of ${root} ${names}, and has changed since you trusted it on ${last.at.slice(0, 10)}: ${changedFiles(subject, last).join(", ")}.`;
  return new SlipwayError("configuration_not_trusted", message, {
    file: root,
    suggested_next_actions: [
      "Run `slipway trust` on a terminal: it shows the programs and what has changed, and asks.",
      "In a script: `slipway trust --yes`, if you know the configuration.",
    ],
  });
}

/** The files whose bytes are not those that were trusted last. */
export function changedFiles({ files }: TrustSubject, last: TrustEntry): string[] {
  const paths = [...new Set([...Object.keys(files), ...Object.keys(last.files)])].toSorted();
  return paths.filter((path) => files[path] !== last.files[path]);
}
