import type { Rights } from "../assembly/rights.ts";
import type { AwsEnvironment } from "../aws-environment.ts";
import type { UsedRight } from "./access-control.ts";

/** What the database's thread is started with. */
export interface DatabaseThreadData {
  readonly path: string;
  readonly host: string;
  readonly port: number;
  readonly environment: AwsEnvironment;
}

export type DatabaseRequest =
  | { readonly kind: "rights"; readonly rightsOf: ReadonlyMap<string, Rights> }
  | { readonly kind: "used rights" }
  | { readonly kind: "close" };

export type DatabaseReply =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "cannot start"; readonly code: string | undefined; readonly message: string }
  | { readonly kind: "enforced" }
  | { readonly kind: "used rights"; readonly usedRights: readonly UsedRight[] }
  | { readonly kind: "closed" };
