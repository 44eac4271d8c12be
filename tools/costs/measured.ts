import { readFile } from "node:fs/promises";
import * as z from "zod/mini";

export const measuredFile = new URL("measured.json", import.meta.url);

const call = z.object({
  /** How long a warm function took, including the database: the median of many calls. */
  milliseconds: z.number(),
  /** The text that it wrote to its log. */
  logBytes: z.number(),
  /** The response's body as it is sent, and its headers. */
  answerBytes: z.number(),
});

const shape = z.object({
  /** The machine of the measurement. */
  machine: z.string(),
  endpoints: z.record(z.string(), call),
  /** Calls with a header by which a client of an endpoint can save something. */
  variants: z.array(z.extend(call, { endpoint: z.string(), header: z.string() })),
});

export type Measured = z.output<typeof shape>;

/** The figures that `npm run measure` found. */
export const readMeasured = async (): Promise<Measured> =>
  shape.parse(JSON.parse(await readFile(measuredFile, "utf8")));
