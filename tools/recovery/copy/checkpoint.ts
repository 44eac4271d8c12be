import { readFile, rename, rm, writeFile } from "node:fs/promises";
import * as z from "zod/mini";
import { parseJson, RecoveryError } from "../command.ts";

const saveIntervalMs = 1000;

const keySchema = z.record(z.string(), z.union([z.strictObject({ S: z.string() }), z.strictObject({ N: z.string() })]));

const segmentSchema = z.strictObject({
  /** How many items have been read and dealt with. */
  done: z.number(),
  /** How many of them were left out because the target has them. */
  skipped: z.number(),
  /** The key to continue after. */
  after: z.optional(keySchema),
  isFinished: z.boolean(),
});

const checkpointSchema = z.strictObject({
  /** The parameters of the copy. A checkpoint is for exactly this copy. */
  copy: z.strictObject({
    from: z.string(),
    to: z.string(),
    mode: z.enum(["into empty", "overwrite", "only missing"]),
    having: z.array(z.string()),
  }),
  segments: z.array(segmentSchema),
});

export type Checkpoint = z.output<typeof checkpointSchema>;
export type Segment = z.output<typeof segmentSchema>;
export type CopyMode = Checkpoint["copy"]["mode"];

/** The state of a copy that has not begun. */
export const newCheckpoint = (copy: Checkpoint["copy"], segmentCount: number): Checkpoint => ({
  copy,
  segments: Array.from({ length: segmentCount }, () => ({ done: 0, skipped: 0, isFinished: false })),
});

/**
 * Reads the state of a copy that was interrupted; undefined if there is none.
 *
 * @throws {RecoveryError} if the file is the checkpoint of another copy, or something else.
 */
export const readCheckpoint = async (file: string, copy: Checkpoint["copy"]): Promise<Checkpoint | undefined> => {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  const { data } = checkpointSchema.safeParse(parseJson(text));
  if (data && JSON.stringify(data.copy) === JSON.stringify(copy)) return data;
  const what = data ? "of another copy, or one of the tables has been replaced since" : "not a checkpoint";
  throw new RecoveryError(
    `${file} is ${what}: delete it to copy from the beginning, or choose another file with --checkpoint.`,
  );
};

const readIfPresent = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};

export interface CheckpointFile {
  /** Saves the state if it was not saved in the last second. */
  saveSometimes(): Promise<void>;
  save(): Promise<void>;
  remove(): Promise<void>;
}

/** Saves the state of a copy. The file is replaced in one step, so that it is complete even if the process is killed. */
export const checkpointFile = (file: string, checkpoint: Checkpoint): CheckpointFile => {
  let saving = Promise.resolve();
  let savedAt = 0;
  const write = async () => {
    await writeFile(`${file}.tmp`, JSON.stringify(checkpoint), { mode: 0o600, flush: true });
    await rename(`${file}.tmp`, file);
  };
  const save = () => {
    savedAt = Date.now();
    saving = saving.then(write);
    return saving;
  };
  return {
    save,
    async saveSometimes() {
      if (Date.now() - savedAt >= saveIntervalMs) await save();
    },
    remove: () => rm(file, { force: true }),
  };
};
