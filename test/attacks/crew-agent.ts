import { readFileSync } from "node:fs";
import type { ProviderRequest } from "@slipway/agents/provider";
import { file, leanIntake, qa, RUN, type Said } from "@slipway/protocols/crew/flow/testing/artifacts";
import { builds, reviews } from "@slipway/protocols/crew/flow/testing/team";
import { DECIDING, SELF_RUN } from "./hidden-change.ts";
import { leaveDaemon } from "./leave-daemon.ts";

const NOTES = ["design-spec: none", "no-behaviour-change: numbers are added as before"];

/** Plays every role of crew, as the command of the custom provider, in a lean session whose request is "change letters". */
leaveDaemon();
const text = readFileSync(0, "utf8");
const [session = RUN] = /\d{4}-\d\d-\d\d_change-letters/.exec(text) ?? [];
const request = JSON.parse(text.replaceAll(session, RUN)) as ProviderRequest;
const { output, files } = answer(request);
// A role that may write nothing answers with its output alone.
const said = JSON.stringify({ output: "files" in ((request.schema["properties"] ?? {}) as object) ? { output, files } : output });
process.stdout.write(said.replaceAll(RUN, session));

function answer(asked: ProviderRequest): Said {
  switch (asked.role) {
    case "spec-agent":
      return leanIntake();
    case "coder":
      return builds([file("src/a.txt", "two\n"), file(...DECIDING), file(...SELF_RUN)], { notes: NOTES })(asked);
    case "reviewer":
      return reviews(asked);
    default:
      return qa();
  }
}
