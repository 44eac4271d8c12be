import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { type Bundle, bundleEntry } from "../../infra/build/bundles/bundle.ts";
import { bundleFunctions } from "../../infra/build/bundles/bundle-functions.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import type { RequestName } from "./measure/events.ts";

type Method = "GET" | "POST";

/** One way to do the job, bundled: the file that serves each method. */
export interface Contender {
  name: string;
  files: Record<Method, string>;
}

export const floorName = "Bare handler, SDK as installed (floor)";
export const oursName = "This service (middy)";

/** For each peer, one module that serves both methods, as usual for such applications. */
const peers = {
  [floorName]: "bare",
  Hono: "hono",
  "Powertools event handler": "powertools",
  "Express + serverless-express": "express",
  "Fastify + @fastify/aws-lambda": "fastify",
};

/** For this service, the function of each endpoint. */
const functionNames: Record<Method, string> = { GET: "v1-list-keys", POST: "v1-create-key" };

const deployedFunctions = () => functionsOf(api).filter(({ name }) => Object.values(functionNames).includes(name));

export const fileFor = ({ files }: Contender, request: RequestName): string =>
  request.startsWith("POST") ? files.POST : files.GET;

/** Every contender, bundled with the settings of the service's bundles. The service's own bundles are the deployed ones. */
export const bundleContenders = async (folder: string): Promise<Contender[]> => {
  const deployed = await bundleFunctions(deployedFunctions(), { folder });
  const fileOf = (name: string) =>
    join(deployed.find((declaration) => declaration.name === name)?.bundleFolder ?? "", "index.js");
  const ours = { GET: fileOf(functionNames.GET), POST: fileOf(functionNames.POST) };
  return [...(await bundlePeers(folder, [])), { name: oursName, files: ours }];
};

/** Every contender, bundled with stores that respond from memory. */
export const bundleChains = async (folder: string): Promise<Contender[]> => {
  const ours = Object.fromEntries(
    await Promise.all(
      deployedFunctions().map(async ({ name, entry }) => [
        name,
        await write(join(folder, `${name}.js`), bundleEntry({ name, entry }, { plugins: [memoryStores] })),
      ]),
    ),
  );
  return [
    ...(await bundlePeers(folder, [memoryStores])),
    { name: oursName, files: { GET: ours[functionNames.GET], POST: ours[functionNames.POST] } },
  ];
};

const bundlePeers = (folder: string, plugins: Plugin[]): Promise<Contender[]> =>
  Promise.all(
    Object.entries(peers).map(async ([name, module]) => {
      const entry = `export { handler } from "./tools/bench/contenders/${module}.ts";`;
      const file = await write(
        join(folder, `${module}.js`),
        bundleEntry({ name: module, entry }, { trimSdk: false, lazyFunctions: false, plugins }),
      );
      return { name, files: { GET: file, POST: file } };
    }),
  );

const write = async (file: string, bundle: Promise<Bundle>): Promise<string> => {
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, (await bundle).code);
  return file;
};

const memoryStores: Plugin = {
  name: "memory-stores",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(create-)?stores\.ts$/ }, ({ path, importer }) => {
      const isService = importer.includes("/lambdas/functions/") && path === "./create-stores.ts";
      const isPeer = importer.includes("/bench/job/") && path === "./stores.ts";
      return isService || isPeer
        ? { path: fileURLToPath(new URL("job/memory-stores.ts", import.meta.url)) }
        : undefined;
    });
  },
};
