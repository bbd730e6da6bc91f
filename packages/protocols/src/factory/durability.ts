/**
 * The factory's workflows look, judge, and keep records. Nothing of it is seen outside before an agent is asked, a module is sealed, a
 * release is landed, a person is asked or the run ends, and each of these begins with a synced commit.
 */
export const RELAXED = { durability: "relaxed" } as const;
