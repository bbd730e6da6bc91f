import { type InnerProtocol } from "../change/feature-run.ts";
import { forgeDispatch } from "./dispatch/dispatch.ts";
import type { ForgeInput } from "./forge-run.ts";
import { FORGE_NARRATION } from "./narrate.ts";
import { forgeChange } from "./protocol.ts";
import { viewForge } from "./view.ts";

export const forgeInner: InnerProtocol = {
  workflow: forgeChange,
  parts: [forgeDispatch],
  narration: FORGE_NARRATION,
  prepare: async () => ({ mode: "autonomous" }) satisfies ForgeInput,
  view: viewForge,
};
