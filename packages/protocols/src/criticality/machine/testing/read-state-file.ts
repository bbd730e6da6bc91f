import { stateFileSchema, type StateFile } from "../state-file.ts";

/** The contents of a state.json that fits its schema. */
export function readStateFile(text: string): StateFile {
  return stateFileSchema.parse(JSON.parse(text));
}
