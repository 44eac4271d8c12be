import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { LocalError, messageOf } from "../support/local-error.ts";
import { makePrivateDirectory } from "../support/private-folder.ts";

interface Sending {
  id: string;
  /** The time of the functions. */
  sent_at: string;
  /** The function that sent it; null if it came from elsewhere, such as the AWS CLI. */
  function_name: string | null;
}

/** What was sent to a topic. */
export interface SentMessage extends Sending {
  service: "sns";
  topic_arn: string;
  /** Who would get it. */
  subscribers: string[];
  subject: string | null;
  message: string;
}

/** What was sent to an event bus. */
export interface SentEvent extends Sending {
  service: "events";
  bus: string;
  source: string;
  detail_type: string;
  detail: unknown;
  time: string;
  resources: string[];
}

export type Sent = SentMessage | SentEvent;

/** Everything that was sent, in a file of JSON lines that only its owner can read. */
export interface SentLog {
  /** Adds what is sent together. Once this returns, it is on the disk. */
  add: (sent: Sent[]) => void;
  all: () => Sent[];
  /** How much was sent so far. */
  count: () => number;
  close: () => void;
}

export const openSentLog = async (dataDirectory: string): Promise<SentLog> => {
  await makePrivateDirectory(dataDirectory);
  const path = join(dataDirectory, "sent.jsonl");
  const file = openSync(path, "a+", 0o600);
  const content = readFileSync(path);
  // A process that was killed may have left a part of a line, which nobody was told about.
  const complete = content.lastIndexOf("\n") + 1;
  ftruncateSync(file, complete);
  const all = readSent(path, content.toString("utf8", 0, complete));

  return {
    add(sent) {
      writeFully(file, sent.map((one) => `${JSON.stringify(one)}\n`).join(""));
      fsyncSync(file);
      all.push(...sent);
    },
    all: () => all,
    count: () => all.length,
    close: () => closeSync(file),
  };
};

const readSent = (path: string, lines: string): Sent[] => {
  try {
    return lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  } catch (error) {
    throw new LocalError(
      `The file ${path}, which has what was sent, is damaged (${messageOf(error)}): restore a copy of it, or delete it.`,
      { cause: error, option: "dataDirectory" },
    );
  }
};

const writeFully = (file: number, text: string): void => {
  const buffer = Buffer.from(text);
  for (let written = 0; written < buffer.length; ) written += writeSync(file, buffer, written);
};
