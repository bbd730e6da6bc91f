import { z } from "zod";

/** The answer to every question that offers another try or the end. */
export const retryAnswer = z.strictObject({ decision: z.enum(["retry", "give_up"]), comment: z.string().optional() });
