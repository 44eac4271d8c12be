import { RecoveryError } from "../support/recovery-error.ts";
import type { User } from "./user-file.ts";
import type { UserPool } from "./user-pool.ts";

/**
 * Creates the users that the pool lacks, and adds all of them to their groups. Doing so again changes nothing, so it can be
 * repeated after a failure.
 */
export const restoreUsers = async (
  pool: Omit<UserPool, "users" | "close">,
  users: User[],
  tell: (sentence: string) => void,
): Promise<void> => {
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
