declare module "dynalite" {
  import type { Server } from "node:http";

  interface DynaliteOptions {
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** A DynamoDB in memory, as an HTTP server whose `close` closes the database too. */
  export default function dynalite(options: DynaliteOptions): Server;
}
