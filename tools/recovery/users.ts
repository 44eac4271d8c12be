import { parseArgs } from "node:util";
import { chosenRegion } from "./support/chosen-region.ts";
import { RecoveryError, runCommand } from "./support/recovery-error.ts";
import { restoreUsers } from "./users/restore-users.ts";
import { readUsers, writeUsers } from "./users/user-file.ts";
import { openUserPool } from "./users/user-pool.ts";

const usage = `Usage: npm run users -- export --user-pool <id> --file <file>
       npm run users -- restore --user-pool <id> --file <file>

export writes the users of the user pool, with their groups, into a new file: one line of JSON for each.
restore creates those that the user pool lacks, and invites them by mail with a temporary password.

Cognito does not give out passwords and authenticator secrets, so restored users choose both again. By default, it sends
50 mails a day; restore continues where it was if you run it again.

  --region <name>  the region of the user pool; by default that of AWS_REGION or of your profile
`;

const tell = (sentence: string): void => void process.stdout.write(`${sentence}\n`);

const manageUsers = async (): Promise<void> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "user-pool": { type: "string" }, file: { type: "string" }, region: { type: "string" } },
  });
  const [action] = positionals;
  const { "user-pool": id, file, region } = values;
  if (!id || !file || (action !== "export" && action !== "restore")) throw new RecoveryError(usage.trimEnd());

  const pool = openUserPool({ id, region: chosenRegion(region) });
  try {
    if (action === "restore") return await restoreUsers(pool, await readUsers(file), tell);
    const users = await pool.users();
    await writeUsers(file, users);
    tell(`Exported ${users.length} users to ${file}, which holds personal data: keep it in a safe place.`);
  } finally {
    pool.close();
  }
};

await runCommand(manageUsers);
