import { describe, expect, test } from "vitest";
import { letters } from "../testing/project.ts";

const SPEC = "# Letters\n\nThe first letter file says two.\n";

describe("a run whose specifications name protocols", () => {
  test("refuses a protocol that cannot make one change, naming file and field, and records nothing", async () => {
    const project = letters({ "specs/one.spec.md": `---\nprotocol: factory\n---\n${SPEC}` });
    const { code, stderr } = await project.slipway(["run", "specs", "--cassette", project.cassette]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/specs\/one\.spec\.md.*"factory"/s)]);
    expect(project.sql("SELECT * FROM runs")).toEqual([]);
  });

  test("refuses a protocol that does not exist before another specification is begun", async () => {
    const project = letters({ "specs/a.spec.md": SPEC, "specs/b.spec.md": `---\nprotocol: frge\n---\n${SPEC}` });
    const { code, stderr } = await project.slipway(["run", "specs", "--cassette", project.cassette]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("specs/b.spec.md")]);
    expect(project.sql("SELECT * FROM features")).toEqual([]);
  });

  test.each([
    ["forge", { mode: "autonomous" }, ["a-letter", "b-letter"]],
    ["crew", { mode: "full", project_type: "mixed" }, ["a-letter", "b-letter"]],
    // Its changes begin when their programs are finished.
    ["criticality", { idea: SPEC, spec_digest: null }, []],
  ])("makes each specification of a folder with --protocol %s, as a feature of one run", async (protocol, input, begun) => {
    const project = letters({ "specs/a-letter.spec.md": SPEC, "specs/b-letter.spec.md": SPEC });
    await project.slipway(["run", "specs/", "--protocol", protocol, "--cassette", project.cassette]);
    const made = project.sql(`SELECT run_id FROM runs WHERE workflow = '${protocol}-change' ORDER BY run_id`);
    expect(made.map(({ run_id }) => String(run_id).split("/")[1])).toEqual(["feature:a-letter", "feature:b-letter"]);
    const [started, ...more] = project.sql("SELECT payload FROM events WHERE kind = 'started' AND stream NOT LIKE '%/%'");
    expect(more).toEqual([]);
    expect(JSON.parse(String(started?.["payload"]))).toMatchObject({
      input: { specs: ["a-letter", "b-letter"].map((feature_id) => ({ feature_id, inner: { protocol, input } })) },
    });
    expect(project.sql("SELECT id FROM features ORDER BY id").map(({ id }) => id)).toEqual(begun);
  });

  test("takes words after --protocol as a request, as `slipway NAME` does", async () => {
    const project = letters();
    await project.slipway(["run", "--protocol", "forge", "the first letter says two", "--cassette", project.cassette]);
    expect(project.sql("SELECT workflow FROM runs WHERE parent_run_id IS NULL").map(({ workflow }) => workflow)).toEqual(["forge"]);
    expect(project.sql("SELECT id FROM features").map(({ id }) => id)).toEqual(["first-letter-says-two"]);
  });

  test("records the agents of an inner protocol by their full names", async () => {
    const project = letters({ "specs/a.spec.md": `---\nprotocol: forge\n---\n${SPEC}` });
    const { stderr } = await project.slipway(["run", "specs", "--agent-provider", "nobody"]);
    expect(stderr).toContain("nobody");
    await project.slipway(["run", "specs", "--cassette", project.cassette]);
    const [started] = project.sql("SELECT payload FROM events WHERE kind = 'started' AND stream NOT LIKE '%/%'");
    const { input } = JSON.parse(String(started?.["payload"])) as { input: { agents: object; specs: object[] } };
    expect(Object.keys(input.agents)).toContain("forge/planner");
    expect(input.specs).toMatchObject([{ feature_id: "a", inner: { protocol: "forge" } }]);
  });
});
