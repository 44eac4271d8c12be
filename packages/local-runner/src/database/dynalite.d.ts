declare module "dynalite" {
  import type { Server } from "node:http";

  interface DynaliteOptions {
    /** LevelDB folder; in memory by default. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** A DynamoDB on LevelDB, as an HTTP server whose `close` closes the database too. */
  export default function dynalite(options: DynaliteOptions): Server;
}
