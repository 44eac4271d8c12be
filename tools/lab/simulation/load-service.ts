import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { loadRelease } from "./load-release.ts";
import { type Plant, plants } from "./plants.ts";
import { plants as recordPlants } from "./records/plants.ts";
import * as records from "./records/service.ts";
import type { Schedule } from "./schedule.ts";
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

/** What schedules can run on: the service, or functions that call the stores of records. */
const subjects = {
  service: { present: service, entry: "service.ts", plants, plantsFile: "plants.ts" },
  records: { present: records, entry: "records/service.ts", plants: recordPlants, plantsFile: "records/plants.ts" },
};
type Subject = (typeof subjects)[keyof typeof subjects];

/** Loads the versions of what a schedule runs on. */
export const loadService = ({ plant, release }: Versions, { isOfRecords }: Pick<Schedule, "isOfRecords"> = {}) => {
  const subject = isOfRecords ? "records" : "service";
  const name = JSON.stringify([subject, plant, release]);
  const services = loaded.get(name) ?? load({ plant, release }, subjects[subject]);
  loaded.set(name, services);
  return services;
};

const load = async ({ plant, release }: Versions, subject: Subject): Promise<Services> => {
  const present = plant === undefined ? subject.present : await loadPlanted(plant, subject);
  return release === undefined ? [present] : [await loadRelease(release, present), present];
};

const inProject = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const loadPlanted = async (name: string, { entry, plants, plantsFile }: Subject): Promise<Service> => {
  const standIns = plants[name]?.standIns ?? [];
  const missing = new Set(standIns.map(({ module }) => module));
  const { outputFiles } = await build({
    entryPoints: [inProject(`tools/lab/simulation/${entry}`)],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
    plugins: [
      standInPlugin({ name, standIns, plantsFile }, missing),
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

interface Planted extends Pick<Plant, "standIns"> {
  name: string;
  plantsFile: string;
}

/** Links each stand-in of a plant in place of the real module, which the stand-in itself imports. */
const standInPlugin = ({ name, standIns, plantsFile }: Planted, missing: Set<string>): Plugin => ({
  name: "stand-ins",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]lambdas[/\\].*\.ts$/ }, ({ path, suffix }) => {
      const standIn = standIns.find(({ module }) => path === inProject(`lambdas/${module}.ts`));
      if (!standIn || suffix !== "") return undefined;
      missing.delete(standIn.module);
      const real = JSON.stringify(`${path}?real`);
      const list = `standIns.plants[${JSON.stringify(name)}].standIns[${standIns.indexOf(standIn)}].exports`;
      const lines = Object.keys(standIn.exports).map((each) => `export const ${each} = ${list}.${each}(real.${each});`);
      return {
        contents: [
          `import * as standIns from ${JSON.stringify(inProject(`tools/lab/simulation/${plantsFile}`))};`,
          `import * as real from ${real};`,
          `export * from ${real};`,
          ...lines,
        ].join("\n"),
        loader: "ts",
      };
    });
  },
});
