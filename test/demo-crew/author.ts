// Writes the cassette of `slipway demo crew`: `npm run record:demo-crew`.
import { writeCassette, type AuthoredCassette } from "../demo-author.ts";
import { bookmarkScenes } from "./bookmark-scenes.ts";

export const CREW_CASSETTE: AuthoredCassette = { demo: "crew", answers: bookmarkScenes() };

if (import.meta.main) writeCassette(CREW_CASSETTE);
