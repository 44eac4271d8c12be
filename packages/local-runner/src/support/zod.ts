import * as z from "zod/mini";

// zod/mini has no messages by default, and here they are shown to the user.
z.config(z.locales.en());

export * from "zod/mini";
