import { portRefusal } from "../support/http-listener.ts";
import { LocalError } from "../support/local-error.ts";
import { folderInUse } from "./folder/data-folder.ts";

/** Says why the database cannot start or go on, and what to do. */
export const databaseFailure = (
  { code, message }: { code: string | undefined; message: string },
  { dataDirectory, port }: { dataDirectory: string; port: number },
): LocalError => {
  if (message.startsWith("listen ")) {
    return portRefusal(Object.assign(new Error(message), { code }), port, "DynamoDB");
  }
  if (code === folderInUse) {
    return new LocalError(
      `Another local run uses the data folder ${dataDirectory}: stop it, or choose another folder.`,
      { option: "dataDirectory" },
    );
  }
  if (
    /permission denied|not permitted|read-only file system|no space left|readonly database|database or disk is full|unable to open/i.test(
      message,
    )
  ) {
    return new LocalError(
      `The data folder ${dataDirectory} cannot be written (${message}): correct its permissions, or choose another folder.`,
      { option: "dataDirectory" },
    );
  }
  return new LocalError(
    `The data in ${dataDirectory} is damaged (${message}): restore a copy of that folder, or move it away to start with an empty database.`,
    { option: "dataDirectory" },
  );
};
