import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { replaceModules, replacements } from "../../../infra/bundles/trim-sdk.ts";
import type { Outcome, Trial } from "../conduct.ts";
import { thisVersion } from "./contenders.ts";
import { startStub } from "./dynamodb-stub.ts";
import { markdownTable, quantile } from "./figures.ts";
import { type Contender, runRounds, type Sample, type Samples } from "./measure.ts";
import { requestNames } from "./requests.ts";

/** A part of what is done to the SDK, and how to build a bundle without it. */
interface Part {
  /** Texts in client.ts, with what replaces them. */
  edits?: Readonly<Record<string, string>>;
  /** The trimmed modules that the bundle contains again. */
  restores?: RegExp;
}

// Collects the response, because invalid-responses.ts computes its checksum.
const sdkHandler = `requestHandler: {
  async handle(...call: any) {
    const { response } = await (sdkHandler as any).handle(...call);
    return { response: Object.assign(response, { body: Buffer.concat(await response.body.toArray()) }) };
  },
} as any,`;
const importOfSdkHandler = `import { NodeHttpHandler } from "@smithy/node-http-handler";
const sdkHandler = new NodeHttpHandler({ connectionTimeout: 500, requestTimeout: 1000 });
type Connection = any;`;
const ownHandler = "requestHandler: { ...httpHandler(url, connection) },";
const importOfOwnHandler = 'import { type Connection, httpHandler } from "./sdk-http-handler.ts";';
const removal = "if (!client.middlewareStack.remove(name))";

const today = "today";

const parts: Readonly<Record<string, Part>> = {
  [today]: {},
  "today again": {},
  "trim-sdk.ts as a whole": { restores: /./ },
  "trimmed credentials": { restores: /credential-provider/ },
  "trimmed event streams": { restores: /event-streams|HeaderFormatter/ },
  "trimmed retries": { restores: /util-retry/ },
  "trimmed errors": { restores: /schemas_0/ },
  "other trimmed modules": {
    restores: /InstanceMetadata|date-utils|package\.json|EndpointCache|HttpBinding/,
  },
  "sdk-http-handler.ts": {
    edits: { [ownHandler]: sdkHandler, [importOfOwnHandler]: importOfSdkHandler },
    restores: /node-http-handler/,
  },
  "plain-json-codec.ts": { edits: { "jsonCodec: new PlainJsonCodec(),": "" }, restores: /codec|date-utils/i },
  "sha256.ts": { edits: { "sha256: Sha256,": "" }, restores: /checksum/ },
  "dynamodb-endpoint.ts": {
    edits: { "endpointProvider: () => ({ url, headers: {}, properties: {} }),": "" },
    restores: /endpointResolver|partitions/,
  },
  "client.ts: fast configuration and one signer": { edits: { "useFastConfiguration(client);": "" } },
  "client.ts: no logger middleware": {
    edits: { [removal]: `if (name !== "loggerMiddleware" && !client.middlewareStack.remove(name))` },
  },
  "client.ts: no user agent middleware": {
    edits: { [removal]: `if (name === "loggerMiddleware" && !client.middlewareStack.remove(name))` },
    restores: /client-dynamodb\/package/,
  },
  "client.ts: cached middleware": { edits: { "cacheMiddleware: true,": "" } },
};

/** Builds the functions of both requests without a part of the changes. */
const build = async (name: string, { edits = {}, restores }: Part, folder: string) => {
  const plugin: Plugin = {
    name: "parts",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]dynamodb[\\/]client[\\/]client\.ts$/ }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        for (const [before, after] of Object.entries(edits)) {
          if (!contents.includes(before)) throw new Error(`client.ts has no ${before}, which parts.ts replaces.`);
          contents = contents.replace(before, () => after);
        }
        return { contents, loader: "ts" };
      });
      replaceModules(
        replacements.filter(({ module }) => !restores?.test(module)),
        onLoad,
      );
    },
  };
  return thisVersion(name, folder, { trimSdk: false, plugins: [plugin] });
};

const coldCpu = ({ cold }: Sample): number => cold.cpuMicroseconds / 1000;
const plans = { cold: { rounds: 15, warmUp: 0, calls: 0 }, warm: { rounds: 5, warmUp: 400, calls: 600 } };
const warmCpu = ({ warm }: Sample): number => warm.cpuMicroseconds / plans.warm.calls;

/** Measures how much longer a call takes without each part of what is done to the SDK, with and without a code cache. */
export const measureParts = async ({ isSmoke, directory, progress, say }: Trial): Promise<Outcome> => {
  const contenders: Contender[] = [];
  for (const [name, part] of Object.entries(parts)) {
    progress(`building without ${name}`);
    contenders.push(...(await build(name, part, join(directory, name.replaceAll(/\W+/g, "-")))));
  }
  const stub = await startStub(directory);
  const surroundings = { folder: directory, ...stub };
  const measured = new Map<string, Samples>();
  try {
    for (const request of requestNames) {
      for (const [kind, plan] of Object.entries(isSmoke ? { cold: { ...plans.cold, rounds: 0 } } : plans)) {
        progress(`${kind} ${request}`);
        const some = kind === "warm" ? contenders.filter(({ name }) => name.endsWith(" accepted")) : contenders;
        measured.set(`${kind} ${request}`, await runRounds(some, { request, ...plan }, surroundings));
      }
    }
  } finally {
    stub.stop();
  }
  if (isSmoke) return { problems: [] };
  const cell = (column: string, name: string, state: string, read: (sample: Sample) => number): string => {
    const samples = measured.get(column);
    const [base = [], without = []] = [today, name].map((one) => samples?.get(`${one} ${state}`)?.map(read));
    const difference = quantile(
      without.map((value, round) => value - (base[round] ?? Number.NaN)),
      0.5,
    );
    return name === today ? quantile(base, 0.5).toFixed(1) : difference.toFixed(1);
  };
  const rows = Object.keys(parts).map((name, index) => [
    name,
    String(Math.round(contenders[2 * index]?.kilobytes ?? 0)),
    ...["accepted", "rejected"].flatMap((state) =>
      requestNames.map((one) => cell(`cold ${one}`, name, state, coldCpu)),
    ),
    ...requestNames.map((one) => cell(`warm ${one}`, name, "accepted", warmCpu)),
  ]);
  const columns = ["accepted, ms", "rejected, ms", "warm, µs"].flatMap((of) =>
    ["GET", "POST"].map((one) => `${one} ${of}`),
  );
  say(markdownTable(["Without", "KB", ...columns], rows));
  return { problems: [] };
};
