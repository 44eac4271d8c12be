import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { bundleEntry } from "../../infra/build/bundles/bundle.ts";
import { bundleFunctions } from "../../infra/build/bundles/bundle-functions.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import type { RequestName } from "./requests.ts";

type Method = "GET" | "POST";

/** One way to do the job, bundled: the file that serves each method. */
export interface Contender {
  name: string;
  files: Record<Method, string>;
  kilobytes: number;
}

export const floorName = "Bare handler, SDK as installed (floor)";
export const oursName = "This service (middy)";

/** The module of each contender that serves both methods, as usual for such applications. */
const floor = { [floorName]: "job/floor" };
const peers = {
  Hono: "peers/hono",
  "Powertools event handler": "peers/powertools",
  "Express + serverless-express": "peers/express",
  "Fastify + @fastify/aws-lambda": "peers/fastify",
};

/** The function of each endpoint. */
const functionNames: Record<Method, string> = { GET: "v1-list-keys", POST: "v1-create-key" };
const deployedFunctions = () => functionsOf(api).filter(({ name }) => Object.values(functionNames).includes(name));

export const fileFor = ({ files }: Contender, request: RequestName): string =>
  request.startsWith("POST") ? files.POST : files.GET;

export interface BundleOptions {
  folder: string;
  /** Also the peers, whose packages must be installed. */
  hasPeers: boolean;
}

/** Every contender, bundled with the settings of the service's bundles. The service's own bundles are the deployed ones. */
export const bundleContenders = async ({ folder, hasPeers }: BundleOptions): Promise<Contender[]> => {
  const deployed = await bundleFunctions(deployedFunctions(), { folder });
  const fileOf = (name: string) => join(deployed.find((each) => each.name === name)?.bundleFolder ?? "", "index.js");
  const ours = await contender(oursName, { GET: fileOf(functionNames.GET), POST: fileOf(functionNames.POST) });
  return [...(await bundleModules(folder, hasPeers, [])), ours];
};

/** Every contender, bundled with stores that respond from memory. */
export const bundleChains = async ({ folder, hasPeers }: BundleOptions): Promise<Contender[]> => {
  const files = { GET: join(folder, "GET.js"), POST: join(folder, "POST.js") };
  for (const declared of deployedFunctions()) {
    const { code } = await bundleEntry(declared, { plugins: [memoryStores] });
    await write(declared.name === functionNames.GET ? files.GET : files.POST, code);
  }
  return [...(await bundleModules(folder, hasPeers, [memoryStores])), await contender(oursName, files)];
};

const bundleModules = (folder: string, hasPeers: boolean, plugins: Plugin[]): Promise<Contender[]> =>
  Promise.all(
    Object.entries(hasPeers ? { ...floor, ...peers } : floor).map(async ([name, module]) => {
      const entry = `tools/bench/${module}.ts`;
      const options = { trimSdk: false, lazyFunctions: false, plugins };
      const file = join(folder, `${module}.js`);
      await write(file, (await bundleEntry({ name: basename(module), entry }, options)).code);
      return contender(name, { GET: file, POST: file });
    }),
  );

const contender = async (name: string, files: Contender["files"]): Promise<Contender> => ({
  name,
  files,
  kilobytes: (await readFile(files.GET)).length / 1000,
});

const write = async (file: string, code: Uint8Array): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
};

const memoryStores: Plugin = {
  name: "memory-stores",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(create-)?stores\.ts$/ }, ({ path, importer }) => {
      const isService = importer.includes("/lambdas/functions/") && path === "./create-stores.ts";
      const isJob = importer.includes("/bench/job/") && path === "./stores.ts";
      return isService || isJob ? { path: fileURLToPath(new URL("job/memory-stores.ts", import.meta.url)) } : undefined;
    });
  },
};
