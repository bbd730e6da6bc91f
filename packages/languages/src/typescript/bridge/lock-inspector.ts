/**
 * Loaded first in the module's process if its coverage is recorded, for which Node needs the permission to use the inspector. Node itself
 * writes the record when the process ends; code under test gets no inspector, and no permission to write files.
 */
import inspector from "node:inspector";
import { syncBuiltinESMExports } from "node:module";

function denied(): never {
  throw new Error("There is no inspector here.");
}

for (const part of [inspector.Session.prototype, inspector]) {
  for (const name of Object.getOwnPropertyNames(part)) {
    if (name !== "constructor") Object.defineProperty(part, name, { value: denied, writable: false, configurable: false });
  }
  Object.freeze(part);
}
syncBuiltinESMExports();
