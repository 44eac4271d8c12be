import { lookup } from "node:dns/promises";
import { get as getByHttp, type IncomingMessage } from "node:http";
import { get } from "node:https";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { localIssuer } from "../trust.ts";

const timeoutMilliseconds = 2_000;
const mostBytes = 200_000;

/**
 * Gets a JSON document from a host on the internet: by HTTPS, without redirects, within 2 seconds, at most 200 kB. A host with an
 * address in a private or otherwise special network is refused after its name has been resolved, and the connection is made to
 * exactly the address that was looked at.
 *
 * Only a local run has an issuer of its own: `LOCAL_ISSUER` is its address.
 *
 * @throws {Error} if any of that is not the case
 */
export const getPublicJson = async (address: string): Promise<unknown> => {
  const url = new URL(address);
  if (url.protocol !== "https:") throw new Error(`${address} is not an https address.`);
  if (url.username !== "" || url.password !== "") throw new Error("An issuer's address must not have a password.");
  const local = process.env.LOCAL_ISSUER;
  if (url.origin === localIssuer && local) return JSON.parse(await textOf(getByHttp, new URL(local + url.pathname)));
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(host)) assertPublic(host);
  return JSON.parse(await textOf(get, url));
};

const textOf = async (get: typeof getByHttp, url: URL): Promise<string> => {
  const options = {
    lookup: publicLookup,
    // With it, `lookup` is asked for all addresses.
    autoSelectFamily: true,
    agent: false as const,
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(timeoutMilliseconds),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, options, resolve).on("error", reject);
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`${url} responded with ${response.statusCode}.`);
  }
  let text = "";
  for await (const part of response.setEncoding("utf8")) {
    text += part;
    if (text.length > mostBytes) throw new Error(`${url} sent more than ${mostBytes} characters.`);
  }
  return text;
};

/** Resolves a name for a connection, and fails unless every one of its addresses is public. */
const publicLookup: LookupFunction = (name, _options, callback) => {
  const found = lookup(name, { all: true }).then((addresses) => {
    for (const { address } of addresses) assertPublic(address);
    return addresses;
  });
  found.then(
    (addresses) => callback(null, addresses),
    (error: Error) => callback(error, []),
  );
};

const assertPublic = (address: string): void => {
  const range = ipaddr.process(address).range();
  if (range !== "unicast") throw new Error(`${address} is not a public address (${range}).`);
};
