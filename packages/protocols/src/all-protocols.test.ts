import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { describe, expect, test } from "vitest";
import { loadProtocols, migrateProtocols, narrateWith, protocolServers, protocolTools } from "./all-protocols.ts";
import { event } from "./narration/testing/event.ts";
import { PROTOCOLS } from "./protocols.ts";

const protocols = await loadProtocols();

test("the tables of every protocol are made in a new project, and stay with their rows when they are brought up to date again", async () => {
  const scratch = await openScratchKernel();
  const { database } = scratch.records;
  const tables = async () => (await database.db.introspection.getTables()).map(({ name }) => name);
  await migrateProtocols(database);
  const first = await tables();
  await migrateProtocols(database);
  expect(await tables()).toEqual(first);
  for (const name of ["forge_runs", "criticality_runs", "code_index_entries"]) expect(first).toContain(name);
  await scratch.close();
});

test("no two tools that a client sees at once have one name: a role's permission would be another's", async () => {
  const groups = [await protocolTools(), ...(await protocolServers()).map(({ tools }) => tools)].map((tools) =>
    tools.map(({ name }) => name),
  );
  expect(groups.flat().length).toBeGreaterThan(0);
  for (const names of groups) expect(new Set(names).size, names.join()).toBe(names.length);
});

describe("what is told of an event", () => {
  const merged = event({
    stream: "r1/feature:letters",
    kind: "step",
    name: "crew-state:3:DONE",
    payload: { value: { problem: null, why: "merged" } },
  });

  test("is told by the protocol of its run", () => {
    expect(narrateWith(protocols, new Map([["r1", "crew"]]))(merged)?.text).toBe("DONE: merged");
  });

  test("is not told in the words of another protocol", () => {
    // A run of `features` may have changes that crew makes.
    const others = PROTOCOLS.filter(({ name }) => name !== "crew" && name !== "features").flatMap(({ started }) => started);
    for (const workflow of others)
      expect(narrateWith(protocols, new Map([["r1", workflow]]))(merged)?.text, workflow).not.toBe("DONE: merged");
  });

  test("is one line for a repair of the worktree, whatever the run", () => {
    const done = ["removed a lock", "a file\nput back"];
    const repair = event({
      stream: "repository",
      kind: "operation",
      name: "feature.repair",
      payload: { event: { feature_id: "letters", done } },
    });
    expect(narrateWith(protocols)(repair)).toEqual({ feature: "letters", text: "repaired: removed a lock; a file put back", good: null });
  });
});
