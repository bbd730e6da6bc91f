import type { NamedProgram, Powers, Runs } from "@slipway/kernel/config/trust/powers";
import type { TrustEntry } from "@slipway/kernel/config/trust/store";
import { changedFiles, type ConfigurationTrust } from "@slipway/kernel/config/trust/trust";
import { allPowers } from "@slipway/runtime/powers";
import { oneLine } from "@slipway/protocols/narration/one-line";

const HEADINGS: Readonly<Record<Runs, string>> = {
  "outside the sandbox": "Started outside the sandbox, as you, with your files and your network:",
  "in the sandbox, with network": "Started in the sandbox, with network:",
  "in the sandbox": "Started in the sandbox, without your files and without network:",
};

/** What a person reads before they trust a configuration. */
export async function trustText(trust: ConfigurationTrust): Promise<string> {
  const powers = await allPowers(trust);
  const { programs, grants } = powers;
  const scripts = Object.keys(trust.subject.files).filter((path) => !path.startsWith("slipway/"));
  const last = await trust.last();
  return [
    `The configuration of ${trust.root} (${shortDigest(trust)}):`,
    ...(Object.keys(HEADINGS) as Runs[]).flatMap((runs) =>
      section(HEADINGS[runs], programs.filter((one) => one.runs === runs).map(programLine)),
    ),
    ...section(
      "It also says:",
      grants.map(({ text, file, field }) => `${oneLine(text)}  (${file}, ${field})`),
    ),
    ...section("Files of your checkout that are started, and count with their content:", scripts),
    ...(last === null ? [] : section(`Since you last trusted it (${last.at.slice(0, 10)}):`, difference(trust, powers, last))),
    "",
  ].join("\n");
}

/** One line for each power, by which two configurations are compared. */
export async function powerLines(trust: ConfigurationTrust): Promise<string[]> {
  return linesOf(await allPowers(trust));
}

export function shortDigest({ subject }: ConfigurationTrust): string {
  return subject.digest.slice(0, 12);
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", heading, ...lines.map((line) => `  ${line}`)];
}

function programLine({ command, file, fields }: NamedProgram): string {
  return `${commandText(command)}  (${file}, ${fields.join(", ")})`;
}

/** Words that are not plain are quoted, so that no text of a repository can look like another word, or begin a line. */
function commandText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

function linesOf({ programs, grants }: Powers): string[] {
  return [
    ...programs.map(({ command, runs, file }) => `${commandText(command)}, started ${runs} (${file})`),
    ...grants.map(({ text, file }) => `${oneLine(text)} (${file})`),
  ];
}

function difference(trust: ConfigurationTrust, powers: Powers, last: TrustEntry): string[] {
  const now = linesOf(powers);
  const lines = [
    ...now.filter((line) => !last.powers.includes(line)).map((line) => `new: ${line}`),
    ...last.powers.filter((line) => !now.includes(line)).map((line) => `gone: ${line}`),
  ];
  const files = changedFiles(trust.subject, last);
  return [
    ...lines,
    ...(files.length === 0 ? [] : [`changed: ${files.join(", ")}${lines.length === 0 ? " (nothing that is listed here)" : ""}`]),
  ];
}
