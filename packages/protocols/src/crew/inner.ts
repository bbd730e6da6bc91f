import { SlipwayError } from "@slipway/agents/errors";
import type { InnerProtocol } from "../change/feature-run.ts";
import type { CrewInput } from "./crew-run.ts";
import { crewDispatch } from "./dispatch/dispatch.ts";
import { CREW_NARRATION } from "./narrate.ts";
import { typeOf } from "./prepare.ts";
import { crewChange } from "./protocol.ts";
import { sessionNameSchema } from "./session/session-name.ts";
import { viewCrew } from "./view.ts";

/** One specification of a run of `features`, in full mode. Its name becomes that of the session. */
export const crewInner: InnerProtocol = {
  workflow: crewChange,
  parts: [crewDispatch],
  narration: CREW_NARRATION,
  async prepare({ kernel }, { id, path }) {
    if (!sessionNameSchema.safeParse(`2026-01-01_${id}`).success) {
      throw new SlipwayError(
        "spec_ingest_failed",
        `${path}: the name ${JSON.stringify(id)} has not two to four words, as a session of crew needs.`,
        {
          file: path,
          suggested_next_actions: ["Rename the file, for example to format-dates.md."],
        },
      );
    }
    const { type } = await typeOf(kernel, undefined);
    return { mode: "full", project_type: type } satisfies CrewInput;
  },
  view: viewCrew,
};
