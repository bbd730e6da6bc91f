import { expect, test } from "vitest";
import { letters, lettersToApprove } from "../testing/project.ts";

const HOUR_MS = 3_600_000;

test("before the first lock it says so", async () => {
  const project = letters();
  expect(await project.slipway(["locks"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No lock has been taken here yet/) });
  expect((await project.slipway(["locks", "--json"])).json()).toEqual([[]]);
});

test("lists each resource with its holder, lease and token, free and expired ones included", async () => {
  const project = await lettersToApprove();
  const now = Date.now();
  project.sql(`INSERT INTO locks (resource, token, holder, lease_id, ttl_ms, acquired_at, expires_at) VALUES
    ('db_migrations', 3, 'letters', 'l1', 60000, ${now}, ${now + HOUR_MS}),
    ('events', 1, NULL, NULL, 60000, 0, 0),
    ('openapi', 2, 'other', 'l2', 60000, 0, ${now - HOUR_MS})`);
  const { stdout } = await project.slipway(["locks"]);
  expect(stdout).toMatch(
    /^resource +holder +lease +token\ndb_migrations +letters +3\d\d\d s left +3\nevents +free +1\nopenapi +other +expired 36\d\d s ago +2\n$/,
  );
  expect((await project.slipway(["locks", "--json"])).json()).toEqual([
    [
      { resource: "db_migrations", holder: "letters", lease_id: "l1", token: 3, expires_at: now + HOUR_MS },
      { resource: "events", holder: null, lease_id: null, token: 1, expires_at: null },
      { resource: "openapi", holder: "other", lease_id: "l2", token: 2, expires_at: now - HOUR_MS },
    ],
  ]);
  const coloured = await project.slipway(["locks"], { terminal: true, color: true });
  expect(coloured.stdout).toContain("\u001b[33mopenapi");
});
