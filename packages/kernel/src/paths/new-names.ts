import { hiddenCharacter } from "./hidden-characters.ts";

/** Names of devices on Windows, with any ending: `aux.ts` is one. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\..*)?$/i;

/**
 * Why no new file should have this path, or null: some file system has no such name, opens another file by it, or it looks like another
 * name. Files that exist keep their names.
 */
export function newNameProblem(path: string): string | null {
  for (const name of path.split("/")) {
    if (/[\s.]$/u.test(name)) return "has a name that ends with a dot or a blank, which Windows drops";
    if (name.includes(":")) return "has a name with a colon, after which Windows reads the name of a stream";
    // oxlint-disable-next-line no-control-regex
    if (/[<>"|?*]/.test(name)) return "has a name with a character that Windows does not allow";
    if (DEVICE.test(name)) return "has the name of a device on Windows";
    const hidden = hiddenCharacter(name);
    if (hidden !== null) return `has a name with ${hidden.code}, which ${hidden.effect}`;
    if (name.includes("\u2800")) return "has a name with U+2800, which looks like a blank";
  }
  return null;
}
