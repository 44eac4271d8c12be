import { parseArgs } from "node:util";
import { chosenRegion, RecoveryError, runCommand } from "./command.ts";
import { readUsers, type User, writeUsers } from "./users/user-file.ts";
import { openUserPool, type UserPool } from "./users/user-pool.ts";

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
    if (action === "restore") return await restoreUsers(pool, await readUsers(file));
    const users = await pool.users();
    await writeUsers(file, users);
    tell(`Exported ${users.length} users to ${file}, which holds personal data: keep it in a safe place.`);
  } finally {
    pool.close();
  }
};

/**
 * Creates the users that the pool lacks, and adds all of them to their groups. Doing so again changes nothing, so it can be
 * repeated after a failure.
 */
const restoreUsers = async (pool: Omit<UserPool, "users" | "close">, users: User[]): Promise<void> => {
  await assertGroupsExist(pool, users);
  let created = 0;
  for (const user of users) {
    const isNew = await pool.create(user);
    // Done even if the user exists, because an earlier run may have ended just before this step.
    if (!user.enabled) await pool.disable(user.username);
    for (const group of user.groups) await pool.addToGroup(user.username, group);
    if (isNew) created += 1;
    const what = user.enabled ? "invited" : "created, and disabled";
    tell(`${user.username}: ${isNew ? what : "is there already"} (${user.groups.join(", ") || "in no group"})`);
  }
  tell(`Created ${created} of ${users.length} users.`);
};

/** Checked first, because a user without a group would be invited to something that they cannot use. */
const assertGroupsExist = async (pool: Pick<UserPool, "groups">, users: User[]): Promise<void> => {
  const existing = new Set(await pool.groups());
  const missing = [...new Set(users.flatMap(({ groups }) => groups))].filter((group) => !existing.has(group));
  if (missing.length === 0) return;
  throw new RecoveryError(
    `The user pool has no group ${missing.join(", ")}: check --user-pool, or create the group with aws cognito-idp create-group.`,
  );
};

await runCommand(manageUsers);
