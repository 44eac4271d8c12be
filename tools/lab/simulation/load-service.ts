import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWithPlant } from "../planted-code.ts";
import { plants } from "./plants.ts";
import * as service from "./service.ts";

/** The service under test. */
export type Service = typeof service;

const planted = new Map<string, Promise<Service>>();

/** Loads the service, with a planted bug if one is named. */
export const loadService = async (plant?: string): Promise<Service> => {
  if (plant === undefined) return service;
  const loaded = planted.get(plant) ?? loadPlanted(plant);
  planted.set(plant, loaded);
  return loaded;
};

const loadPlanted = async (plant: string): Promise<Service> => {
  const { outputFiles } = await buildWithPlant(plants, plant, (plugin) =>
    build({
      entryPoints: [fileURLToPath(new URL("service.ts", import.meta.url))],
      ...{ bundle: true, write: false, platform: "node", format: "esm", target: "node24", logLevel: "error" },
      plugins: [
        plugin,
        {
          name: "packages",
          setup: ({ onResolve }) =>
            // A module that is not in the file system can import packages only by their URLs.
            onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true })),
        },
      ],
    }),
  );
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? "").toString("base64")}`);
};
