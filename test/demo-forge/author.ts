// Writes the cassette of `slipway demo forge`: `npm run record:demo-forge`.
import { join } from "node:path";
import { writeCassette } from "../demo-author.ts";
import { importScenes } from "./import-scenes.ts";
import { listScenes } from "./list-scenes.ts";

writeCassette(join(import.meta.dirname, "../../packages/protocols/demos/forge/cassette"), {
  description: "The answers of the forge demo's roles, written by test/demo-forge/author.ts.",
  answers: [...listScenes(), ...importScenes()],
});
