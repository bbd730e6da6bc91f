import { readFileSync } from "node:fs";
import type { ProviderRequest } from "@slipway/agents/provider";
import { completion, implementation, taskOf, usualAnswer } from "@slipway/protocols/forge/testing/answers";
import { DECIDING, SELF_RUN } from "./hidden-change.ts";
import { leaveDaemon } from "./leave-daemon.ts";

const FILES = Object.fromEntries([DECIDING, SELF_RUN]);

/** Plays every role of forge, as the command of the custom provider. */
leaveDaemon();
const request = JSON.parse(readFileSync(0, "utf8")) as ProviderRequest;
process.stdout.write(JSON.stringify({ output: answer() }));

function answer(): unknown {
  if (request.role === "implementer") return implementation(FILES);
  if (request.role !== "planner") return usualAnswer(request, [{ number: 1 }]);
  const task = taskOf({ number: 1 });
  const files_to_modify = Object.keys(FILES).map((path) => ({ path, risk: "🟢", operation: path === SELF_RUN[0] ? "create" : "modify" }));
  const tasks = [{ ...task, relevant_context: { ...task.relevant_context, files_to_modify } }];
  const payload = { summary: "One part.", tasks, waves: [[task.id]], overall_risk_summary: "🟢" };
  return { completion: completion({ risk_level: "🟢" }), payload };
}
