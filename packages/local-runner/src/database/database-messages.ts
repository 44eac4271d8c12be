import type { Rights } from "../assembly/rights.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import type { UsedRight } from "./access-control.ts";

/** What the database's thread is started with. */
export interface DatabaseThreadData {
  dataDirectory: string;
  host: string;
  port: number;
  environment: AwsEnvironment;
}

export type DatabaseRequest =
  | { kind: "rights"; rightsOf: ReadonlyMap<string, Rights> }
  | { kind: "used rights" }
  | { kind: "close" };

export type DatabaseReply =
  | { kind: "listening"; port: number }
  | { kind: "cannot start"; code: string | undefined; message: string }
  | { kind: "enforced" }
  | { kind: "used rights"; usedRights: UsedRight[] }
  /** Sent without being asked for: a function uses what the embedded database does not support. */
  | { kind: "unsupported"; functionName: string; what: string }
  /** Sent without being asked for: the data is damaged or cannot be written. */
  | { kind: "failed"; code: string | undefined; message: string }
  | { kind: "closed" };

/** The code of the failure if another process uses the data folder. */
export const folderInUse = "FOLDER_IN_USE";
