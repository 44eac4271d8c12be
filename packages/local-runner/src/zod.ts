import * as z from "zod/mini";

// zod/mini brings no words along, and here its messages reach the user.
z.config(z.locales.en());

export * from "zod/mini";
