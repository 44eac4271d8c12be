import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { anySamplesOf } from "./any-client-sample.ts";
import type { Call } from "./call.ts";
import { variableOf } from "./languages.ts";
import { type ClientSamples, imported, text, withClient } from "./with-client.ts";

/** The values that a call sends, by name, without its credential. */
type Sent = Readonly<Record<string, string>>;

const builtInClient = "integration-api-client";

/** Returns code that makes a call with the clients, as far as they can make it with these values. */
export const clientSamplesOf = (call: Call): ClientSamples => {
  const { name, module } = call.client;
  const known = call.parameters.template.startsWith("/api/v1/token") ? tokenCalls[call.id] : undefined;
  if (known) return takesAll(known, call) ? renamed(known.write(call.sent), name, module) : {};
  const own = name === builtInClient ? keysInPython[call.id] : undefined;
  const { ts, python } = anySamplesOf(call, own?.write(call.sent));
  return renamed(own && !takesAll(own, call) ? { ts } : { ts, python }, name, module);
};

/** Imports from the client of the service. */
const renamed = ({ ts, python }: ClientSamples, name: string, module: string): ClientSamples => ({
  ts: ts?.replace(/(?<=from ")integration-api-client/, name),
  python: python?.replace(/(?<=from )integration_api_client/, module),
});

interface ClientCall<Code = ClientSamples> {
  /** The names of the values that the code can contain. */
  takes?: readonly string[];
  write(sent: Sent): Code;
}

const takesAll = ({ takes = [] }: Pick<ClientCall, "takes">, { sent }: Call): boolean =>
  Object.keys(sent).every((name) => takes.includes(name));

/** The calls for which the built-in Python client has its own methods. */
const keysInPython: Readonly<Record<string, ClientCall<string>>> = {
  "v1-list-keys": {
    takes: ["limit"],
    write: ({ limit }) => `for key in client.keys(${limit ? `limit=${limit}` : ""}):\n    print(key)`,
  },
  "v1-list-key-changes": {
    takes: ["limit", "cursor"],
    write({ limit, cursor }) {
      const words = [...(cursor ? [`cursor=${text(cursor)}`] : []), ...(limit ? [`limit=${limit}`] : [])];
      return `for page in client.changes(${words.join(", ")}):\n    print(page)`;
    },
  },
  "v1-create-key": {
    takes: ["key_id", "v_code"],
    write: ({ key_id, v_code }) => `print(client.create_key(${text(key_id)}, ${text(v_code)}))`,
  },
  "v1-replace-key": {
    takes: ["key_id", "v_code"],
    write: ({ key_id, v_code }) => `print(client.replace_key(${text(key_id)}, ${text(v_code)}))`,
  },
};

/** The calls for which every client has its own methods. */
const tokenCalls: Readonly<Record<string, ClientCall>> = {
  "v1-get-token": {
    write: () =>
      withClient({ ts: `console.log(await client.GET("/api/v1/token"));`, python: "print(client.get_token())" }),
  },
  "v1-rotate-token": {
    takes: ["grace_seconds"],
    write: ({ grace_seconds = "" }) =>
      withClient({
        ts: `console.log((await client.rotate({ graceSeconds: ${grace_seconds || 0} })).token);`,
        python: `print(client.rotate(grace_seconds=${grace_seconds || 0}).token)`,
      }),
  },
  "v1-move-token": {
    write: () =>
      withClient({
        ts: "console.log((await client.move({ onConfirmation: console.log })).token);",
        python: "print(client.move(on_confirmation=print).token)",
      }),
  },
  "v1-revoke-token": { write: () => withClient({ ts: "await client.revoke();", python: "client.revoke()" }) },
  "v1-redeem-invitation": {
    write: () => ({
      ts: `\
${imported("openKeptClient", "/keeper")}

const client = await openKeptClient({
  baseUrl: "${exampleAddress}",
  file: "token.json",
  invitation: ${variableOf("ts", "invitation")},
  onConfirmation: console.log,
});
console.log(await client.GET("/api/v1/token"));`,
      python: `\
import os

from integration_api_client import open_kept_client

client = open_kept_client(
    "${exampleAddress}",
    "token.json",
    invitation=${variableOf("python", "invitation")},
    on_confirmation=print,
)
print(client.get_token())`,
    }),
  },
  "v1-exchange-token": {
    takes: ["grant_type", "subject_token_type"],
    write: () => ({
      ts: `\
${imported("openWorkloadClient", "/workload")}

const client = openWorkloadClient({ baseUrl: "${exampleAddress}", jwt: async () => ${variableOf("ts", "jwt")} });
console.log(await client.GET("/api/v1/token"));`,
      python: `\
import os

from integration_api_client import open_workload_client

client = open_workload_client("${exampleAddress}", lambda audience: ${variableOf("python", "jwt")})
print(client.get_token())`,
    }),
  },
};
