import { z } from "zod";

const usd = z.number().min(0);

/** US dollars per million tokens, by model; where no model is named, by provider. They come before the table that Slipway has. */
export const pricesPart = z.record(
  z.string().min(1),
  z.strictObject({
    input: usd,
    output: usd,
    /** Input that was read from a cache; without it, as other input. */
    cached_input: usd.optional(),
    cache_write: usd.optional(),
  }),
);

export type PricesConfig = z.output<typeof pricesPart>;
