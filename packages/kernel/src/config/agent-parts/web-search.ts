import { z } from "zod";

/** Search backend for roles that may research. Off by default: a query tells an outsider what is being built. */
export const webSearchPart = z
  .strictObject({
    backend: z.enum(["tavily", "brave", "searxng"]),
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    /** The name of the variable with the key; never the key. */
    key_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .optional(),
  })
  .refine(({ backend, base_url }) => backend !== "searxng" || base_url !== undefined, {
    path: ["base_url"],
    error: "searxng has no default address: name your instance",
  });

export type WebSearchConfig = z.output<typeof webSearchPart>;
