import { lookup } from "node:dns/promises";
import { get as getByHttp, type IncomingMessage } from "node:http";
import { get } from "node:https";
import type { LookupFunction } from "node:net";
import { localIssuer } from "../trust.ts";
import { isPublicAddress, unfetchable } from "./public-hosts.ts";

const timeoutMilliseconds = 2_000;
const mostBytes = 200_000;
/** The address of the local run's own issuer. Read when the function is loaded, because several functions may share a process. */
const localAddress = process.env.LOCAL_ISSUER;

/**
 * Fetches a JSON document from a host on the internet: over HTTPS, without redirects, within 2 seconds, at most 200 kB. Rejects
 * hosts that resolve to any private or otherwise special address, and connects to one of the checked addresses.
 *
 * @throws {Error} if any of these conditions is not met
 */
export const getPublicJson = async (address: string): Promise<unknown> => {
  const url = new URL(address);
  if (url.origin === localIssuer && localAddress) {
    return JSON.parse(await textOf(getByHttp, new URL(localAddress + url.pathname)));
  }
  const problem = unfetchable(url);
  if (problem !== undefined) throw new Error(`${url.origin} ${problem}.`);
  return JSON.parse(await textOf(get, url));
};

const textOf = async (get: typeof getByHttp, url: URL): Promise<string> => {
  const options = {
    lookup: publicLookup(lookup),
    // Makes Node.js ask `lookup` for all addresses.
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

type Resolve = (name: string, options: { all: true }) => Promise<{ address: string; family: number }[]>;

/** Returns a lookup function for connections. The lookup fails unless all of a name's addresses are public. */
export const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (name, _options, callback) => {
    const found = resolve(name, { all: true }).then((addresses) => {
      const other = addresses.find(({ address }) => !isPublicAddress(address));
      if (other) throw new Error(`${name} has the address ${other.address}, which is not public.`);
      return addresses;
    });
    found.then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
