import { z } from "zod";
import { tool } from "./tool.ts";

export const collisionsTools = [
  tool({
    name: "collisions.scan",
    kind: "read",
    description: [
      "Shows which accepted plans of features that have not ended collide, pair by pair: the same file, the same protected or exclusive area, the same contract, or two migrations.",
      "A colliding plan is not accepted, so pairs only appear if the policy's areas have changed since. Read-only.",
    ].join(" "),
    input: z.strictObject({}),
    output: z.strictObject({
      features: z.array(z.string()).describe("Every feature with an accepted plan that has not ended, in ascending order."),
      pairs: z.array(
        z.strictObject({
          features: z.tuple([z.string(), z.string()]),
          collisions: z.array(z.strictObject({ type: z.enum(["file", "area", "contract", "migration", "lock"]), resource: z.string() })),
        }),
      ),
    }),
    call: async (kernel) => {
      const { features, pairs } = await kernel.features.collisions();
      return {
        data: { features: [...features], pairs: pairs.map((pair) => ({ features: [...pair.features], collisions: [...pair.collisions] })) },
      };
    },
  }),
];
