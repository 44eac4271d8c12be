import { isDependency } from "../../lambdas/shared/project-folder.ts";

/** The admin command, as users type it in the service's folder. */
export const command = isDependency ? "npx integration-api admin" : "node local/admin.mjs";

/** The exit codes of the command. Scripts rely on these numbers and on their meaning. */
export const endings = {
  done: { exitCode: 0, meaning: "Done. The result is on stdout, as JSON." },
  refused: { exitCode: 1, meaning: "The service rejected the action, and nothing was changed." },
  wrongUsage: { exitCode: 2, meaning: "The command is wrong. Nothing was sent." },
  unreachable: { exitCode: 3, meaning: "The service is not running, or uses another port. Nothing was done." },
  unclear: { exitCode: 4, meaning: "The service failed or did not respond. The action may have been carried out." },
} as const;

/** A failure whose message tells the user what to do. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly exitCode: number;

  constructor(ending: Exclude<keyof typeof endings, "done">, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = endings[ending].exitCode;
  }
}
