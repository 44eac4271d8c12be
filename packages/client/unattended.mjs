/*
 * Runs for months without anybody's help: it lists the keys every five minutes and says what has changed. Start it once
 * with an invitation from an admin, and afterwards without:
 *
 *   BASE_URL=https://integration.example.com TOKEN_FILE=token.json INVITATION=iti_… \
 *     node node_modules/integration-api-client/unattended.mjs
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openKeptClient } from "integration-api-client/keeper";

const { BASE_URL, TOKEN_FILE, INVITATION, INTERVAL_SECONDS = "300" } = process.env;
if (!BASE_URL || !TOKEN_FILE) {
  console.error("Set BASE_URL and TOKEN_FILE in the environment, and INVITATION for the first start.");
  process.exit(1);
}

const log = (/** @type {string} */ message) => console.log(`${new Date().toISOString()} ${message}`);

const client = await openKeptClient({
  baseUrl: BASE_URL,
  file: TOKEN_FILE,
  invitation: INVITATION,
  // If this machine gets another address, the program waits for an admin instead of failing.
  mayMove: true,
  onConfirmation: ({ ip, code }) => log(`Tell an admin: the address is ${ip}, and the code is ${code}.`),
  onReplaced: ({ token_id, expires_at }) =>
    log(`The token is now ${token_id}, until ${expires_at ?? "it is rotated"}.`),
  onTokenExpiring: ({ expiresAt }) => log(`Help is needed before ${expiresAt.toISOString()}, when the token expires.`),
  onProblem: (error) => log(`The token was not replaced: ${error}`),
});

/** When each key was last replaced. @type {Map<string, string>} */
let known = new Map();

const synchronise = async () => {
  /** @type {typeof known} */
  const found = new Map();
  for await (const page of client.pages("/api/v1/key")) {
    for (const { key_id, updated_at } of page) found.set(key_id, updated_at);
  }
  const changed = [...found].filter(([key_id, updated_at]) => known.get(key_id) !== updated_at).length;
  const gone = [...known.keys()].filter((key_id) => !found.has(key_id)).length;
  known = found;
  log(`${found.size} keys: ${changed} new or changed, ${gone} gone`);
};

// It may be killed at any moment: the file always has a complete token.
for (;;) {
  // After any failure, the next attempt may succeed.
  await synchronise().catch((error) => log(`The keys could not be read: ${error}`));
  await sleep(Number(INTERVAL_SECONDS) * 1000);
}
