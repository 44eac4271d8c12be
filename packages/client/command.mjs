#!/usr/bin/env node
/*
 * Manages a token in a file: gets, checks, replaces, moves or revokes it.
 *
 *   npx --no integration-api-client enrol --url https://integration.example.com --file token.json
 */
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { openKeptClient } from "integration-api-client/keeper";

const usage = `Usage: integration-api-client <command> --url <address> --file <path>

  enrol [invitation]             gets a token; reads the invitation from the standard input if it is not given
  check                          says when the token expires; replaces it if two thirds of its lifetime are over
  rotate [--grace-seconds <n>]   replaces the token; the old one works for another day, or for as long as you say
  move                           asks an admin to let the token be used from the address of this machine
  revoke                         ends the token and deletes the file

BASE_URL and TOKEN_FILE in the environment stand for --url and --file.`;

/** @type {(message: string) => never} */
const stop = (message) => {
  console.error(message);
  process.exit(1);
};

/** @type {(confirmation: import("integration-api-client").Confirmation) => void} */
const onConfirmation = ({ ip, code }) =>
  console.error(`Tell an admin: the address is ${ip}, and the code is ${code}. Waiting for the confirmation …`);

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        url: { type: "string" },
        file: { type: "string" },
        "grace-seconds": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
};

const { values, positionals } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const [command, invitation] = positionals;
const baseUrl = values.url ?? process.env.BASE_URL ?? "";
const file = values.file ?? process.env.TOKEN_FILE ?? "";
if (baseUrl === "" || file === "") stop(usage);

/** @type {(expiring: import("integration-api-client").TokenExpiring) => void} */
const onTokenExpiring = ({ expiresAt, rotation }) => {
  const advice =
    rotation === undefined
      ? "cannot be rotated. Put its successor there if it has one, or ask an admin for a later end or an invitation."
      : "could not be given a later end. Try again before then, or ask an admin.";
  console.error(`The token in ${file} expires at ${expiresAt.toISOString()} and ${advice}`);
};

/** @type {(error: unknown) => void} */
const onProblem = (error) =>
  console.error(`The token was not replaced: ${error instanceof Error ? error.message : error}`);

const options = { baseUrl, file, onConfirmation, onTokenExpiring, onProblem };

/** @type {(token: { token_id: string, ip: string, expires_at: string | null }) => void} */
const report = ({ token_id, ip, expires_at }) =>
  console.log(
    `${file}: token ${token_id} for ${ip}, ${expires_at === null ? "does not expire" : `until ${expires_at}`}`,
  );

const run = async () => {
  switch (command) {
    case "enrol": {
      if (existsSync(file)) stop(`There is a token in ${file} already. Revoke it, or choose another file.`);
      const given = (invitation || (await text(process.stdin))).trim();
      if (given === "") stop("There is no invitation: write it to the standard input, or put it after enrol.");
      const client = await openKeptClient({ ...options, invitation: given });
      return report(await client.GET("/api/v1/token"));
    }
    case "check": {
      /** @type {import("integration-api-client").IssuedToken[]} */
      const replaced = [];
      const client = await openKeptClient({ ...options, onReplaced: (token) => void replaced.push(token) });
      const token = await client.GET("/api/v1/token");
      return report(replaced.at(-1) ?? token);
    }
    case "rotate": {
      const graceSeconds = Number(values["grace-seconds"] ?? 86_400);
      return report(await (await openKeptClient(options)).rotate({ graceSeconds }));
    }
    case "move":
      return report(await (await openKeptClient(options)).move({ onConfirmation }));
    case "revoke":
      await (await openKeptClient(options)).revoke();
      return console.log(`The token has ended, and ${file} is deleted.`);
    default:
      return stop(usage);
  }
};

try {
  await run();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const { message, cause } = error;
  stop(cause instanceof Error ? `${message}: ${cause.message}` : message);
}
