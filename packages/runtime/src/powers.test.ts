import type { ConfigurationTrust } from "@slipway/kernel/config/trust/trust";
import { expect, test } from "vitest";
import { allPowers } from "./powers.ts";

const GATE = { command: ["npm", "test"], runs: "in the sandbox", file: "slipway/gates.yaml", fields: ["default.full.test"] } as const;

const asked = (files: Readonly<Record<string, string>>) =>
  ({
    powers: { programs: [GATE], grants: [] },
    read: async (path: string) => (files[path] === undefined ? null : Buffer.from(files[path])),
  }) as unknown as ConfigurationTrust;

test("a person is shown the programs of every protocol's own file, beside those of the kernel's", async () => {
  const verifier = '[verifier]\ncommand = ["why3", "prove"]\nfunctions = ["src/a.ts#*"]\nread_only = ["/opt/why3"]\n';
  const { programs, grants } = await allPowers(asked({ "slipway/criticality.toml": verifier }));
  expect(programs).toMatchObject([GATE, { command: ["why3", "prove"], file: "slipway/criticality.toml" }]);
  expect(grants).toMatchObject([{ text: "the verifier reads /opt/why3" }]);
});

test("a protocol without a file of its own adds nothing", async () => {
  expect(await allPowers(asked({}))).toEqual({ programs: [GATE], grants: [] });
});
