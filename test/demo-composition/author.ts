// Writes the cassette of `slipway demo composition`: `npm run record:demo-composition`.
import { join } from "node:path";
import { writeCassette } from "../demo-author.ts";
import { catalogueScenes } from "./catalogue-scenes.ts";
import { fractionScenes } from "./fraction-scenes.ts";

writeCassette(join(import.meta.dirname, "../../packages/protocols/demos/composition/cassette"), {
  description: "The answers of the composition demo's roles, written by test/demo-composition/author.ts.",
  answers: [...catalogueScenes(), ...fractionScenes()],
});
