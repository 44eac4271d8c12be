import type { Rights } from "../assembly/rights.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import type { UsedRight } from "./access-control.ts";

/** The data that the database's thread starts with. */
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
  /** Sent unprompted: a function uses something that the embedded database doesn't support. */
  | { kind: "unsupported"; functionName: string; what: string }
  /** Sent unprompted: the data is damaged or can't be written. */
  | { kind: "failed"; code: string | undefined; message: string }
  | { kind: "closed" };

/** The failure code if another process is using the data folder. */
export const folderInUse = "FOLDER_IN_USE";
