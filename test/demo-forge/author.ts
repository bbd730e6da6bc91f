// Writes the cassette of `slipway demo forge`: `npm run record:demo-forge`.
import { writeCassette, type AuthoredCassette } from "../demo-author.ts";
import { importScenes } from "./import-scenes.ts";
import { listScenes } from "./list-scenes.ts";

export const FORGE_CASSETTE: AuthoredCassette = { demo: "forge", answers: [...listScenes(), ...importScenes()] };

if (import.meta.main) writeCassette(FORGE_CASSETTE);
