import { join } from "node:path";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import type { Description } from "../../support/contract/description.ts";
import { type Target, targetOf } from "../../support/traffic/caller.ts";
import { type DeployedRights, deployedRights, type Moment } from "./deployed-rights.ts";
import type { WithheldRight } from "./plants.ts";

export interface VersionOptions {
  assemblyDirectory: string;
  description: Description;
}

/** A version of the service, which runs. */
export interface Version {
  name: "released" | "present";
  target: Target;
  service: LocalService;
}

export interface Versions {
  released: Version;
  present: Version;
  /** From now on, both versions have the rights on the database that are deployed at that moment. */
  enforce: (moment: Moment) => Promise<void>;
  /** Takes a right away, and no other, from the next `enforce` on. */
  withhold: (right: WithheldRight | undefined) => void;
  /** Everything that the two have logged. */
  logged: () => string;
  close: () => Promise<void>;
}

/** Starts two versions on one database. */
export const startVersions = async (
  dataDirectory: string,
  options: { released: VersionOptions; present: VersionOptions },
): Promise<Versions> => {
  const environment = localAwsEnvironment();
  let log = "";
  const database = await startEmbeddedDatabase({
    dataDirectory,
    port: 0,
    environment,
    onFailure: (failure) => {
      throw failure;
    },
  });

  const start = async (name: Version["name"], { assemblyDirectory, description }: VersionOptions): Promise<Version> => {
    const service = await startLocalService({
      port: 0,
      dataDirectory: join(dataDirectory, name),
      assembly: assemblyDirectory,
      externalDatabase: { endpoint: database.url, region: environment.region },
      log: (text) => {
        log += text;
      },
    });
    const [port, invokePort] = [service.baseUrl, service.invokeUrl].map((url) => Number(new URL(url).port));
    if (port === undefined || invokePort === undefined) throw new Error(`The ${name} version has no ports.`);
    return { name, service, target: targetOf({ port, invokePort, description }) };
  };

  let withheld: WithheldRight | undefined;
  const isWithheld = (functionName: string, action: string, resource: string) =>
    withheld?.functionName === functionName && withheld.action === action && resource.includes(withheld.table);
  const without = (rights: DeployedRights): DeployedRights =>
    new Map(
      [...rights].map(([name, statements]) => [
        name,
        statements.flatMap((statement) =>
          statement.actions.flatMap((action) => {
            const resources = statement.resources.filter((resource) => !isWithheld(name, action, resource));
            return resources.length > 0 ? [{ ...statement, actions: [action], resources }] : [];
          }),
        ),
      ]),
    );

  const assemblies = {
    released: options.released.assemblyDirectory,
    present: options.present.assemblyDirectory,
  };
  const rightsAt = new Map<Moment, DeployedRights>();
  const readRights = async (moment: Moment): Promise<DeployedRights> => {
    const known = rightsAt.get(moment);
    if (known) return known;
    const rights = await deployedRights({ moment, assemblies, directory: join(dataDirectory, `rights ${moment}`) });
    rightsAt.set(moment, rights);
    return rights;
  };

  // The older version comes first, as it does on AWS: the newer one finds its tables.
  const released = await start("released", options.released);
  const present = await start("present", options.present);
  return {
    released,
    present,
    enforce: async (moment) => database.enforce(without(await readRights(moment))),
    withhold: (right) => {
      withheld = right;
    },
    logged: () => log,
    async close() {
      for (const { service } of [present, released]) await service.close();
      await database.close();
    },
  };
};
