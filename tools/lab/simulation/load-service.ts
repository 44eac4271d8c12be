import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { loadRelease } from "./load-release.ts";
import { plants } from "./plants.ts";
import type { Service } from "./service.ts";
import * as service from "./service.ts";

/** The versions of the service that run. */
export interface Versions {
  /** The name of a bug that is planted in the present version. */
  plant?: string | undefined;
  /** The folder of a recorded release that runs beside the present version. */
  release?: string | undefined;
}

/** The release, if there is one, and the present version. */
type Services = readonly [Service, ...Service[]];

const loaded = new Map<string, Promise<Services>>();

/** Loads the versions of the service. */
export const loadService = ({ plant, release }: Versions): Promise<Services> => {
  const name = JSON.stringify([plant, release]);
  const services = loaded.get(name) ?? load({ plant, release });
  loaded.set(name, services);
  return services;
};

const load = async ({ plant, release }: Versions): Promise<Services> => {
  const present = plant === undefined ? service : await loadPlanted(plant);
  return release === undefined ? [present] : [await loadRelease(release, present), present];
};

const inProject = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const loadPlanted = async (name: string): Promise<Service> => {
  const missing = new Set(plants[name]?.standIns.map(({ module }) => module));
  const { outputFiles } = await build({
    entryPoints: [inProject("tools/lab/simulation/service.ts")],
    ...{ bundle: true, write: false, platform: "node", format: "esm", target: "node24", logLevel: "error" },
    plugins: [
      standInPlugin(name, missing),
      {
        name: "packages",
        setup: ({ onResolve }) =>
          // A module that is not in the file system can import packages only by their URLs.
          onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true })),
      },
    ],
  });
  if (missing.size > 0) throw new Error(`The service has no module ${[...missing]} for the plant "${name}".`);
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? "").toString("base64")}`);
};

/** Links each stand-in of a plant in place of the real module, which the stand-in itself imports. */
const standInPlugin = (name: string, missing: Set<string>): Plugin => ({
  name: "stand-ins",
  setup({ onLoad }) {
    const standIns = plants[name]?.standIns ?? [];
    onLoad({ filter: /[/\\]lambdas[/\\].*\.ts$/ }, ({ path, suffix }) => {
      const standIn = standIns.find(({ module }) => path === inProject(`lambdas/${module}.ts`));
      if (!standIn || suffix !== "") return undefined;
      missing.delete(standIn.module);
      const real = JSON.stringify(`${path}?real`);
      const list = `plants[${JSON.stringify(name)}].standIns[${standIns.indexOf(standIn)}].exports`;
      const lines = Object.keys(standIn.exports).map((each) => `export const ${each} = ${list}.${each}(real.${each});`);
      const plantsFile = JSON.stringify(inProject("tools/lab/simulation/plants.ts"));
      return {
        contents: [
          `import { plants } from ${plantsFile};`,
          `import * as real from ${real};`,
          `export * from ${real};`,
          ...lines,
        ].join("\n"),
        loader: "ts",
      };
    });
  },
});
