import { join } from "node:path";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import { api } from "../../../lambdas/api.ts";
import { descriptionOf } from "../../../test/kit/contract/description.ts";
import { readRelease, unpackRelease } from "../../release/release-folder.ts";
import type { Outcome, Trial } from "../experiment.ts";
import { plantBug } from "./plants.ts";
import { compareReadings } from "./readings.ts";
import { type Target, targetOf } from "./traffic/caller.ts";
import { createTraffic } from "./traffic/traffic.ts";

/** The share of calls that goes to the present version in each stage. */
const upgradeAndBack = {
  "the release alone": 0,
  "a tenth to the present version": 0.1,
  "rolled back": 0,
  "half and half": 0.5,
  "the present version alone": 1,
  "switched back": 0,
};

const smokeStages = { "half and half": 0.5, "switched back": 0 };

/** Upgrades from the last release to this version and rolls back, on one database, while clients use both versions. */
export const tryUpgrade = async (trial: Trial): Promise<Outcome> => {
  const { directory, seconds, isSmoke, plant, say } = trial;
  const assemblyDirectory = await trial.assembly();
  const environment = localAwsEnvironment();
  const onFailure = (failure: Error) => {
    throw failure;
  };
  const database = await startEmbeddedDatabase({
    ...{ environment, onFailure, port: 0 },
    dataDirectory: join(directory, "data"),
  });
  const services: LocalService[] = [];
  const start = async (name: string, assembly: string): Promise<LocalService> => {
    const externalDatabase = { endpoint: database.url, region: environment.region };
    const options = { port: 0, dataDirectory: join(directory, `data of ${name}`), externalDatabase, log: () => {} };
    const service = await startLocalService({ ...options, assembly });
    services.push(service);
    return service;
  };
  try {
    // The older version starts first, as on AWS. The newer version finds its tables.
    const older = await start("the release", await unpackRelease("service", join(directory, "released")));
    const newer = await start("this version", assemblyDirectory);
    if (plant) await plantBug(newer, plant, { assemblyDirectory, directory: join(directory, "planted") });
    const { version, description } = await readRelease();
    const released = targetOf(portsOf(older), description);
    const present = targetOf(portsOf(newer), descriptionOf(api));
    say(`Release ${version} and this version:`);
    return await rehearse({ released, present }, { isSmoke, seconds, say });
  } finally {
    for (const service of services) await service.close();
    await database.close();
  }
};

const portsOf = ({ baseUrl, invokeUrl }: LocalService) => {
  const [port = 0, invokePort = 0] = [baseUrl, invokeUrl].map((url) => Number(new URL(url).port));
  return { port, invokePort };
};

/**
 * Sends traffic to both versions, stage by stage. Each version continues with the records that the other has written. After each
 * stage, both versions read everything. Stops after a stage with problems.
 */
const rehearse = async (
  { released, present }: Record<"released" | "present", Target>,
  { isSmoke, seconds, say }: Pick<Trial, "isSmoke" | "seconds" | "say">,
): Promise<Outcome> => {
  let share = 0;
  const clients = isSmoke ? 5 : 8;
  const versions = {
    all: () => [...(share < 1 ? [released] : []), ...(share > 0 ? [present] : [])],
    choose: () => (Math.random() < share ? present : released),
    newest: () => (share > 0 ? present : undefined),
  };
  const traffic = createTraffic(versions, clients);
  const { problems, keyIds, tokenIds } = traffic;
  const stages = Object.entries(isSmoke ? smokeStages : upgradeAndBack);
  for (const [index, [what, next]] of stages.entries()) {
    say(what);
    share = next;
    const endsAt = Date.now() + (seconds * 1_000) / stages.length;
    // In the smoke form, every client goes through one life, and continues with the resulting token.
    const isEnough = () => Object.values(traffic.done()).every((times) => times >= clients * (index + 1));
    await traffic.send(() => (isSmoke ? isEnough() : Date.now() >= endsAt));
    if (problems.length > 0) break;
    for (const target of [released, present]) await traffic.checkStock(target);
    problems.push(...(await compareReadings([released, present], { keyIds: keyIds(), tokenIds: tokenIds() })));
  }
  problems.push(...traffic.impossibleHistories());
  const calls = { "calls to the released version": released.calls, "calls to the present version": present.calls };
  return { problems, figures: { ...calls, ...traffic.figures() } };
};
