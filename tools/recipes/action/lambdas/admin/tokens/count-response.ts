import * as z from "zod/mini";

export const tokenCount = z.object({ count: z.number().check(z.meta({ examples: [1] })) });
