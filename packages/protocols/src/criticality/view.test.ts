import { afterEach, expect, test } from "vitest";
import type { Reader } from "../surface/surface.ts";
import type { OpenedSession } from "./open-session.ts";
import { openStateScene, RUN_ID, WAY, type StateScene } from "./testing/state-scene.ts";
import { viewCriticality } from "./view.ts";
import { NO_WORK, type Work } from "./work.ts";

let scene: StateScene;
afterEach(() => scene.close());

async function nodesAfter(work: (session: OpenedSession) => Promise<void>) {
  scene = await openStateScene(work);
  await scene.drive();
  return viewCriticality({ records: scene.records } as unknown as Reader, RUN_ID);
}

const target = (name: string) => ({ id: `src/a.ts#${name}`, path: "src/a.ts", name, signature: "", contract: { clauses: [] }, calls: [] });
const WORK: Work = {
  ...NO_WORK,
  lattice: { tree: {}, functions: [target("f"), target("g")], witnesses: [] },
  progress: { tree: {}, bodies: { "src/a.ts#f": "" }, records: [], visit: 1 },
};

test("phases before the current one are done, those after it pending; functions are below Injection", async () => {
  const nodes = await nodesAfter(async (session) => {
    session.show(WORK);
    for (const facts of [...WAY.lattice, ...WAY.compositionAudit, ...WAY.injection]) await session.keeper.advance(facts);
  });
  expect(nodes.filter(({ kind }) => kind === "phase").map(({ id, status }) => `${id} ${status}`)).toEqual([
    "phase:ignition done",
    "phase:lattice done",
    "phase:compositionAudit done",
    "phase:injection active",
    "phase:mesoscopic pending",
    "phase:massDefect pending",
  ]);
  expect(nodes.find(({ id }) => id === "phase:injection")?.now).toBe("selectingFunction: 1 of 2 functions");
  expect(nodes.filter(({ kind }) => kind === "function").map(({ title, status, parent }) => [title, status, parent])).toEqual([
    ["a.f", "accepted", "phase:injection"],
    ["a.g", "hole", "phase:injection"],
  ]);
});

test("a blocked phase says why, and how to answer", async () => {
  const nodes = await nodesAfter(async (session) => {
    for (const facts of WAY.lattice) await session.keeper.advance(facts);
    await session.keeper.advance({ block: { type: "user_requested", message: "wait" }, blocks: 0 });
  });
  expect(nodes.find(({ id }) => id === "phase:lattice")).toMatchObject({
    status: "blocked",
    reason: "user_requested",
    links: [{ what: "question", to: "slipway criticality resolve" }],
  });
});

test("a run that has recorded nothing yet has no phases", async () => {
  scene = await openStateScene(async () => null);
  const reader = { records: scene.records, engine: { runs: async () => [] } } as unknown as Reader;
  expect(await viewCriticality(reader, "another")).toEqual([]);
});
