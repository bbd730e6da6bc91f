// Writes the cassette of `slipway demo composition`: `npm run record:demo-composition`.
import { writeCassette, type AuthoredCassette } from "../demo-author.ts";
import { catalogueScenes } from "./catalogue-scenes.ts";
import { fractionScenes } from "./fraction-scenes.ts";
import { unitScenes } from "./unit-scenes.ts";

export const COMPOSITION_CASSETTE: AuthoredCassette = {
  demo: "composition",
  answers: [...catalogueScenes(), ...fractionScenes(), ...unitScenes()],
};

if (import.meta.main) writeCassette(COMPOSITION_CASSETTE);
