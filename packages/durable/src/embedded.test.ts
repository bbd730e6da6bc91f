import { durableConformance } from "./testing/conformance.ts";
import { openPlace, type Process } from "./testing/process.ts";
import type { Engine } from "./engine.ts";

durableConformance("embedded (SQLite)", async () => {
  const place = openPlace();
  const processes = new Map<Engine, Process>();
  return {
    async open(workflows, observe = () => undefined) {
      const process = await place.open({ workflows, kernel: undefined, observe });
      processes.set(process.engine, process);
      return process.engine;
    },
    crash: (engine) => Promise.resolve(processes.get(engine)?.crash()),
    openQuestions: () =>
      Promise.resolve([...place.inbox.questions.values()].filter((question) => question.closed === null).map((question) => question.id)),
    dispose: () => place.dispose(),
  };
});
